import { describe, expect, it } from 'vitest'
import { fromEnvelope, toEnvelope } from '../../src/api/error-envelope.ts'
import { filesOf } from '../../src/app/profiles/catalog-of-configured-networks.ts'
import { AppError } from '../../src/domain/errors.ts'
import { type Network, networkNamed, publicNetworks as networks } from '../../src/domain/networks.ts'
import { isRetryable } from '../../src/http/backoff.ts'
import { publicBitcoin } from '../../src/protocols/bitcoin-services.ts'
import { joined } from '../../src/protocols/catalog-operations.ts'
import { depositDefinitions } from '../../src/swaps/deposit-provider-registry.ts'
import { bestOffer } from '../../src/swaps/offers/best-offer.ts'
import { oneInchContracts } from '../../src/swaps/oneinch/constants-schema.ts'
import type { OfferRequest } from '../../src/swaps/provider.ts'
import type { ApiAnswer, SwapDependencies } from '../../src/swaps/provider-dependencies.ts'
import { withContracts } from '../../src/swaps/swap-contracts.ts'
import { swapDefinitions } from '../../src/swaps/swap-provider-registry.ts'

/*
 * Refusals as recorded or documented: docs.kyberswap.com and KyberNetwork/kyberswap-skills (error-handling); docs.relay.link (Handling Quote
 * Errors); @cowprotocol/sdk-order-book 4.1.0; docs.li.fi (error codes, rate limits); across-protocol/frontend api/_errors.ts; help.1inch.io;
 * thornode querier_quotes.go; docs.near-intents.org; developers.circle.com.
 */

type Said = { status: number; body?: unknown; text?: string; headers?: Record<string, string> }
type Expected = { code: string; retryable: boolean; words: RegExp; hint: RegExp; details?: object }

const noRoute = (words: RegExp): Expected => ({
  code: 'NO_ROUTE_FOUND',
  retryable: false,
  words,
  hint: /another amount, pair or provider/,
})
const amount = (words: RegExp): Expected => ({
  code: 'QUOTE_GENERATION_FAILED',
  retryable: false,
  words,
  hint: /^Try a (larger|smaller) amount\.$/,
})
const wallet = (words: RegExp): Expected => ({
  code: 'QUOTE_GENERATION_FAILED',
  retryable: false,
  words,
  hint: /sluice wallet show/,
})
const key = (words: RegExp): Expected => ({
  code: 'PROVIDER_API_ERROR',
  retryable: false,
  words,
  hint: /API key.*sluice config list/,
})
const request = (words: RegExp): Expected => ({
  code: 'PROVIDER_API_ERROR',
  retryable: false,
  words,
  hint: /refused again/,
})
const fault = (words: RegExp): Expected => ({
  code: 'PROVIDER_API_ERROR',
  retryable: true,
  words,
  hint: /Wait 30 seconds/,
})
const limit = (words: RegExp, seconds: number | null): Expected => ({
  code: 'PROVIDER_API_ERROR',
  retryable: true,
  words,
  hint: /^Wait /,
  details: { retryAfterSeconds: seconds },
})

const kyber = (code: number, message: string, status = 400): Said => ({ status, body: { code, message } })
const relay = (errorCode: string, status = 400): Said => ({
  status,
  body: { message: `said ${errorCode}`, errorCode },
})
const cow = (errorType: string, status = 400): Said => ({
  status,
  body: { errorType, description: `said ${errorType}` },
})
const lifi = (code: number, status: number, message: string): Said => ({ status, body: { code, message } })
const across = (code: string, status = 400): Said => ({
  status,
  body: { type: 'AcrossApiError', code, status, message: `said ${code}` },
})
const oneInch = (status: number, description: string): Said => ({
  status,
  body: { error: 'Bad Request', description, statusCode: status },
})

const refused: [provider: string, said: Said, expected: Expected][] = [
  [
    'kyberswap',
    kyber(4000, 'bad request'),
    request(/did not return a route: it refuses the request: "bad request" \(4000\)/),
  ],
  ['kyberswap', kyber(4003, 'invalid swap'), request(/"invalid swap" \(4003\)/)],
  ['kyberswap', kyber(4008, 'route not found'), noRoute(/^KyberSwap has no route \(4008\)$/)],
  ['kyberswap', kyber(4009, 'amountIn is greater than max allowed'), noRoute(/so large an amount/)],
  ['kyberswap', kyber(4010, 'route not found'), noRoute(/no pools/)],
  ['kyberswap', kyber(4011, 'token not found'), noRoute(/does not know one of the tokens/)],
  ['kyberswap', kyber(4221, 'weth not found', 422), request(/"weth not found" \(4221\)/)],
  [
    'kyberswap',
    kyber(4227, 'estimate gas failed: insufficient funds for gas * price + value: have 1 want 2', 422),
    wallet(/balance or its allowance/),
  ],
  [
    'kyberswap',
    kyber(4227, 'estimate gas failed: execution reverted: TransferHelper: TRANSFER_FROM_FAILED', 422),
    wallet(/balance or its allowance/),
  ],
  ['kyberswap', kyber(40011, 'filtered sources', 400), request(/"filtered sources" \(40011\)/)],
  ['kyberswap', kyber(500, 'internal server error', 500), fault(/fault of its own/)],
  ['kyberswap', { status: 429, body: {}, headers: { 'retry-after': '7' } }, limit(/next one in 7 s/, 7)],
  ['relay', relay('SANCTIONED_WALLET_ADDRESS'), wallet(/sanctions list \(SANCTIONED_WALLET_ADDRESS\)/)],
  ['relay', relay('INSUFFICIENT_FUNDS'), wallet(/balance of the wallet is too low/)],
  ['relay', relay('INVALID_RECIPIENT'), wallet(/recipient/)],
  ['relay', relay('UNAUTHORIZED_QUOTE', 401), key(/needs an API key/)],
  ['relay', relay('UNSUPPORTED_ROUTE'), noRoute(/does not serve this route/)],
  ['relay', relay('UNSUPPORTED_CURRENCY'), noRoute(/one of the tokens/)],
  ['relay', relay('UNSUPPORTED_CHAIN'), noRoute(/one of the networks/)],
  ['relay', relay('NO_SWAP_ROUTES_FOUND'), noRoute(/has no route/)],
  ['relay', relay('INSUFFICIENT_LIQUIDITY'), noRoute(/liquidity/)],
  ['relay', relay('AMOUNT_TOO_LOW'), amount(/too low/)],
  ['relay', relay('UNKNOWN_ERROR', 500), fault(/fault of its own/)],
  ['relay', relay('A_NEW_CODE'), request(/refuses the request: "said A_NEW_CODE" \(A_NEW_CODE\)/)],
  ['kyberswap', { status: 403, body: {} }, request(/refuses access \(the HTTP status 403\)/)],
  ['cow', { status: 403, body: {} }, request(/refuses access \(the HTTP status 403\)/)],
  ['relay', { status: 403, body: {} }, key(/API key/)],
  ['relay', { status: 501, body: {} }, request(/does not offer this request/)],
  [
    'across',
    { status: 400, body: { error: 'Unsupported token on given origin chain' } },
    request(/"Unsupported token on given origin chain"/),
  ],
  [
    'across',
    { status: 400, body: { errors: [{ code: 1 }, 'too much', 'of it'] } },
    request(/"too much; of it"/),
  ],
  ...['across', 'cow', 'kyberswap', 'lifi', 'relay', '1inch', 'cctp'].map(
    (provider): [string, Said, Expected] => [
      provider,
      { status: 422, text: '\n  Bad\trequest:\r\n the amount\u001b[31m  is odd\n' },
      request(/: "Bad request: the amount\[31m is odd" \(the HTTP status 422\)/),
    ],
  ),
  ['across', { status: 500, text: 'upstream connect error' }, fault(/: "upstream connect error"/)],
  [
    'across',
    { status: 404, text: '<html><body>nginx</body></html>', headers: { 'content-type': 'text/html' } },
    request(/refuses the request \(the HTTP status 404\)$/),
  ],
  ['across', { status: 400, text: ' \n' }, request(/refuses the request \(the HTTP status 400\)$/)],
  ['relay', { status: 400, body: 'a JSON text' }, request(/: "a JSON text" \(the HTTP status 400\)/)],
  ['across', across('request.unsupported_param'), request(/does not know a field of the request/)],
  ['lifi', { status: 400, body: { error: { reason: 'one level deeper' } } }, request(/"one level deeper"/)],
  ['cow', cow('InsufficientLiquidity'), noRoute(/liquidity/)],
  ['cow', cow('TokenTemporarilySuspended'), noRoute(/does not trade one of the tokens/)],
  ['cow', cow('TradingOutsideAllowedWindow'), noRoute(/certain hours/)],
  ['cow', cow('QuoteNotVerified'), wallet(/cannot verify/)],
  ['cow', cow('Forbidden', 403), wallet(/refuses the wallet/)],
  ['cow', cow('InsufficientBalance'), wallet(/balance/)],
  ['cow', cow('InsufficientAllowance'), wallet(/allowance/)],
  ['cow', cow('NoLiquidity', 404), noRoute(/has no liquidity/)],
  ['cow', cow('UnsupportedToken'), noRoute(/does not trade/)],
  ['cow', cow('SellAmountDoesNotCoverFee'), amount(/cost of a fill/)],
  ['lifi', lifi(1002, 404, 'No available quotes for the requested transfer'), noRoute(/has no quote/)],
  ['lifi', lifi(1003, 404, 'Token not found'), noRoute(/does not know one of the tokens/)],
  [
    'lifi',
    lifi(1011, 400, '/fromAmount must be a string'),
    request(/"\/fromAmount must be a string" \(1011\)/),
  ],
  ['lifi', lifi(1010, 401, 'Unauthorized'), key(/API key/)],
  ['lifi', lifi(1008, 424, 'tool failed'), fault(/no answer from an exchange/)],
  [
    'lifi',
    { ...lifi(1005, 429, 'Rate limit exceeded'), headers: { 'ratelimit-reset': '7200' } },
    limit(/limits requests; it accepts the next one in 2 h/, 7_200),
  ],
  ['across', across('ROUTE_NOT_ENABLED'), noRoute(/has no route.*\(ROUTE_NOT_ENABLED\)/)],
  ['across', across('INVALID_PARAM'), request(/"said INVALID_PARAM" \(INVALID_PARAM\)/)],
  ['across', across('AMOUNT_TOO_LOW'), amount(/too low/)],
  ['across', across('AMOUNT_TOO_HIGH'), amount(/above the current limit/)],
  ['across', { status: 401, body: { message: 'Unauthorized' } }, key(/API key/)],
  ['across', across('UPSTREAM_RPC_ERROR', 502), fault(/no answer from its node/)],
  ['1inch', oneInch(400, 'insufficient liquidity'), noRoute(/liquidity/)],
  ['1inch', oneInch(400, 'unknown token'), noRoute(/does not know one of the tokens/)],
  ['1inch', oneInch(401, 'Unauthorized'), key(/rejects the API key in \/keys\/1inch/)],
  [
    '1inch',
    oneInch(400, 'a new sentence with secret-key-1inch'),
    request(/"a new sentence with \[secret\]"/),
  ],
  ['cctp', { status: 429, body: {} }, limit(/attestation service limits requests/, null)],
  ['cctp', { status: 404, body: { error: 'not found' } }, noRoute(/does not serve this route/)],
]

const catalog = joined(await filesOf(networks))
const unused = async (): Promise<never> => {
  throw new Error('no chain is read')
}
const at = (said: Said): SwapDependencies => {
  const answer: ApiAnswer = {
    headers: {},
    body: undefined,
    text: said.text ?? JSON.stringify(said.body ?? ''),
    ...said,
  }
  return {
    read: unused,
    head: async () => 1n,
    log: unused,
    logs: unused,
    mined: unused,
    callOf: unused,
    getJson: async () => answer,
    exchangeJson: async () => answer,
    hasKey: () => false,
    passedOver: () => undefined,
    secretAt: async () => 'secret-key-1inch',
    now: () => 0,
  }
}
const network = (name: string): Network => networkNamed(networks, name)
const tokenOn = (name: string, symbol: string) =>
  catalog.tokens.find((one) => one.chainId === network(name).chainId && one.symbol === symbol)!
const across2 = ['across', 'relay', 'cctp']

/** A request that the provider serves. */
const askOf = (provider: string): OfferRequest => ({
  from: network('base'),
  to: network(across2.includes(provider) ? 'arbitrum' : 'base'),
  tokenIn: tokenOn('base', 'USDC'),
  tokenOut: across2.includes(provider) ? tokenOn('arbitrum', 'USDC') : tokenOn('base', 'WETH'),
  exact: 'in',
  amount: 1_000_000n,
  slippage: 0.005,
  speed: null,
  refund: null,
  isSpent: false,
})

const configured = withContracts(catalog, oneInchContracts, (rows) =>
  rows.map((one) => ({ ...one, keyFile: '/keys/1inch' })),
)
const open = (provider: string, said: Said) =>
  swapDefinitions.find(({ name }) => name === provider)!.open(configured, at(said))!

const refusalBy = async (provider: string, said: Said): Promise<AppError> => {
  const thrown = await open(provider, said)
    .quote(askOf(provider), AbortSignal.timeout(5_000))
    .then((offer) => new Error(`no refusal: ${String(offer)}`))
    .catch((error: unknown) => error)
  return thrown as AppError
}

describe("a service's refusal", () => {
  it.each(refused)('of %s, %o, is %o', async (provider, said, { code, retryable, words, hint, details }) => {
    const error = await refusalBy(provider, said)
    expect(error).toMatchObject({ code, message: expect.stringMatching(words) })
    expect(isRetryable(error)).toBe(retryable)
    expect(error.hint).toMatch(hint)
    expect(error.details).toMatchObject({ provider, status: said.status, ...details })
    // Behind HTTP it is the same.
    const { status, body } = toEnvelope(error)
    const remote = fromEnvelope(status, JSON.parse(JSON.stringify(body)))
    expect([remote.code, remote.hint, isRetryable(remote)]).toEqual([code, error.hint, retryable])
    expect(JSON.stringify(body)).not.toContain('secret-key')
  })

  it.each(refused)(
    'of %s as the named provider, %o, keeps its words and is not temporary if it is final',
    async (provider, said, { retryable, words }) => {
      const error = (await bestOffer(
        [open(provider, said)],
        askOf(provider),
        provider,
        5_000,
        new Promise(() => undefined),
        {
          networks,
          tokens: [],
        },
      ).catch((thrown: unknown) => thrown)) as AppError
      expect(error.message).toMatch(new RegExp(words.source.replace(/^\^/, '')))
      expect(isRetryable(error)).toBe(retryable)
    },
  )

  const asking = swapDefinitions.flatMap(({ name, open: openProvider }) =>
    openProvider(configured, at({ status: 200 }))?.asksService &&
    open(name, { status: 200 }).supports(askOf(name))
      ? [name]
      : [],
  )
  it.each(asking)('is no temporary fault of %s if it answers 200 with another shape', async (provider) => {
    const error = (await bestOffer(
      [open(provider, { status: 200, body: { shape: 'another' } })],
      askOf(provider),
      undefined,
      5_000,
      new Promise(() => undefined),
      { networks, tokens: [] },
    ).catch((thrown: unknown) => thrown)) as AppError
    expect(error).toMatchObject({ code: 'PROVIDER_API_ERROR', details: { refusal: 'unusable' } })
    expect(isRetryable(error)).toBe(false)
    expect(error.hint).toBe('Choose another provider: sluice swap quote --help')
  })

  it('shows an unknown code and sentence without control characters, and shortened', async () => {
    const body = { errorCode: `X\u001b[31m${'Y'.repeat(500)}`, message: `\u202e${'z'.repeat(5_000)}\u0007` }
    const { message, details } = await refusalBy('relay', { status: 400, body })
    expect(message).not.toMatch(/[\u0000-\u001f\u202e]/)
    expect(message.length).toBeLessThan(500)
    expect(JSON.stringify(details).length).toBeLessThan(600)
  })

  it('of some providers is told for each when none has a quote', async () => {
    const providers = [
      open('kyberswap', kyber(4008, 'route not found')),
      open('lifi', lifi(1011, 400, 'bad field')),
      open('1inch', oneInch(503, 'maintenance')),
    ]
    const error = (await bestOffer(providers, askOf('lifi'), undefined, 5_000, new Promise(() => undefined), {
      networks,
      tokens: [],
    }).catch((thrown: unknown) => thrown)) as AppError
    expect(error).toMatchObject({ code: 'QUOTE_GENERATION_FAILED' })
    for (const words of [
      'KyberSwap has no route',
      'it refuses the request: "bad field"',
      '1inch is not in service',
    ])
      expect(error.message).toContain(words)
  })

  it('has a table at every provider that asks a service', () => {
    for (const { name, open: openProvider, refusals } of swapDefinitions) {
      const asks = openProvider(configured, at({ status: 200 }))?.asksService
      if (asks) expect(refusals, name).toBeTypeOf('object')
    }
  })
})

describe("a Bitcoin provider's refusal", () => {
  const ask = {
    to: network('ethereum'),
    tokenOut: tokenOn('ethereum', 'USDC'),
    amount: 100_000n,
    slippage: 0.01,
    recipient: '0x00000000000000000000000000000000000000aa' as const,
    refund: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    at: 0,
  }
  const tokens = [
    {
      assetId: 'nep141:usdc',
      decimals: 6,
      blockchain: 'eth',
      symbol: 'USDC',
      contractAddress: ask.tokenOut.address,
    },
  ]
  const cases: [string, Said, Expected][] = [
    [
      'thorchain',
      { status: 400, body: { code: 3, message: 'failed to simulate swap: pool BTC.BTC is not available' } },
      noRoute(/no pool/),
    ],
    [
      'thorchain',
      {
        status: 400,
        body: { code: 3, message: 'amount less than min swap amount (recommended_min_amount_in: 10760)' },
      },
      amount(/too low/),
    ],
    [
      'thorchain',
      { status: 400, body: { code: 3, message: "trading is halted, can't process swap" } },
      { code: 'PROVIDER_API_ERROR', retryable: true, words: /does not trade now/, hint: /later/ },
    ],
    [
      'thorchain',
      { status: 400, body: { code: 3, message: 'bad destination address' } },
      wallet(/address of the recipient/),
    ],
    [
      'near-intents',
      { status: 400, body: { message: 'Amount is too low for bridge, try at least 6000' } },
      amount(/refuses the amount/),
    ],
    ['near-intents', { status: 400, body: { message: 'recipient is not valid' } }, wallet(/recipient/)],
    [
      'near-intents',
      { status: 400, body: { message: 'tokenOut is not valid' } },
      noRoute(/one of the tokens/),
    ],
    ['near-intents', { status: 400, body: { message: 'Failed to get quote' } }, noRoute(/has no quote/)],
    [
      'thorchain',
      { status: 400, body: { error: "trading is halted, can't process swap" } },
      { code: 'PROVIDER_API_ERROR', retryable: true, words: /does not trade now/, hint: /later/ },
    ],
    [
      'near-intents',
      { status: 400, body: { message: ['recipient is not valid', 'try again'] } },
      wallet(/recipient/),
    ],
    ['near-intents', { status: 401, body: { message: 'Unauthorized' } }, key(/API key/)],
    ['near-intents', { status: 400, body: { message: 'a new sentence' } }, request(/"a new sentence"/)],
  ]
  it.each(cases)('of %s, %o, is %o', async (name, said, { code, retryable, words, hint }) => {
    const answer: ApiAnswer = { headers: {}, text: '', body: undefined, ...said }
    const provider = depositDefinitions
      .find((one) => one.name === name)!
      .open(publicBitcoin, {
        now: () => 0,
        exchangeJson: async ({ url }) =>
          url.endsWith('/v0/tokens') ? { status: 200, headers: {}, text: '', body: tokens } : answer,
      })!
    const error = (await provider
      .quote(ask, AbortSignal.timeout(5_000))
      .catch((thrown: unknown) => thrown)) as AppError
    expect(error).toBeInstanceOf(AppError)
    expect(error).toMatchObject({
      code,
      message: expect.stringMatching(words),
      hint: expect.stringMatching(hint),
    })
    expect(isRetryable(error)).toBe(retryable)
  })
})
