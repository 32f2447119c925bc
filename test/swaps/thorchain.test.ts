import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { proofOf } from '../../src/commands/swap/bitcoin-deposit.ts'
import { nativeAddress } from '../../src/domain/address.ts'
import { networkNamed, publicNetworks } from '../../src/domain/networks.ts'
import { nativeToken } from '../../src/domain/token.ts'
import { type BitcoinConstants, publicBitcoin } from '../../src/protocols/bitcoin-services.ts'
import type { LoopbackAnswer } from '../../src/sandbox/loopback-server.ts'
import type { DepositRequest } from '../../src/swaps/deposit-provider.ts'
import { namesAsset, readSwapMemo, thorAsset } from '../../src/swaps/thorchain/memo.ts'
import { thorchain } from '../../src/swaps/thorchain/provider.ts'
import {
  type Answering,
  depositNetwork,
  useDepositService,
} from '../support/services/deposit-provider-service.ts'

const sample = (name: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'samples', `${name}.json`), 'utf8')).response

const recipient = '0x1c7B17362c84287bd1184447E6dFeaF920c31bBe'
const ethereum = networkNamed(publicNetworks, 'ethereum')
const base = networkNamed(publicNetworks, 'base')
const ether = nativeToken(ethereum)
const usdc = {
  chainId: base.chainId,
  address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  symbol: 'USDC',
  name: 'USDC',
  decimals: 6,
} as const

describe('a THORChain memo', () => {
  test.each<[string, ReturnType<typeof readSwapMemo>]>([
    ['=:ETH.ETH:0xab:12', { asset: 'ETH.ETH', destination: '0xab', limit: 12n }],
    ['SWAP:ETH.ETH:0xab:12e3/1/0', { asset: 'ETH.ETH', destination: '0xab', limit: 12_000n }],
    ['s:e:0xab:0/1/0', { asset: 'e', destination: '0xab', limit: 0n }],
    ['=:e:0xab', undefined],
    ['=:ETH.ETH:0xab:', { asset: 'ETH.ETH', destination: '0xab', limit: null }],
    ['=:ETH.ETH:0xab/bc1q:12', undefined],
    ['=:ETH.ETH:0xab:12:t:100', undefined],
    ['=:ETH.ETH:0xab:12::', { asset: 'ETH.ETH', destination: '0xab', limit: 12n }],
    ['+:ETH.ETH:0xab:12', undefined],
    ['=:ETH.ETH:0xab:-1', undefined],
    ['', undefined],
  ])('%s is read as a swap memo, or rejected', (memo, read) => {
    expect(readSwapMemo(memo)).toEqual(read)
  })

  test('is rejected when it pays an affiliate fee, as in the recorded samples', () => {
    expect(readSwapMemo(sample('thorchain-quote-memo').memo)).toBeUndefined()
    expect(readSwapMemo(sample('thorchain-tx-status-done').tx.memo)).toBeUndefined()
  })

  test('names a token by contract or contract suffix, ETH also by its code, and never by symbol alone', () => {
    expect(thorAsset(usdc)).toBe('BASE.USDC-0X833589FCD6EDB6E08F4C7C32D4F71B54BDA02913')
    for (const named of [thorAsset(usdc)!, 'base.usdc-913', 'BASE.USDC-A02913'])
      expect(namesAsset(named, usdc)).toBe(true)
    for (const named of ['BASE.USDC', 'BASE.USDC-13', 'ETH.USDC-913', 'BASE.USDT-913', 'BASE.USDC-914', 'e'])
      expect(namesAsset(named, usdc)).toBe(false)
    for (const named of ['ETH.ETH', 'e']) expect(namesAsset(named, ether)).toBe(true)
    for (const named of ['BASE.ETH', 'ETH.USDC', 'b']) expect(namesAsset(named, ether)).toBe(false)
    // Each coin has a code of its own.
    const codes = { 1: 'e', 56: 's', 8453: 'f', 43114: 'a' }
    for (const [id, own] of Object.entries(codes))
      for (const code of ['e', 'f', 'a', 's', 'b', 'r', 'E'])
        expect([
          id,
          code,
          namesAsset(code, nativeToken(publicNetworks.find(({ chainId }) => chainId === Number(id))!)),
        ]).toEqual([id, code, code === own])
    expect(thorAsset({ ...usdc, chainId: 10 })).toBeUndefined()
  })
})

const memo = `=:ETH.ETH:${recipient}:1761754862`
/** The recorded quote, which is older than its memo field, with a memo added. */
const quote = (changed: object = {}) => ({
  status: 200,
  body: { ...sample('thorchain-quote-btc-eth'), memo, ...changed },
})
const ask: DepositRequest = {
  to: ethereum,
  tokenOut: ether,
  amount: 100_000_000n,
  slippage: 0.005,
  recipient,
  refund: null,
  at: 1_000 * Number(sample('thorchain-quote-btc-eth').expiry) - 900_000,
}

const serve = useDepositService(thorchain, Date.now)

/** The recorded vaults, with the BTC address of the recorded quote. */
const vaults = (changed: object = {}) => ({
  status: 200,
  body: (sample('thorchain-inbound-addresses') as { chain: string }[]).map((one) =>
    one.chain === 'BTC' ? { ...one, address: quote().body.inbound_address, ...changed } : one,
  ),
})
const vaultPath = '/thorchain/inbound_addresses'
/** A node that returns these vaults, and `answer` to all other requests. */
const naming =
  (answer: Answering, named: LoopbackAnswer | 'drop' = vaults()): Answering =>
  (request) =>
    request.url.pathname === vaultPath ? named : answer(request)
const at = async (answer: Answering, more: Partial<BitcoinConstants> = {}) => {
  const { provider } = await serve(answer, (thornode) => ({ ...publicBitcoin, thornode, ...more }))
  return {
    quote: (changed: Partial<DepositRequest> = {}) =>
      provider.quote({ ...ask, ...changed }, AbortSignal.timeout(3_000)),
    status: (tokenOut = ether, to: typeof recipient | string = recipient) =>
      provider.status(
        { address: 'a', memo },
        { txid: 'ab'.repeat(32), outputs: [], memo, height: 1, time: 0, senders: [] },
        { tokenOut, recipient: to as typeof recipient },
      ),
  }
}

/** Returns the offer of a service, or throws. */
const offered = async (service: Awaited<ReturnType<typeof at>>, changed?: Partial<DepositRequest>) => {
  const offer = await service.quote(changed)
  if (!offer || !('terms' in offer)) throw new Error('The service gives no offer')
  return offer
}

describe('THORChain', () => {
  test('is asked for the swap, and its memo holds the terms', async () => {
    let asked: URLSearchParams | undefined
    const found = await offered(
      await at(
        naming(({ url }) => {
          asked = url.searchParams
          return quote()
        }),
      ),
    )
    expect(Object.fromEntries(asked!)).toEqual({
      from_asset: 'BTC.BTC',
      to_asset: 'ETH.ETH',
      amount: '100000000',
      destination: recipient,
      liquidity_tolerance_bps: '50',
    })
    expect(found.terms).toMatchObject({
      address: 'bc1qpg8zcjzrjjnknzkqh2eenyeaxj7qlax6hpy62p',
      memo,
      amountOut: 1_770_607_901n * 10n ** 10n,
      minAmountOut: 1_761_754_862n * 10n ** 10n,
      until: 1_710_087_554_000,
      seconds: 4_920,
    })
  })

  test('truncates an amount to the decimals of the token', async () => {
    const service = await at(
      naming(() =>
        quote({ memo: `=:BASE.USDC-913:${recipient}:89550000099`, expected_amount_out: '90000000099' }),
      ),
    )
    expect((await offered(service, { to: base, tokenOut: usdc })).terms).toMatchObject({
      amountOut: 900_000_000n,
      minAmountOut: 895_500_000n,
    })
  })

  test.each<[string, object, RegExp]>([
    ['another recipient', { memo: memo.replace(recipient, usdc.address) }, /another recipient/],
    ['another asset', { memo: memo.replace('ETH.ETH', 'BASE.ETH') }, /does not name ETH on ethereum/],
    ['no limit', { memo: `=:ETH.ETH:${recipient}:` }, /no limit/],
    ['a limit below the minimum', { memo: `=:ETH.ETH:${recipient}:1761754859` }, /below the minimum/],
    ['a fee for another address', { memo: `${memo}:t:100` }, /pays a fee to another address/],
    ['a memo longer than 80 bytes', { memo: `${memo}/${'1'.repeat(20)}` }, /longer than 80 bytes/],
    ['a memo of another action', { memo: `+:ETH.ETH:${recipient}` }, /not the memo of a swap/],
    ['no memo', { memo: undefined }, /did not return a quote/],
    ['an amount in scientific notation', { expected_amount_out: '1e9' }, /did not return a quote/],
    [
      'a deposit address with a wrong checksum',
      { inbound_address: 'bc1qpg8zcjzrjjnknzkqh2eenyeaxj7qlax6hpy62q' },
      /not on this Bitcoin chain/,
    ],
    [
      'a deposit address of another Bitcoin chain',
      { inbound_address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080' },
      /not on this Bitcoin chain/,
    ],
  ])('fails the quote with PROVIDER_API_ERROR for %s', async (_, changed, message) => {
    const { quote: asking } = await at(() => quote(changed))
    await expect(asking()).rejects.toMatchObject({
      code: 'PROVIDER_API_ERROR',
      message: expect.stringMatching(message),
    })
  })

  test('rejects an amount that its refund fee would consume', async () => {
    const { quote: asking } = await at(naming(() => quote()))
    await expect(asking({ amount: 224_807n })).rejects.toMatchObject({
      code: 'QUOTE_GENERATION_FAILED',
      message: expect.stringContaining('minimum for THORChain is 0.00224808 BTC'),
    })
    expect(await asking({ amount: 224_808n })).toBeDefined()
  })

  test.each<[string, LoopbackAnswer | 'drop', RegExp]>([
    [
      'another address',
      vaults({ address: 'bc1qn9esxuw8ca7ts8l6w66kdh800s09msvutydc46' }),
      /returns another address/,
    ],
    ['no address', vaults({ address: undefined }), /returns another address for BTC \(none\)/],
    ['no vault for BTC', { status: 200, body: [] }, /returns no vault for BTC/],
    ['HTTP 404', { status: 404, body: {} }, /returns no vault for BTC/],
    ['a halted BTC chain', vaults({ halted: true }), /accepts no BTC now/],
    [
      'a paused BTC chain',
      vaults({ chain_trading_paused: true }),
      /accepts no BTC now: its trading is paused/,
    ],
    ['a pause of all trading', vaults({ global_trading_paused: true }), /its trading is paused/],
    ['no response', 'drop', /returned an invalid response/],
  ])('fails the quote when the first or the second node returns %s', async (_, named, message) => {
    const refused = { code: 'PROVIDER_API_ERROR', message: expect.stringMatching(message) }
    await expect((await at(naming(() => quote(), named))).quote()).rejects.toMatchObject(refused)
    const second = (
      await serve(
        () => named,
        (thornode) => ({ ...publicBitcoin, thornode }),
      )
    ).bitcoin.thornode
    const both = await at(
      naming(() => quote()),
      { secondThornode: second },
    )
    await expect(both.quote()).rejects.toMatchObject(refused)
  })

  test('lists in the proof the nodes that confirm the deposit address', async () => {
    const second = (
      await serve(
        naming(() => quote()),
        (thornode) => ({ ...publicBitcoin, thornode }),
      )
    ).bitcoin.thornode!
    const { bitcoin } = await serve(
      naming(() => quote()),
      (thornode) => ({ ...publicBitcoin, thornode }),
    )
    const confirm = (secondThornode: string | null) =>
      thorchain.confirmAddress!(
        { ...bitcoin, secondThornode },
        depositNetwork(Date.now).exchangeJson,
        quote().body.inbound_address,
      )
    const [one, other] = [bitcoin.thornode!, second].map((url) => new URL(url).host)
    expect(await confirm(second)).toEqual([one, other])
    expect(await confirm(null)).toEqual([one])
    expect(proofOf(thorchain, [one!])).toBe('memo, all but the address, which only its service names')
    expect(proofOf(thorchain, [one!, other!])).toBe(
      `memo, all but the address, which ${one} and ${other} name`,
    )
  })

  test('names the host that a node has moved to, and its setting', async () => {
    const moved = { status: 301, body: {}, headers: { location: 'https://gateway.example/thorchain' } }
    await expect((await at(() => moved)).quote()).rejects.toMatchObject({
      code: 'PROVIDER_API_ERROR',
      message: expect.stringMatching(
        /answered 301 with a redirect to gateway.example, which is not followed/,
      ),
      hint: expect.stringContaining('SLUICE_THORNODE_URL'),
    })
  })

  test('refuses a deadline in the year 3000', async () => {
    const far = naming(() => quote({ expiry: 32_503_680_000 }))
    await expect((await at(far)).quote()).rejects.toThrow(/a deadline that is more than a day away/)
  })

  test('returns the refusal reason of the node, if there is one', async () => {
    const refused = { status: 400, body: { code: 3, message: 'bad to asset', details: [] } }
    await expect((await at(() => refused)).quote()).rejects.toMatchObject({
      code: 'NO_ROUTE_FOUND',
      details: { serviceMessage: 'bad to asset' },
    })
    await expect((await at(() => ({ status: 404, body: '' }))).quote()).rejects.toMatchObject({
      code: 'PROVIDER_API_ERROR',
      details: { serviceMessage: null },
    })
  })

  test('accepts a limit one unit below the minimum, as after rounding', async () => {
    const rounded = quote({ memo: `=:ETH.ETH:${recipient}:1761754860` })
    expect(await (await at(naming(() => rounded))).quote()).toHaveProperty('terms')
  })

  test.each<[string, LoopbackAnswer | 'drop', RegExp]>([
    ['limits requests', { status: 429, body: {}, headers: { 'retry-after': '7' } }, /limits requests/],
    ['answers HTTP 503', { status: 503, body: {} }, /the HTTP status 503/],
    ['drops the connection', 'drop', /returned an invalid response/],
  ])('reports in quote and status that the node %s', async (_, answer, message) => {
    const { quote: asking, status } = await at(() => answer)
    for (const work of [asking(), status()])
      await expect(work).rejects.toMatchObject({ message: expect.stringMatching(message) })
  })
})

describe('THORChain swap status', () => {
  const done = sample('thorchain-tx-status-done')
  const usdt = { ...usdc, chainId: 1, symbol: 'USDT' }
  const to = done.planned_out_txs[0].to_address
  const answered = (body: unknown, status = 200) => at(() => ({ status, body }))

  test('is read from the recorded samples', async () => {
    expect(await (await answered(sample('thorchain-tx-status-btc-pending'))).status()).toEqual({
      status: 'processing',
    })
    expect(await (await answered(done)).status(usdt, to)).toEqual({
      status: 'fulfilled',
      destination: `0x${done.out_txs[1].id.toLowerCase()}`,
    })
  })

  test('is waiting for an unobserved deposit, and an error for a response of another shape', async () => {
    const stages = { inbound_observed: { final_count: 0, completed: false } }
    expect(await (await answered({ stages })).status()).toEqual({ status: 'waiting' })
    expect(await (await answered({}, 404)).status()).toEqual({ status: 'waiting' })
    await expect((await answered({ state: 'x' })).status()).rejects.toMatchObject({
      code: 'PROVIDER_API_ERROR',
    })
  })

  test('ignores a payment to another recipient', async () => {
    expect(await (await answered(done)).status(usdt, nativeAddress)).toEqual({ status: 'processing' })
  })

  test('of a part that is paid out names payout and refund, in any order and before both are signed', async () => {
    const back = {
      id: 'CD'.repeat(32),
      chain: 'BTC',
      to_address: 'bc1q',
      coins: [{ asset: 'BTC.BTC', amount: '400000' }],
      memo: 'REFUND:AB',
    }
    const [, paid] = done.out_txs
    const part = (out_txs: object[], completed = true) => ({
      planned_out_txs: [
        ...done.planned_out_txs,
        { chain: 'BTC', to_address: 'bc1q', coin: { asset: 'BTC.BTC', amount: '400000' }, refund: true },
      ],
      out_txs,
      stages: { inbound_observed: { completed: true }, outbound_signed: { completed } },
    })
    const destination = `0x${paid.id.toLowerCase()}`
    const said = 'THORChain pays a part and refunds the rest'
    for (const all of [
      [back, paid],
      [paid, back],
    ])
      expect(await (await answered(part(all))).status(usdt, to)).toEqual({
        ...{ status: 'fulfilled', destination, refund: back.id, said },
      })
    expect((await (await answered(part([back], false))).status(usdt, to)).status).toBe('processing')
    expect((await (await answered(part([paid], false))).status(usdt, to)).status).toBe('processing')
  })

  test('is refunded only once the refund is signed', async () => {
    const coin = { asset: 'BTC.BTC', amount: '1' }
    const refund = (completed: boolean) => ({
      planned_out_txs: [{ chain: 'BTC', to_address: 'bc1q', coin, refund: true }],
      stages: { inbound_observed: { completed: true }, outbound_signed: { completed } },
    })
    expect((await (await answered(refund(false))).status()).status).toBe('processing')
    expect((await (await answered(refund(true))).status()).status).toBe('refunded')
  })
})
