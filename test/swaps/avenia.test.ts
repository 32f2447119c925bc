import { generateKeyPairSync, verify } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseUnits } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { approve, transfer } from '../../src/chain/erc20.ts'
import type { Address, Hex } from '../../src/domain/address.ts'
import { sandboxNetworks } from '../../src/domain/networks.ts'
import type { SwapIntent } from '../../src/protocols/intent.ts'
import type { LoopbackAnswer } from '../../src/sandbox/loopback-server.ts'
import { parseAccount } from '../../src/swaps/avenia/api-credentials.ts'
import { aveniaContracts } from '../../src/swaps/avenia/constants-schema.ts'
import { avenia } from '../../src/swaps/avenia/provider.ts'
import type { Offer, OfferRequest } from '../../src/swaps/provider.ts'
import { contractsIn } from '../../src/swaps/swap-contracts.ts'
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

describe('guard on an Avenia transfer', () => {
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
  test('passes a transfer of the exact amount to the desk, and states the payout as a promise', () => {
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
    ['to another address', {}, transfer({ ...call, to: thief }), 'POLICY_RECIPIENT'],
    ['of one unit more', {}, transfer({ ...call, amount: 100_000_001n }), 'POLICY_AMOUNT'],
    ['of one unit less', {}, transfer({ ...call, amount: 99_999_999n }), 'POLICY_AMOUNT'],
    ['for another recipient', { recipient: friend }, transfer(call), 'POLICY_RECIPIENT'],
    ['replaced by an approval', {}, approve({ ...call, spender: desk }), 'POLICY_DECODE'],
    ['with trailing bytes', {}, { data: `${transfer(call).data}00` }, 'POLICY_DECODE'],
    ['for an unsupported output token', { tokenOut: usdt }, transfer(call), 'unknown'],
  ])('refuses a transfer %s', (_, changed, transaction, refusal) => {
    expect(code(changed, { ...transfer(call), ...transaction })).toBe(refusal)
  })

  test('does not pass a transfer for a swap of another provider', () => {
    expect(code({ provider: 'uniswap-v3' })).not.toBe('passed')
  })
})

describe('Avenia API', () => {
  const serve = useProviderService()
  const at = async (answer: Answering, text = JSON.stringify(account)) =>
    avenia(
      [
        {
          ...contractsIn(catalog, aveniaContracts)![0]!,
          service: { api: await serve(answer), account: '/keys.json' },
        },
      ],
      {
        exchangeJson: exchangeSoon,
        secretAt: async () => text,
        now: () => 1_790_000_000_000,
        mined: async () => undefined,
        log: async () => undefined,
      },
    )
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
  const quote = (changed: object = {}): LoopbackAnswer => ({
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

  test('receives a signed request, and its fixed rate becomes the offer', async () => {
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

  test('rounds the input up to the next unit for an exact output', async () => {
    const offer = await quoted(
      () => quote({ inputAmount: '100.0000001' }),
      ask('out', parseUnits('549.5', 18)),
    )
    expect(offer).toMatchObject({ amountIn: 100_000_001n, amountOut: parseUnits('549.5', 18) })
  })

  test('rejects a quote whose output is outside the off-ramp limits', async () => {
    for (const [changed, code] of [
      [{ outputAmount: '26000' }, 'AMOUNT_OUT_TOO_HIGH_OFFRAMP'],
      [{ outputAmount: '5.000' }, 'AMOUNT_OUT_TOO_LOW_OFFRAMP'],
    ] as const)
      await expect(quoted(() => quote(changed))).rejects.toMatchObject({ code })
  })

  const noQuote = /did not return a quote/
  test.each<[string, () => ReturnType<Answering>, RegExp]>([
    ['another input amount', () => quote({ inputAmount: '101' }), /another swap than requested/],
    ['another output currency', () => quote({ outputCurrency: 'BRL' }), /another swap than requested/],
    ['an amount in scientific notation', () => quote({ outputAmount: '1e18' }), noQuote],
    ['a negative amount', () => quote({ outputAmount: '-1' }), noQuote],
    ['an empty quote token', () => quote({ quoteToken: '' }), noQuote],
    ['an overlong quote token', () => quote({ quoteToken: 'x'.repeat(9_000) }), noQuote],
    ['HTTP 400 with an error', () => ({ status: 400, body: { error: 'bad' } }), noQuote],
    ['HTTP 404 with text', () => ({ status: 404, body: 'not found' }), noQuote],
    ['an array as its body', () => ({ status: 200, body: [] }), noQuote],
    [
      'HTTP 401 (key refused)',
      () => ({ status: 401, body: {} }),
      /the API key in \/keys\.json, or the signature/,
    ],
    ...serviceFailures,
  ])('reports %s as a provider error', async (_, answer, message) => {
    await expect(quoted(answer)).rejects.toMatchObject({
      code: 'PROVIDER_API_ERROR',
      message: expect.stringMatching(message),
    })
  })

  const tickets = async (ticket: LoopbackAnswer, recipient: Address = wallet) => {
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

  test('opens one ticket per wallet, and pays the configured desk, not an address in the response', async () => {
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

  test.each<[string, LoopbackAnswer, string]>([
    ['no longer knows the quote (HTTP 400)', { status: 400, body: {} }, 'QUOTE_EXPIRED'],
    ['refuses the key (HTTP 403)', { status: 403, body: {} }, 'PROVIDER_API_ERROR'],
    ['reports a conflict (HTTP 409)', { status: 409, body: {} }, 'PROVIDER_API_ERROR'],
    ['returns no ticket ID', { status: 200, body: { id: '' } }, 'PROVIDER_API_ERROR'],
  ])('builds no transaction when it %s', async (_, answer, code) => {
    await expect((await tickets(answer)).build()).rejects.toMatchObject({ code })
  })

  test('opens no ticket for a recipient other than the sender', async () => {
    const { asked, build } = await tickets({ status: 200, body: { id: 't1' } }, friend)
    await expect(build()).rejects.toMatchObject({ code: 'QUOTE_VALIDATION_ERROR' })
    expect(asked).toEqual([])
  })
})

test('parseAccount rejects a malformed file without printing its contents, and a plain http URL', () => {
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

describe('Avenia on the sandbox', () => {
  const sandbox = useSandbox()
  const { run, home, signsNothing } = useCommands(sandbox)
  const pair = '--from sandbox-one --token-in USDC --token-out BRLA'
  const fault = (line: string) => run(`sandbox fault ${line} --json`)

  test('states recipient, minimum and deadline as unproved in an L2 plan, and rejects another recipient', async () => {
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

  test('explains equal held swaps, and matches each to its own payout once released', async () => {
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
    // A chain that could not be read is no delay of the desk.
    await fault('rpc-502 --network sandbox-one --method eth_getLogs')
    expect((await run(['action', 'explain', ids[0], '--json'], { later: 1_200_000 })).json).toMatchObject({
      situation: 'RAMP_WAITING',
      verdict: expect.stringMatching(
        /^Whether the desk has paid cannot be read now\. The transfer was sent 20 minutes ago;/,
      ),
    })
    await fault('clear')
    const over = []
    for (const id of ids) over.push((await run(`action resume ${id} --json --timeout 20s`)).json)
    expect(over.map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS'])
    expect(new Set(over.map(({ destinationTxHash }) => destinationTxHash)).size).toBe(2)
  })

  test('does not count the payout of an equal swap for a swap that is only reported as paid', async () => {
    const line = `swap execute ${pair} --amount-in 450 --provider avenia --yes --json`
    await fault('ramp lies')
    const first = (await run(`${line} --timeout 3s`)).json.error.details.operation
    await fault('clear')
    const { json: second } = await run(`${line} --timeout 20s`)
    expect(second).toMatchObject({ status: 'SUCCESS' })
    expect((await run(`swap status ${second.id} --json`)).json.status).toBe('fulfilled')
    expect((await run(`swap status ${first} --json`)).json.status).toBe('processing')
  })

  test('names SLUICE_AVENIA_FILE when it is not set, and rejects an invalid or world-readable account file', async () => {
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

  test('quotes again after the fault stale-quote is cleared', async () => {
    await fault('stale-quote')
    await fault('clear')
    expect(await run(`swap quote ${pair} --amount-in 450 --provider avenia --json`)).toMatchObject({
      exit: 0,
    })
  })
})
