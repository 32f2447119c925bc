import { readFileSync } from 'node:fs'
import { encodeAbiParameters, encodeEventTopics, encodeFunctionData, padHex } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { filesOf } from '../../src/app/profiles/catalog-of-configured-networks.ts'
import type { Address, Hex } from '../../src/domain/address.ts'
import { AppError } from '../../src/domain/errors.ts'
import { networkNamed, publicNetworks } from '../../src/domain/networks.ts'
import { tokenAt } from '../../src/domain/token.ts'
import { joined, withServiceUrls } from '../../src/protocols/catalog-operations.ts'
import { depositAbi, depositV3Abi, spokePoolAbi } from '../../src/swaps/across/abi.ts'
import { across } from '../../src/swaps/across/definition.ts'
import { depositAcross } from '../../src/swaps/across/encode.ts'
import { acrossOn } from '../../src/swaps/across/pairs.ts'
import { transferWords } from '../../src/swaps/across/v1-api.ts'
import type { Offer, OfferRequest } from '../../src/swaps/provider.ts'
import type { ApiAnswer, ApiRequest, SwapDependencies } from '../../src/swaps/provider-dependencies.ts'

const sample = JSON.parse(
  readFileSync(new URL('./samples/across-v1-documented.json', import.meta.url), 'utf8'),
) as { documented: { request?: unknown; answer?: { orderId: Hex } }[] }
const documentedRequest = sample.documented.flatMap(({ request }) => request ?? [])[0]
const documentedTransfer = sample.documented.flatMap(({ answer }) => answer ?? [])[0]!

const catalog = joined(await filesOf(publicNetworks))
const on = (name: string) => networkNamed(publicNetworks, name)
const usdc = (name: string) => {
  const { chainId, tokens } = acrossOn(catalog, on(name).chainId)!
  return tokenAt(catalog.tokens, chainId, tokens.USDC!)!
}
const pool = (name: string) => acrossOn(catalog, on(name).chainId)!.spokePool
const other: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const depositor: Address = '0x1111111111111111111111111111111111111111'
const orderId: Hex = `0x${'62'.repeat(32)}`
const now = 1_800_000_000
const [amount, output] = [1_000_000n, 990_000n]

/** The request of the documentation's example: 1 USDC from Arbitrum to Base. */
const ask: OfferRequest = {
  from: on('arbitrum'),
  to: on('base'),
  tokenIn: usdc('arbitrum'),
  tokenOut: usdc('base'),
  exact: 'in',
  amount,
  slippage: 0.005,
  speed: null,
  refund: null,
  isSpent: false,
}

type Reply = { status?: number; body?: unknown; text?: string } | Error
type Replies = { v1?: (request: ApiRequest) => Reply; older?: Reply }

const olderFees: Reply = {
  body: {
    outputAmount: '980000',
    timestamp: String(now),
    fillDeadline: String(now + 7_200),
    spokePoolAddress: pool('arbitrum'),
    destinationSpokePoolAddress: pool('base'),
    isAmountTooLow: false,
    limits: { minDeposit: '1000', maxDeposit: '500000000' },
  },
}

/** A provider whose service answers version 1 and the older paths; `asked` are the URLs, `lines` what `--debug` tells. */
function open(
  { v1 = () => quoteOf(), older = olderFees }: Replies,
  more: Partial<SwapDependencies> = {},
  rows = catalog,
) {
  const asked: ApiRequest[] = []
  const lines: string[] = []
  const unused = async (): Promise<never> => {
    throw new Error('no chain is read')
  }
  const answer = (reply: Reply): ApiAnswer => {
    if (reply instanceof Error) throw reply
    const { status = 200, body, text = body === undefined ? '' : JSON.stringify(body) } = reply
    return { status, headers: {}, body, text }
  }
  const provider = across.open(rows, {
    ...{ read: unused, log: unused, logs: unused, mined: unused, callOf: unused, getJson: unused },
    secretAt: unused,
    head: async () => 7n,
    now: () => now * 1_000,
    hasKey: (service) => service === 'across',
    passedOver: (line) => void lines.push(line),
    exchangeJson: async (request) => {
      asked.push(request)
      return answer(new URL(request.url).pathname.includes('/v1/') ? v1(request) : older)
    },
    ...more,
  })!
  return { provider, asked, lines, paths: () => asked.map(({ url }) => new URL(url).pathname) }
}
const quoted = async (
  replies: Replies,
  request = ask,
  more: Partial<SwapDependencies> = {},
  rows = catalog,
) => {
  const opened = open(replies, more, rows)
  const offer = await opened.provider
    .quote(request, AbortSignal.timeout(5_000))
    .catch((error: unknown) => error as AppError)
  return { ...opened, offer: offer as Offer & AppError }
}

type Deposit = Parameters<typeof depositAcross>[0]
const deposit = (changed: Partial<Deposit> = {}) =>
  depositAcross({
    chainId: ask.from.chainId,
    spokePool: pool('arbitrum'),
    depositor,
    recipient: depositor,
    inputToken: ask.tokenIn.address,
    outputToken: ask.tokenOut.address,
    amountIn: amount,
    amountOut: output,
    destinationChainId: ask.to.chainId,
    quoteTimestamp: now,
    fillDeadline: now + 7_200,
    exclusiveRelayer: other,
    exclusivityParameter: 30,
    ...changed,
  })
/** A quote of version 1 whose last action is a transaction. */
const quoteOf = (
  { to, data, value, ...more }: { to: Hex; data: Hex; value?: bigint; id?: string } = deposit(),
  changed: Record<string, unknown> = {},
): { body: Record<string, unknown> } => ({
  body: {
    orderId,
    expiresAt: '2027-01-15T08:15:00Z',
    destination: { amount: String(output), minAmount: String(output) },
    nextActions: [
      {
        id: 'approve',
        type: 'send_transaction',
        transaction: { to: ask.tokenIn.address, data: '0x095ea7b3' },
      },
      {
        id: more.id ?? 'deposit',
        type: 'send_transaction',
        transaction: { chainId: ask.from.chainId, to, data, value: String(value ?? 0n) },
      },
    ],
    ...changed,
  },
})
/** A call as JSON has it. */
const plain = () => ({ to: deposit().to, data: deposit().data })
const last = (action: unknown) => quoteOf(deposit(), { nextActions: [action] })
/** A deposit with one argument that our encoder never writes. */
const written = (at: number, value: unknown): { to: Hex; data: Hex } => {
  const word = (one: Address) => padHex(one, { size: 32 })
  const args = [
    ...[depositor, depositor, ask.tokenIn.address, ask.tokenOut.address].map(word),
    ...[amount, output, BigInt(ask.to.chainId), padHex('0x', { size: 32 }), now, now + 7_200, 0, '0x'],
  ].with(at, value as never)
  return {
    to: pool('arbitrum'),
    data: encodeFunctionData({ abi: depositAbi, functionName: 'deposit', args: args as never }),
  }
}

describe('version 1 of Across', () => {
  test('is asked with a key at its own host, with the documented request', async () => {
    const { asked, offer, lines } = await quoted({})
    expect(asked.map(({ url, service, body }) => ({ url, service, body }))).toEqual([
      { url: 'https://api.across.to/v1/quotes', service: 'across', body: documentedRequest },
    ])
    expect(offer).toMatchObject({ amountIn: amount, amountOut: output, minAmountOut: output, seconds: null })
    expect(offer.fees).toMatchObject([{ kind: 'bridge', amount: '10000' }])
    expect(lines).toEqual([])
  })

  test('is not asked without a key, nor on test networks, which it does not serve', async () => {
    const without = await quoted({}, ask, { hasKey: () => false })
    expect(without.paths()).toEqual(['/api/suggested-fees'])
    const test = {
      ...ask,
      from: on('sepolia'),
      to: on('base-sepolia'),
      tokenIn: usdc('sepolia'),
      tokenOut: usdc('base-sepolia'),
    }
    const { paths } = await quoted({}, test, { hasKey: (name) => !name.endsWith('-testnet') })
    expect(paths()).toEqual(['/api/suggested-fees'])
  })

  test('is asked at the URL that replaces its host', async () => {
    const at = withServiceUrls(catalog, { across: 'https://proxy.example/x' })
    const { offer, asked } = await quoted(
      { v1: () => ({ status: 404 }), older: { status: 404 } },
      ask,
      {},
      at,
    )
    expect(offer).toBeInstanceOf(AppError)
    const urls = asked.map(({ url }) => url.split('?')[0])
    expect(urls).toEqual(['https://proxy.example/x/v1/quotes', 'https://proxy.example/x/suggested-fees'])
  })

  test.each([
    ['deposit', deposit()],
    [
      'depositV3',
      {
        to: pool('arbitrum'),
        data: encodeFunctionData({
          abi: depositV3Abi,
          functionName: 'depositV3',
          args: [
            ...[depositor, depositor, ask.tokenIn.address, ask.tokenOut.address, amount, output],
            ...[BigInt(ask.to.chainId), other, now, now + 7_200, 30, '0x'],
          ] as never,
        }),
      },
    ],
  ] as const)('its call of %s gives the terms; the program encodes its own deposit', async (_, call) => {
    const { offer, provider } = await quoted({ v1: () => quoteOf(call) })
    const deadline = now + 300
    const { transaction, needs } = await provider.build(ask, offer, {
      wallet: other,
      recipient: pool('base'),
      deadline,
    })
    expect(transaction).toEqual(
      deposit({ depositor: other, recipient: pool('base'), fillDeadline: deadline + 1_800 }),
    )
    expect(needs).toEqual({ token: ask.tokenIn.address, spender: pool('arbitrum'), amount })
  })

  test('is asked again for the wallet, and a quote that got worse or is passed over changes nothing', async () => {
    const order = { wallet: other, recipient: other, deadline: now + 300 }
    const later = { depositor: other, quoteTimestamp: now + 60, exclusivityParameter: 0 }
    const built = async (call: ReturnType<typeof deposit>) => {
      const { offer } = await quoted({})
      const { provider, asked } = open({ v1: () => quoteOf(call, { destination: { minAmount: '1' } }) })
      const { transaction, raw } = await provider.build(ask, offer, order)
      expect(asked).toMatchObject([{ body: { origin: { depositor: other } } }])
      return { transaction, orderId: (raw as { orderId?: Hex } | undefined)?.orderId }
    }
    const ours = { depositor: other, recipient: other, fillDeadline: order.deadline + 1_800 }
    const better = await built(deposit({ ...later, amountOut: output + 5n }))
    const taken = { ...ours, quoteTimestamp: now + 60, exclusiveRelayer: undefined, exclusivityParameter: 0 }
    expect(better).toEqual({ transaction: deposit(taken), orderId })
    const kept = { transaction: deposit(ours), orderId: undefined }
    expect(await built(deposit({ ...later, amountOut: output - 1n }))).toEqual(kept)
    expect(await built(deposit({ ...later, depositor: pool('base') }))).toEqual(kept)
  })

  test.each<[string, () => Reply, RegExp]>([
    ['another form', () => ({ body: { route: [] } }), /another form/],
    ['no actions', () => quoteOf(deposit(), { nextActions: [] }), /another form/],
    ['a hostile minimum', () => quoteOf(deposit(), { destination: { minAmount: '-1' } }), /another form/],
    ['no number', () => quoteOf(deposit(), { orderId: '../../x' }), /another form/],
    ['a submission', () => last({ id: 'submit', type: 'submit_execution' }), /submit_execution/],
    ['a signature', () => last({ id: 'funding', type: 'sign_typed_data', typedData: {} }), /one transaction/],
    [
      'two calls',
      () => last({ id: 'x', type: 'send_transaction', one: plain(), two: plain() }),
      /one transaction/,
    ],
    [
      'the transaction prefunded-store at another contract',
      () => quoteOf({ ...deposit(), to: other, id: 'prefunded-store' }),
      /not the pool of the catalogue/,
    ],
    ['another function', () => quoteOf({ to: pool('arbitrum'), data: '0x12345678' }), /another function/],
    ['trailing bytes', () => quoteOf({ ...deposit(), data: `${deposit().data}00` }), /another function/],
    ['native coin', () => quoteOf({ ...deposit(), value: 5n }), /value is 5, not 0/],
    ['another chain', () => last({ id: 'x', ...deposit(), value: '0', chainId: 1 }), /chainId is 1/],
    ['another depositor', () => quoteOf(deposit({ depositor: other })), /depositor is 0x3C44/i],
    ['another input', () => quoteOf(deposit({ amountIn: amount + 1n })), /inputAmount is 1000001/],
    ['another token in', () => quoteOf(deposit({ inputToken: other })), /inputToken is/],
    ['another token out', () => quoteOf(deposit({ outputToken: other })), /outputToken is/],
    ['another destination', () => quoteOf(deposit({ destinationChainId: 1 })), /destinationChainId is 1/],
    ['a word that is no address', () => quoteOf(written(3, `0x${'11'.repeat(32)}`)), /outputToken is/],
    ['a message', () => quoteOf(written(11, '0x1234')), /message is 0x1234/],
    [
      'less than its own minimum',
      () => quoteOf(deposit(), { destination: { minAmount: String(output + 1n) } }),
      /below its own minimum/,
    ],
    ['more than the input', () => quoteOf(deposit({ amountOut: amount + 1n })), /above its input/],
    ['a long exclusivity', () => quoteOf(deposit({ exclusivityParameter: 601 })), /lets only/],
    [
      'an unknown field',
      () => ({ status: 400, body: { code: 'request.unsupported_param', message: 'no' } }),
      /does not know a field/,
    ],
    [
      'a code of its own',
      () => ({ status: 422, body: { code: 'quote.new', message: 'no' } }),
      /"no" \(quote\.new\)/,
    ],
    ['an unknown path', () => ({ status: 404, body: { message: 'Not Found' } }), /404/],
    ['a fault', () => ({ status: 500, body: {} }), /fault of its own/],
    ['maintenance', () => ({ status: 503, body: {} }), /not in service/],
    [
      'no connection',
      () => new AppError('SERVICE_UNREACHABLE', 'no connection'),
      /no connection|invalid response/,
    ],
  ])('with %s in its answer is passed over, and the older path gives the quote', async (_, v1, why) => {
    const { paths, offer, lines } = await quoted({ v1 })
    expect(paths()).toEqual(['/v1/quotes', '/api/suggested-fees'])
    expect(offer).toEqual((await quoted({}, ask, { hasKey: () => false })).offer)
    expect(lines).toEqual([expect.stringMatching(why)])
    expect(lines[0]).toMatch(/^api\.across\.to \/v1\/quotes .*; \/suggested-fees is asked$/)
  })

  test.each<[string, Reply, string, RegExp]>([
    ['no valid key', { status: 401, body: { message: 'no' } }, 'PROVIDER_API_ERROR', /API key/],
    ['a forbidden key', { status: 403, body: {} }, 'PROVIDER_API_ERROR', /API key/],
    ['too many requests', { status: 429, body: {} }, 'PROVIDER_API_ERROR', /limits requests/],
    [
      'a known refusal',
      { status: 400, body: { code: 'AMOUNT_TOO_LOW' } },
      'QUOTE_GENERATION_FAILED',
      /too low/,
    ],
  ])('with %s ends the quote', async (_, reply, code, words) => {
    const { paths, offer } = await quoted({ v1: () => reply })
    expect(paths()).toEqual(['/v1/quotes'])
    expect(offer).toMatchObject({ code, message: expect.stringMatching(words) })
  })

  test('quotes an exact output by the fee of the input, and the older path does if it is passed over', async () => {
    const out = { ...ask, exact: 'out' as const }
    const deposits = (request: ApiRequest) => {
      const { origin } = request.body as { origin: { amount: string } }
      const amountIn = BigInt(origin.amount)
      const call = deposit({ amountIn, amountOut: amountIn - 10_000n })
      return quoteOf(call, { destination: { minAmount: '1' } })
    }
    const { offer, paths } = await quoted({ v1: deposits }, out)
    expect(paths()).toEqual(['/v1/quotes', '/v1/quotes'])
    expect(offer).toMatchObject({ amountIn: amount + 10_000n, amountOut: amount })
    const passed = await quoted({ v1: () => ({ body: {} }) }, out)
    expect(passed.paths()).toEqual(['/v1/quotes', '/api/suggested-fees', '/api/suggested-fees'])
  })
})

describe('the state of a transfer in version 1', () => {
  const { orderId: documentedId } = documentedTransfer
  test('is read in the documented form, for its own number', () => {
    expect(transferWords(documentedTransfer, documentedId)).toBe(
      'completed (filled_destination_action_successful)',
    )
    expect(transferWords(documentedTransfer, orderId)).toBeUndefined()
    for (const strange of [
      null,
      [],
      {},
      { orderId, status: 'completed' },
      { orderId, status: { state: 'a b' } },
    ])
      expect(transferWords(strange, orderId)).toBeUndefined()
  })

  test('is only said while no chain shows the fill', async () => {
    const wallet: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
    const { offer } = await quoted(
      { v1: () => quoteOf(deposit({ depositor: wallet })) },
      { ...ask, refund: wallet },
    )
    const [account, input, paid] = [wallet, ask.tokenIn.address, ask.tokenOut.address].map((one) =>
      padHex(one, { size: 32 }),
    ) as [Hex, Hex, Hex]
    const event = spokePoolAbi.find((one) => one.type === 'event' && one.name === 'FundsDeposited')!
    const log = {
      address: pool('arbitrum'),
      topics: encodeEventTopics({
        abi: spokePoolAbi,
        eventName: 'FundsDeposited',
        args: { destinationChainId: BigInt(ask.to.chainId), depositId: 5n, depositor: account },
      }) as Hex[],
      data: encodeAbiParameters(
        event.inputs.filter((one) => !('indexed' in one && one.indexed)),
        [input, paid, amount, output, now, now + 2_100, now + 30, account, padHex(other, { size: 32 }), '0x'],
      ),
    }
    const { provider, paths } = open(
      { v1: () => ({ body: { orderId, status: { state: 'completed', reason: 'filled' } } }) },
      {
        mined: async () => ({ ok: true, blockNumber: 8, logs: [log] }),
        // The pool of the destination has no fill.
        read: async (_, { parse }) => parse([0n, BigInt(now)]),
      },
    )
    const progress = await provider.status(ask, offer, `0x${'01'.repeat(32)}`, { recipient: wallet })
    expect(progress).toEqual({ status: 'processing', said: 'completed (filled)' })
    expect(paths()).toEqual([`/v1/transfers/${orderId}`])
  })
})
