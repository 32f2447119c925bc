import { generateKeyPairSync, verify } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseUnits } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { approve, transfer } from '../../src/chain/erc20.ts'
import type { Address, Hex } from '../../src/domain/address.ts'
import { sandboxNetworks } from '../../src/domain/networks.ts'
import type { SwapIntent } from '../../src/protocols/intent.ts'
import type { Answer } from '../../src/sandbox/loopback-server.ts'
import { parseAccount } from '../../src/swaps/avenia/api-credentials.ts'
import { avenia } from '../../src/swaps/avenia/provider.ts'
import type { Offer, OfferRequest } from '../../src/swaps/provider.ts'
import { swapExpectation } from '../../src/swaps/swap-provider-registry.ts'
import { brla, catalog, desk, friend, thief, usdc, usdt, wallet } from '../support/plans/plan-fixtures.ts'
import {
  type Answering,
  exchangeSoon,
  serviceFailures,
  useProviderService,
} from '../support/services/swap-provider-service.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const chainId = 31337
const network = sandboxNetworks[0]!
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
const account = { apiKey: 'an-api-key', privateKey: pem, subAccountId: 'sub-1', desks: {} }

const ramp: SwapIntent = {
  kind: 'swap',
  wallet,
  provider: 'avenia',
  tokenIn: usdc,
  tokenOut: brla,
  exact: 'in',
  amountIn: 100_000_000n,
  amountOut: 500n * 10n ** 18n,
  recipient: wallet,
  deadline: 1_900_000_000,
}

describe('the guard', () => {
  const call = { chainId, token: usdc.address, to: desk, amount: 100_000_000n }
  const code = (changed: Partial<SwapIntent>, { data } = transfer(call)) => {
    const said = swapExpectation(catalog, { ...ramp, ...changed })?.check({
      to: usdc.address,
      data,
      value: 0n,
      chainId,
    })
    return said === undefined ? 'unknown' : 'violation' in said ? said.violation.code : 'passed'
  }
  test('passes a transfer of the exact amount to the desk, and says what is only promised', () => {
    const { targets, check } = swapExpectation(catalog, ramp)!
    expect(targets).toEqual([usdc.address])
    expect(check(transfer(call))).toMatchObject({
      bound: {
        value: 0n,
        text: `Send 100 USDC to the desk of Avenia, which promises to pay out 500 BRLA to ${wallet} later`,
      },
    })
    expect(code({ exact: 'out' })).toBe('passed')
  })

  test.each<[string, Partial<SwapIntent>, { data: Hex }, string]>([
    ['to somebody else', {}, transfer({ ...call, to: thief }), 'POLICY_RECIPIENT'],
    ['of a unit more', {}, transfer({ ...call, amount: 100_000_001n }), 'POLICY_AMOUNT'],
    ['of a unit less', {}, transfer({ ...call, amount: 99_999_999n }), 'POLICY_AMOUNT'],
    ['for another wallet', { recipient: friend }, transfer(call), 'POLICY_RECIPIENT'],
    ['that is an approval', {}, approve({ ...call, spender: desk }), 'POLICY_DECODE'],
    ['with more behind it', {}, { data: `${transfer(call).data}00` }, 'POLICY_DECODE'],
    ['for another token', { tokenOut: usdt }, transfer(call), 'unknown'],
  ])('refuses one %s', (_, changed, transaction, refusal) => {
    expect(code(changed, { ...transfer(call), ...transaction })).toBe(refusal)
  })

  test('takes no transfer for a swap of another provider', () => {
    expect(code({ provider: 'uniswap-v3' })).not.toBe('passed')
  })
})

describe('the service of Avenia', () => {
  const serve = useProviderService()
  const at = async (answer: Answering, text = JSON.stringify(account)) =>
    avenia([{ ...catalog.avenia![0]!, service: { api: await serve(answer), account: '/keys.json' } }], {
      exchangeJson: exchangeSoon,
      secretAt: async () => text,
      now: () => 1_790_000_000_000,
      mined: async () => undefined,
      log: async () => undefined,
    })
  const ask = (exact: 'in' | 'out' = 'in', amount = 100_000_000n): OfferRequest => ({
    from: network,
    to: network,
    tokenIn: usdc,
    tokenOut: brla,
    exact,
    amount,
    slippage: 0.005,
    speed: null,
    refund: null,
    isSpent: false,
  })
  const quote = (changed: object = {}): Answer => ({
    status: 200,
    body: {
      quoteToken: 'a.token',
      inputCurrency: 'USDC',
      inputAmount: '100',
      outputCurrency: 'BRLA',
      outputAmount: '549.5',
      appliedFees: [
        { type: 'Markup Fee', amount: '5.5', currency: 'BRLA', rebatable: false },
        { type: 'In Fee', amount: '0', currency: 'USDC', rebatable: false },
      ],
      basePrice: '5.55',
      ...changed,
    },
  })
  const quoted = async (answer: Answering, asked = ask()) =>
    (await at(answer)).quote(asked, AbortSignal.timeout(2_000))

  test('is asked by a signed request, and its fixed rate is what is offered', async () => {
    let seen: { url: URL; isSigned: boolean; key: unknown } | undefined
    const offer = await quoted((request, url) => {
      const [time, signature] = ['x-api-timestamp', 'x-api-signature'].map((one) => request.headers[one])
      const text = Buffer.from(`${time}GET${request.url}`)
      const isSigned = verify('sha256', text, publicKey, Buffer.from(String(signature), 'base64'))
      seen = { url, isSigned, key: request.headers['x-api-key'] }
      return quote()
    })
    expect(seen).toMatchObject({ isSigned: true, key: 'an-api-key' })
    expect(Object.fromEntries(seen!.url.searchParams)).toEqual({
      inputCurrency: 'USDC',
      inputPaymentMethod: 'BASE',
      inputThirdParty: 'false',
      outputCurrency: 'BRLA',
      outputPaymentMethod: 'BASE',
      outputThirdParty: 'false',
      blockchainSendMethod: 'TRANSFER',
      inputAmount: '100',
      subAccountId: 'sub-1',
    })
    const amountOut = parseUnits('549.5', 18)
    expect(offer).toMatchObject({ amountIn: 100_000_000n, maxAmountIn: 100_000_000n, amountOut })
    expect(offer).toMatchObject({ minAmountOut: amountOut, fees: [{ kind: 'markup', token: brla.address }] })
  })

  test('rounds what it asks up where the output is exact, to the unit', async () => {
    const offer = await quoted(
      () => quote({ inputAmount: '100.0000001' }),
      ask('out', parseUnits('549.5', 18)),
    )
    expect(offer).toMatchObject({ amountIn: 100_000_001n, amountOut: parseUnits('549.5', 18) })
  })

  test('is held to the limits of the amount that it names as well', async () => {
    for (const [changed, code] of [
      [{ outputAmount: '26000' }, 'AMOUNT_OUT_TOO_HIGH_OFFRAMP'],
      [{ outputAmount: '5.000' }, 'AMOUNT_OUT_TOO_LOW_OFFRAMP'],
    ] as const)
      await expect(quoted(() => quote(changed))).rejects.toMatchObject({ code })
  })

  const noQuote = /did not answer with a quote/
  test.each<[string, () => ReturnType<Answering>, RegExp]>([
    ['another amount', () => quote({ inputAmount: '101' }), /another swap than was asked for/],
    ['another token', () => quote({ outputCurrency: 'BRL' }), /another swap than was asked for/],
    ['a number that is none', () => quote({ outputAmount: '1e18' }), noQuote],
    ['a negative amount', () => quote({ outputAmount: '-1' }), noQuote],
    ['no token', () => quote({ quoteToken: '' }), noQuote],
    ['a token as long as a book', () => quote({ quoteToken: 'x'.repeat(9_000) }), noQuote],
    ['a refusal of the request', () => ({ status: 400, body: { error: 'bad' } }), noQuote],
    ['a page', () => ({ status: 404, body: 'not found' }), noQuote],
    ['nonsense', () => ({ status: 200, body: [] }), noQuote],
    ['a refusal of the key', () => ({ status: 401, body: {} }), /the key of \/keys\.json, or its signature/],
    ...serviceFailures,
  ])('that answers with %s is an error of the provider', async (_, answer, message) => {
    await expect(quoted(answer)).rejects.toMatchObject({
      code: 'PROVIDER_API_ERROR',
      message: expect.stringMatching(message),
    })
  })

  const tickets = async (ticket: Answer, recipient: Address = wallet) => {
    const asked: { body: unknown; url: string | undefined }[] = []
    const provider = await at(async (request, url) => {
      if (url.pathname.endsWith('fixed-rate')) return quote()
      asked.push({ url: request.url, body: JSON.parse(await new Response(request as never).text()) })
      return ticket
    })
    const offer = (await provider.quote(ask(), AbortSignal.timeout(2_000)))!
    const order = { wallet, recipient, deadline: 1_900_000_000 }
    return { asked, offer, provider, build: (with_: Offer = offer) => provider.build(ask(), with_, order) }
  }

  test('opens one ticket for a wallet, and sends to the desk of the settings, whatever it answers', async () => {
    const { asked, offer, build } = await tickets({
      status: 200,
      body: { ticket: { id: 't1' }, blockchainSenderInfo: { walletAddress: thief } },
    })
    const first = await build()
    expect(first.transaction).toEqual(
      transfer({ chainId, token: usdc.address, to: desk, amount: 100_000_000n }),
    )
    expect(first.needs).toBeUndefined()
    await build({ ...offer, raw: first.raw })
    expect(asked).toEqual([
      {
        url: '/v2/account/tickets?subAccountId=sub-1',
        body: {
          quoteToken: 'a.token',
          ticketBlockchainInput: { walletAddress: wallet },
          ticketBlockchainOutput: { walletChain: 'BASE', walletAddress: wallet },
        },
      },
    ])
  })

  test.each<[string, Answer, string]>([
    ['no longer knows the quote', { status: 400, body: {} }, 'QUOTE_EXPIRED'],
    ['refuses the key', { status: 403, body: {} }, 'PROVIDER_API_ERROR'],
    ['is in conflict', { status: 409, body: {} }, 'PROVIDER_API_ERROR'],
    ['names no ticket', { status: 200, body: { id: '' } }, 'PROVIDER_API_ERROR'],
  ])('that %s gives no transaction', async (_, answer, code) => {
    await expect((await tickets(answer)).build()).rejects.toMatchObject({ code })
  })

  test('opens no ticket for somebody else than who sends', async () => {
    const { asked, build } = await tickets({ status: 200, body: { id: 't1' } }, friend)
    await expect(build()).rejects.toMatchObject({ code: 'QUOTE_VALIDATION_ERROR' })
    expect(asked).toEqual([])
  })
})

test('a file of an account that is none is refused without a word of what is in it', () => {
  const secret = 'very-secret'
  for (const wrong of [
    secret,
    JSON.stringify({ ...account, apiKey: `${secret}\n` }),
    JSON.stringify({ ...account, privateKey: `PRIVATE KEY ${secret}` }),
    JSON.stringify({ ...account, desks: { base: secret } }),
    JSON.stringify({ ...account, [secret]: 1 }),
  ]) {
    let thrown: unknown
    try {
      parseAccount(wrong, '/keys.json')
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ code: 'CONFIG_INVALID' })
    const { message, details, cause } = thrown as Error & { details?: unknown }
    expect(JSON.stringify([message, details, String(cause)])).not.toContain(secret)
  }
  expect(() => parseAccount(JSON.stringify({ ...account, url: 'http://api.example' }), '/keys.json')).toThrow(
    /not https/,
  )
})

describe('on the sandbox', () => {
  const sandbox = useSandbox()
  const { run, home, signsNothing } = useCommands(sandbox)
  const pair = '--from sandbox-one --token-in USDC --token-out BRLA'
  const fault = (line: string) => run(`sandbox fault ${line} --json`)

  test('a plan says what is not proved, and is no better than L2', async () => {
    const { json } = await run(`swap quote ${pair} --amount-in 500 --provider avenia --json`)
    expect(json).toMatchObject({ provider: 'avenia', durationSeconds: null })
    const { json: plan } = await signsNothing(() => run(`swap execute ${json.id} --dry-run --json`))
    expect(plan.assurance).toBe('L2')
    expect(
      plan.proof.filter(({ by }: { by: string }) => by === 'none').map(({ term }: { term: string }) => term),
    ).toEqual(['recipient', 'minimum', 'deadline'])
    const strict = await run(`swap execute ${json.id} --yes --min-assurance L3 --json`)
    expect(strict).toMatchObject({ exit: 8, json: { error: { code: 'POLICY_ASSURANCE' } } })
    const other = `swap execute ${pair} --amount-in 500 --provider avenia --destination ${friend} --yes --json`
    expect((await signsNothing(() => run(other))).json.error.code).toBe('QUOTE_VALIDATION_ERROR')
  })

  test('two alike are told apart, each by a payment of its own', async () => {
    const line = `swap execute ${pair} --amount-in 400 --provider avenia --yes --json`
    await fault('ramp held')
    const ids = []
    for (const timeout of ['1500ms', '1500ms'])
      ids.push((await run(`${line} --timeout ${timeout}`)).json.error.details.operation)
    const held = 'The provider says: ON-HOLD'
    expect((await run(['action', 'explain', ids[0], '--json'], { later: 1_200_000 })).json).toMatchObject({
      situation: 'RAMP_STUCK',
      next: `sluice action export ${ids[0]}`,
    })
    expect((await run(['action', 'explain', ids[0], '--json'])).json).toMatchObject({
      situation: 'RAMP_WAITING',
      evidence: expect.arrayContaining([{ source: 'service', text: expect.stringContaining(held) }]),
    })
    expect((await run(`swap status ${ids[0]} --json`)).json).toMatchObject({
      status: 'processing',
      note: held,
    })
    expect((await run(`swap status ${ids[0]}`)).out).toContain(held)
    await fault('clear')
    const over = []
    for (const id of ids) over.push((await run(`action resume ${id} --json --timeout 20s`)).json)
    expect(over.map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS'])
    expect(new Set(over.map(({ destinationTxHash }) => destinationTxHash)).size).toBe(2)
  })

  test('a ramp that is only said to be paid is not done by the payment of another one like it', async () => {
    const line = `swap execute ${pair} --amount-in 450 --provider avenia --yes --json`
    await fault('ramp lies')
    const first = (await run(`${line} --timeout 1500ms`)).json.error.details.operation
    await fault('clear')
    const { json: second } = await run(`${line} --timeout 20s`)
    expect(second).toMatchObject({ status: 'SUCCESS' })
    expect((await run(`swap status ${second.id} --json`)).json.status).toBe('fulfilled')
    expect((await run(`swap status ${first} --json`)).json.status).toBe('processing')
  })

  test('a partner that is not set up serves no route, and says so; nor does a file that others can read', async () => {
    const env = { SLUICE_RPC_BASE: sandbox.world.chains[0]!.rpcUrl, SLUICE_PROFILE: 'engine' }
    const line =
      'swap quote --from base --token-in USDC --token-out BRLA --amount-in 500 --provider avenia --json'
    expect((await run(line, { env })).json.error).toMatchObject({
      code: 'PREFERRED_PROVIDER_NOT_ELIGIBLE',
      message: expect.stringContaining('SLUICE_AVENIA_FILE'),
    })
    const path = join(home(), 'avenia.json')
    const named = { ...env, SLUICE_AVENIA_FILE: path }
    writeFileSync(path, JSON.stringify({ ...account, desks: { mars: desk } }), { mode: 0o600 })
    expect((await run(line, { env: named })).json.error).toMatchObject({ code: 'CONFIG_INVALID' })
    chmodSync(path, 0o644)
    expect((await run(line, { env: named })).json.error).toMatchObject({ code: 'KEY_SOURCE' })
  })

  test('the desk of the sandbox has the clock that stale-quote set ahead', async () => {
    await fault('stale-quote')
    await fault('clear')
    expect(await run(`swap quote ${pair} --amount-in 450 --provider avenia --json`)).toMatchObject({
      exit: 0,
    })
  })
})
