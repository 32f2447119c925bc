import { afterEach, describe, expect, test } from 'vitest'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import type { Address, Hex } from '../../src/domain/address.ts'
import { sandboxNetworks } from '../../src/domain/networks.ts'
import type { EngineInputs } from '../../src/engine/engine.ts'
import { exchangeJson } from '../../src/http/client.ts'
import type { SwapIntent } from '../../src/protocols/intent.ts'
import { type Loopback, type LoopbackAnswer, serveLoopback } from '../../src/sandbox/loopback-server.ts'
import { cowContracts } from '../../src/swaps/cow/constants-schema.ts'
import { preSign } from '../../src/swaps/cow/encode.ts'
import { appHash, orderOf, partsOfUid, uidOf } from '../../src/swaps/cow/order.ts'
import { cow } from '../../src/swaps/cow/provider.ts'
import type { OfferRequest } from '../../src/swaps/provider.ts'
import type { ApiRequest } from '../../src/swaps/provider-dependencies.ts'
import { contractsIn } from '../../src/swaps/swap-contracts.ts'
import { swapExpectation, swapSpenders } from '../../src/swaps/swap-provider-registry.ts'
import { engineOn } from '../support/engine.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing } = useCommands(sandbox)
const chainId = 31337
const other: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const here = () => contractsIn(sandbox.world.catalog(), cowContracts).find((one) => one.chainId === chainId)!
const token = (symbol: string) => sandbox.token(chainId, symbol)
const asked = (line: string) => run(`swap ${line} --from sandbox-one --json`)
const pair = '--token-in USDC --token-out WETH'

/** Leaves every order unfilled. */
const unfilled = {
  kind: 'order-unfilled',
  network: null,
  method: null,
  times: null,
  amount: null,
  at: null,
  reason: null,
} as const

/** Order status from the engine for its placing transaction, at this confirmation depth. */
async function engineStatus(
  origin: Hex,
  { rpc, depth = 1 }: { rpc?: EngineInputs['rpc']; depth?: number },
): Promise<string> {
  const { providers, catalog } = engineOn(sandbox, rpc ? { rpc } : {}).context
  const provider = providers.find(({ name }) => name === 'cow')!
  const from = { ...catalog.networks.find((one) => one.chainId === chainId)!, depth }
  const offer = { raw: { fromBlock: '0' } } as never
  return (await provider.status({ from } as never, offer, origin, { recipient: sandbox.user.address })).status
}

describe('CoW Protocol', () => {
  test.each([
    ['an exact input', `${pair} --amount-in 3000`, 'WETH'],
    ['an exact output', `${pair} --amount-out 0.5`, 'WETH'],
    ['another recipient', `${pair} --amount-in 2000 --destination ${other}`, 'WETH'],
  ])(
    'fills an order: %s',
    async (_, flags, symbol) => {
      const paid = flags.includes(other) ? other : sandbox.user.address
      const held = () => sandbox.balanceOf(chainId, token(symbol).address, paid)
      const [before, usdc] = [
        await held(),
        await sandbox.balanceOf(chainId, token('USDC').address, sandbox.user.address),
      ]
      const { exit, json, err } = await asked(`execute ${flags} --provider cow --yes`)
      expect({ exit, status: json?.status }, err).toEqual({ exit: 0, status: 'SUCCESS' })
      const got = (await held()) - before
      expect(got).toBeGreaterThan(0n)
      expect(String(got)).toBe(json.amounts.out.raw)
      expect(await sandbox.balanceOf(chainId, token('USDC').address, sandbox.user.address)).toBeLessThan(usdc)
      const { json: status } = await run(`swap status ${json.id} --json`)
      expect(status).toMatchObject({ status: 'fulfilled' })
      expect(status.destinationTxHash).not.toBe(status.originTxHash)
    },
    60_000,
  )

  test('reports the fill cost as a network fee, and proves spender, amount, recipient and minimum by calldata', async () => {
    const { json } = await asked(`quote ${pair} --amount-in 3000 --compare`)
    const [one] = json.items.filter(({ provider }: { provider: string }) => provider === 'cow')
    expect(one).toMatchObject({
      error: null,
      durationSeconds: null,
      proof: { spender: 'calldata', amount: 'calldata', recipient: 'calldata', minimum: 'calldata' },
    })
    const { json: quote } = await asked(`quote ${pair} --amount-in 3000 --provider cow`)
    expect(quote.fees[0]).toMatchObject({ kind: 'network' })
  })

  test('is not eligible for selling or buying the native coin', async () => {
    for (const flags of ['--token-in ETH --token-out USDC', '--token-in USDC --token-out ETH'])
      expect((await asked(`quote ${flags} --amount-in 1 --provider cow`)).json.error.code).toBe(
        'PREFERRED_PROVIDER_NOT_ELIGIBLE',
      )
  })

  test('reports a filled order as processing while the node returns no logs', async () => {
    const { json: done } = await asked(`execute ${pair} --amount-in 300 --provider cow --yes`)
    const { json: status } = await run(`swap status ${done.id} --json`)
    expect(await engineStatus(status.originTxHash, { rpc: withoutLogs })).toBe('processing')
  })

  test('keeps the allowance of an open order: a second order of the token waits until the first is filled or expired', async () => {
    const allowance = async () => {
      const words = 'function allowance(address,address) view returns (uint256)'
      const vaultRelayer = swapSpenders(sandbox.world.catalog(), 31337).find(
        ({ name }) => name === 'cow',
      )!.spender
      const { address } = sandbox.token(31337, 'USDC')
      return BigInt(await sandbox.call(31337, address, words, [sandbox.user.address, vaultRelayer]))
    }
    await sandbox.world.faults.set(unfilled)
    const first = await asked(`execute ${pair} --amount-in 650 --provider cow --yes --timeout 4s`)
    expect(first).toMatchObject({ exit: 20, json: { error: { code: 'PENDING' } } })
    const id = first.json.error.details.operation
    const held = await allowance()
    const others = [
      `execute ${pair} --amount-in 640 --provider cow --yes`,
      `execute ${pair} --amount-in 645 --provider cow --yes`,
    ]
    for (const line of others)
      expect(await signsNothing(() => asked(line))).toMatchObject({
        exit: 10,
        json: { error: { code: 'OPERATION_UNFINISHED', details: { operation: id } } },
      })
    expect(await allowance()).toBe(held)
    await sandbox.world.faults.clear()
    expect(await run(`action resume ${id} --yes --json`)).toMatchObject({ exit: 0 })
    expect(await asked(others[0]!)).toMatchObject({ exit: 0 })
    // An expired order holds nothing, even before anything asked about it.
    await sandbox.world.faults.set(unfilled)
    expect((await asked(`execute ${pair} --amount-in 660 --provider cow --yes --timeout 4s`)).exit).toBe(20)
    await sandbox.world.warp(3_600)
    await sandbox.world.faults.clear()
    expect(await asked(`execute ${pair} --amount-in 670 --provider cow --yes`)).toMatchObject({ exit: 0 })
  })

  test('leaves an order unfilled until it expires once its allowance is revoked', async () => {
    await sandbox.world.faults.set(unfilled)
    const open = await asked(`execute ${pair} --amount-in 650 --provider cow --yes --timeout 4s`)
    expect(open).toMatchObject({ exit: 20, json: { error: { code: 'PENDING' } } })
    const id = open.json.error.details.operation
    expect((await run(`action explain ${id} --json`)).json.verdict).not.toContain('cannot be filled')
    expect(await run(`action revoke ${id} --yes --json`)).toMatchObject({ exit: 0 })
    await sandbox.world.faults.clear()
    expect((await run(`action explain ${id} --json`)).json).toMatchObject({
      situation: 'ORDER_OPEN',
      verdict: expect.stringMatching(
        /It cannot be filled now: it sells 650 USDC, and its allowance is 0 USDC\.$/,
      ),
    })
    await sandbox.world.warp(3_600)
    expect(await run(`action resume ${id} --yes --json`)).toMatchObject({ exit: 25 })
  })

  test('reports an unfilled order as open, then as expired without a loss of funds', async () => {
    await sandbox.world.faults.set(unfilled)
    try {
      const usdc = await sandbox.balanceOf(chainId, token('USDC').address, sandbox.user.address)
      const open = await asked(`execute ${pair} --amount-in 700 --provider cow --yes --timeout 4s`)
      expect(open).toMatchObject({ exit: 20, json: { error: { code: 'PENDING' } } })
      expect(open.json.error.message).toMatch(/^The order is open until .*: nothing has been swapped yet/)
      const id = open.json.error.details.operation
      expect((await run(`action explain ${id} --json`)).json).toMatchObject({ situation: 'ORDER_OPEN' })
      expect((await run(`swap status ${id} --json`)).json.status).not.toBe('fulfilled')
      await sandbox.world.warp(3_600)
      expect((await run(`action explain ${id} --json`)).json).toMatchObject({ situation: 'ORDER_UNFILLED' })
      // The engine reports the expiry only at the depth of the chain.
      const [placed] = (await run(`action show ${id} --json`)).json.transactions.slice(-1)
      const { rpc } = sandbox.chain(chainId)
      await rpc.request('anvil_mine', ['0x1'])
      expect(await engineStatus(placed.hash, { depth: 4 })).toBe('processing')
      await rpc.request('anvil_mine', ['0x3'])
      expect(await engineStatus(placed.hash, { depth: 4 })).toBe('failed')
      const over = await run(`action resume ${id} --yes --json`)
      expect(over).toMatchObject({ exit: 25, json: { error: { code: 'ORDER_UNFILLED' } } })
      expect(over.json.error.hint).toBe(`sluice action revoke ${id}`)
      expect((await run(`action explain ${id} --json`)).json).toMatchObject({ situation: 'ORDER_UNFILLED' })
      expect(await sandbox.balanceOf(chainId, token('USDC').address, sandbox.user.address)).toBe(usdc)
      expect(await run(`action revoke ${id} --yes --json`)).toMatchObject({ exit: 0 })
    } finally {
      await sandbox.world.faults.clear()
    }
  })
})

/** A node that returns no logs, like one that indexes late. */
const withoutLogs = (of: number): ChainClient => {
  const { rpc } = sandbox.chain(of)
  return {
    ...rpc,
    batch: async (calls) => {
      const answers = await rpc.batch(calls)
      return answers.map((answer, at) => (calls[at]![0] === 'eth_getLogs' ? [] : answer))
    },
    request: async <T>(method: string, params?: readonly unknown[]) =>
      method === 'eth_getLogs' ? ([] as T) : rpc.request<T>(method, params),
  }
}

const deadline = 1_900_000_000

/** Guard verdict on the presignature of an order of 100 USDC for 0.03 WETH, changed in part. */
function verdict(
  changed: Partial<ReturnType<typeof orderOf>> = {},
  {
    owner,
    exact = 'in',
    alter = (data) => data,
  }: { owner?: Address; exact?: 'in' | 'out'; alter?: (data: Hex) => Hex } = {},
) {
  const wallet = sandbox.user.address
  const intent: SwapIntent = {
    kind: 'swap',
    wallet,
    provider: 'cow',
    tokenIn: token('USDC'),
    tokenOut: token('WETH'),
    exact,
    amountIn: 100_000_000n,
    amountOut: 3n * 10n ** 16n,
    recipient: wallet,
    deadline,
  }
  const order = { ...orderOf(intent, intent, { recipient: wallet, validTo: deadline + 600 }), ...changed }
  const call = preSign({ chainId, settlement: here().settlement, uid: uidOf(here(), order, owner ?? wallet) })
  return swapExpectation(sandbox.world.catalog(), intent)!.check({ ...call, data: alter(call.data) })
}

describe('guard on a CoW presignature', () => {
  test.each(['in', 'out'] as const)('passes the requested order: exact %s', (exact) => {
    expect(verdict({}, { exact })).toMatchObject({
      bound: { value: 0n, spends: { amount: 100_000_000n, by: here().vaultRelayer } },
    })
  })

  test.each([
    ['another sell token', { sellToken: other }],
    ['another buy token', { buyToken: other }],
    ['another recipient', { receiver: other }],
    ['a higher sell amount', { sellAmount: 100_000_001n }],
    ['a lower sell amount', { sellAmount: 99_999_999n }],
    ['a lower minimum', { buyAmount: 3n * 10n ** 16n - 1n }],
    ['the other order kind', { kind: 'buy' as const }],
    ['an expiry too long after the deadline', { validTo: deadline + 1_801 }],
    ['an expiry before the deadline', { validTo: deadline - 1 }],
  ])('refuses an order with %s', (_, changed) => {
    expect(verdict(changed)).toHaveProperty('violation')
  })

  test('refuses another owner, a withdrawn signature, another function, trailing bytes and a changed digest', () => {
    expect(verdict({}, { owner: other })).toMatchObject({ violation: { code: 'POLICY_RECIPIENT' } })
    // The signed flag is the second word.
    const taken = (data: Hex): Hex => `${data.slice(0, 137)}0${data.slice(138)}` as Hex
    expect(verdict({}, { alter: taken })).toMatchObject({ violation: { code: 'POLICY_DECODE' } })
    expect(verdict({}, { alter: (data) => `0x12345678${data.slice(10)}` })).toHaveProperty('violation')
    expect(verdict({}, { alter: (data) => `${data}00` })).toMatchObject({
      violation: { code: 'POLICY_DECODE' },
    })
    // Changes one digit of the digest.
    const other1 = (data: Hex): Hex =>
      `${data.slice(0, 202)}${data[202] === '0' ? '1' : '0'}${data.slice(203)}` as Hex
    expect(verdict({}, { alter: other1 })).toMatchObject({ violation: { code: 'POLICY_QUOTE_DRIFT' } })
  })
})

let server: Loopback | undefined
afterEach(async () => server?.close())

describe('CoW order book API', () => {
  const ask = (): OfferRequest => ({
    from: sandboxNetworks[0]!,
    to: sandboxNetworks[0]!,
    tokenIn: token('USDC'),
    tokenOut: token('WETH'),
    exact: 'in',
    amount: 100_000_000n,
    slippage: 0.01,
    speed: null,
    refund: null,
    isSpent: false,
  })
  const good = () => ({
    sellToken: token('USDC').address,
    buyToken: token('WETH').address,
    sellAmount: '99000000',
    buyAmount: '30000000000000000',
    feeAmount: '1000000',
    kind: 'sell',
    partiallyFillable: false,
  })
  const opened = async (quote: LoopbackAnswer, order: LoopbackAnswer = { status: 201, body: '0x00' }) => {
    const requests: { path: string; body: unknown }[] = []
    server = await serveLoopback(async (request, url) => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part as Buffer)
      requests.push({ path: url.pathname, body: JSON.parse(Buffer.concat(parts).toString()) })
      return url.pathname.endsWith('/quote') ? quote : order
    })
    const sent = ({ url, body, headers = {} }: ApiRequest) =>
      exchangeJson(body === undefined ? 'GET' : 'POST', url, body, { headers })
    const unused = () => Promise.reject(new Error('not asked'))
    const network = { read: unused, log: unused, mined: unused, head: async () => 1n, exchangeJson: sent }
    return { provider: cow([{ ...here(), api: server.url }], network), requests }
  }
  const signal = () => AbortSignal.timeout(5_000)
  const order = () => ({ wallet: sandbox.user.address, recipient: sandbox.user.address, deadline })

  test('is asked for a presigned order, and the minimum follows from its quote', async () => {
    const { provider, requests } = await opened({ status: 200, body: { quote: good(), id: 7 } })
    expect(await provider.quote(ask(), signal())).toMatchObject({
      amountIn: 100_000_000n,
      amountOut: 3n * 10n ** 16n,
      minAmountOut: 297n * 10n ** 14n,
      fees: [{ kind: 'network', amount: '1000000' }],
    })
    expect(requests[0]).toMatchObject({
      path: '/api/v1/quote',
      body: {
        signingScheme: 'presign',
        sellAmountBeforeFee: '100000000',
        appDataHash: appHash,
        kind: 'sell',
      },
    })
  })

  test.each([
    ['another token', { buyToken: other }],
    ['another amount', { sellAmount: '98000000' }],
    ['another order kind', { kind: 'buy' }],
    ['a partially fillable order', { partiallyFillable: true }],
    ['a negative amount', { buyAmount: '-1' }],
  ])('fails the quote with PROVIDER_API_ERROR for %s', async (_, changed) => {
    const { provider } = await opened({ status: 200, body: { quote: { ...good(), ...changed } } })
    await expect(provider.quote(ask(), signal())).rejects.toMatchObject({ code: 'PROVIDER_API_ERROR' })
  })

  test.each([
    ['NoLiquidity', /has no liquidity/],
    ['UnsupportedToken', /does not trade one of the tokens/],
    ['SellAmountDoesNotCoverFee', /does not cover the cost of a fill/],
  ])('gives no quote for the error %s', async (errorType, text) => {
    const { provider } = await opened({ status: 400, body: { errorType, description: '' } })
    const said = await provider.quote(ask(), signal()).catch(({ message }: Error) => message)
    expect(said).toMatch(text)
  })

  test.each([
    ['returns another order UID', { status: 201, body: `0x${'11'.repeat(56)}` }, /accepted another order/],
    ['returns no order UID', { status: 200, body: {} }, /did not accept the order/],
    [
      'reports an insufficient balance',
      { status: 400, body: { errorType: 'InsufficientBalance' } },
      /below the amount sold/,
      'QUOTE_GENERATION_FAILED',
    ],
  ])('builds no transaction when it %s', async (_, answer, text, code = 'PROVIDER_API_ERROR') => {
    const { provider } = await opened({ status: 200, body: { quote: good() } }, answer)
    const offer = await provider.quote(ask(), signal())
    await expect(provider.build(ask(), offer!, order())).rejects.toMatchObject({
      code,
      message: expect.stringMatching(text),
    })
  })

  test('accepts DuplicatedOrder, and builds the transaction', async () => {
    const { provider } = await opened(
      { status: 200, body: { quote: good(), id: 7 } },
      { status: 400, body: { errorType: 'DuplicatedOrder', description: '' } },
    )
    const offer = await provider.quote(ask(), signal())
    const { transaction, needs } = await provider.build(ask(), offer!, order())
    expect(transaction.to).toBe(here().settlement)
    expect(needs).toEqual({
      token: token('USDC').address,
      spender: here().vaultRelayer,
      amount: 100_000_000n,
    })
  })
})

test('uidOf equals computeOrderUid of @cowprotocol/contracts 1.8.0', () => {
  const at = { chainId: 1, settlement: '0x9008D19f58AAbD9eD0D60971565AA8510560ab41' } as const
  const order = {
    kind: 'sell',
    sellToken: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    buyToken: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
    receiver: other,
    sellAmount: 100_000_000n,
    buyAmount: 30_000_000_000_000_000n,
    validTo: 1_900_000_600,
  } as const
  const uid = uidOf(at, order, '0x70997970C51812dc3A010C7d01b50e0d17dc79C8')
  expect(uid).toBe(
    '0x7f62c2637c3d8010d6942789f43fe2bb15ea3f58b3c1405e83d4fffcd3dcf44170997970c51812dc3a010c7d01b50e0d17dc79c8713fb558',
  )
  expect(partsOfUid(uid)!.validTo).toBe(1_900_000_600)
})
