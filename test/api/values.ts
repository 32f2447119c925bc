import fc from 'fast-check'
import { getAddress } from 'viem/utils'
import { z } from 'zod'
import { Quote } from '../../src/api/quote.ts'
import type { Service } from '../../src/api/service-type.ts'
import type { Hex } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { apyBases } from '../../src/domain/apy-basis.ts'
import { eventTypes } from '../../src/domain/events/event-table.ts'

const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((data): Hex => `0x${Buffer.from(data).toString('hex')}`)
const data = fc.uint8Array({ maxLength: 80 }).map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`)
const address = hex(20).map((text) => getAddress(text))
const units = fc.oneof(fc.bigInt({ min: 0n, max: maxUint256 }), fc.constantFrom(0n, 1n, maxUint256))
const signed = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })
const word = fc.string({ minLength: 1, maxLength: 12 })
const orNull = <value>(inner: fc.Arbitrary<value>) => fc.option(inner, { nil: null })
const optional = <value>(inner: fc.Arbitrary<value>) => fc.option(inner, { nil: undefined })
const chainId = fc.integer({ min: 1, max: 2 ** 40 })
const decimals = fc.integer({ min: 0, max: 36 })
const count = fc.nat(1_000_000)
const rate = fc.double({ min: -0.99, max: 40, noNaN: true }).map((value) => value || 0)
const decimal = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.nat(99_999_999))
  .map(([whole, rest]) => `${whole}.${rest}`)
const time = fc
  .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
  .map((date) => date.toISOString())
const id = fc.uuid()
/** Any JSON document. */
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown)
const record = fc.dictionary(fc.stringMatching(/^[a-zA-Z]{1,8}$/), json, { noNullPrototype: true })
const list = <value>(inner: fc.Arbitrary<value>) => fc.array(inner, { maxLength: 3 })

const tokenRef = fc.record({ symbol: word, address, decimals })
const strategy = fc.record({
  id: word,
  slug: word,
  name: word,
  protocol: word,
  network: word,
  chainId: orNull(chainId),
  category: orNull(word),
  asset: tokenRef,
  underlying: orNull(tokenRef),
  actions: orNull(list(word)),
  paused: orNull(fc.boolean()),
  apy: orNull(rate),
  apyBasis: orNull(fc.constantFrom(...apyBases)),
  apyConvention: orNull(word),
  protocolFeeBps: orNull(word),
  managementFeeBps: orNull(word),
  receipt: orNull(
    fc.record({ symbol: word, address, decimals, symbolFrom: fc.constantFrom('contract', 'catalogue') }),
  ),
  inceptionApy: orNull(rate),
  avgApy: orNull(rate),
  tvlUsd: orNull(decimal),
  liquidityUsd: orNull(decimal),
  fee: orNull(word),
  performanceFeeBps: orNull(word),
  isDefault: orNull(fc.boolean()),
  startDate: orNull(time),
  metadata: orNull(record),
  logourl: orNull(word),
  implementationSelector: orNull(word),
  grade: orNull(fc.record({ grade: word, by: word })),
  rates: fc.constant(null),
})
const oneStrategy = fc.record({
  strategy,
  rates: orNull(
    fc.record({
      base: orNull(rate),
      reward: orNull(rate),
      days1: orNull(rate),
      days7: orNull(rate),
      days30: orNull(rate),
      points: list(fc.record({ at: time, apy: rate })),
    }),
  ),
})
const transaction = fc.record({ to: address, data, value: units, chainId })
const page = <item>(item: fc.Arbitrary<item>) =>
  fc.record({
    items: list(item),
    page: fc.integer({ min: 1, max: 1000 }),
    limit: fc.integer({ min: 1, max: 100 }),
    total: count,
    hasMore: fc.boolean(),
  })

const wireToken = fc.record({
  contract: address,
  symbol: word,
  decimals,
  amount: units.map(String),
  chainId,
  priceUSD: orNull(decimal),
})
/** A quote as a deployment may send it, with unknown leaves at the top and inside. */
export const wireQuote = fc
  .record({
    id,
    quoteId: optional(id),
    originChain: word,
    destinationChain: word,
    tokenIn: fc.tuple(wireToken, record).map(([token, more]) => ({ ...more, ...token })),
    tokenOut: wireToken,
    provider: word,
    deadline: fc.oneof(fc.nat(4_000_000_000), time),
    deadlineDate: optional(time),
    chainIdIn: chainId,
    chainIdOut: chainId,
    rawQuote: optional(json),
    status: optional(word),
    feeSponsorship: optional(fc.boolean()),
    customer: optional(word),
    minAmountOut: optional(units.map(String)),
    maxAmountIn: optional(units.map(String)),
    slippage: optional(fc.double({ min: 0.0001, max: 0.5, noNaN: true })),
    fees: optional(list(record)),
    alternatives: optional(list(record)),
  })
  .chain((quote) =>
    record.map((more) => JSON.parse(JSON.stringify({ ...more, ...quote })) as z.input<typeof Quote>),
  )
const quote = wireQuote.map((wire) => z.decode(Quote, wire))

const statsAsset = fc.record({ address, decimals, symbol: word, name: orNull(word) })
const numeric = fc.oneof(
  fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => value || 0),
  decimal,
)
const balance = fc.record({ raw: units.map(String), humanized: numeric, decimals })
const stats = fc.record({
  underlying: list(
    fc.record({
      asset: statsAsset,
      balance,
      balanceUSD: orNull(numeric),
      price: orNull(numeric),
      liquidationThreshold: orNull(numeric),
    }),
  ),
  debt: list(
    fc.record({ asset: statsAsset, balance, balanceUSD: orNull(numeric), borrowRate: orNull(numeric) }),
  ),
  healthFactor: orNull(numeric),
  ltv: orNull(numeric),
  liquidationPrice: orNull(numeric),
  maxBorrowValue: orNull(numeric),
  unread: orNull(list(fc.record({ protocol: word, network: word, address }))),
})
const queued = fc.record({
  id: word,
  amount: units,
  requestedAt: orNull(time),
  availableAt: orNull(time),
  until: orNull(time),
  back: orNull(word),
})
const position = fc.record({
  strategy,
  balance: orNull(units),
  principal: orNull(units),
  profit: orNull(signed),
  performanceFee: orNull(units),
  balanceUsd: orNull(decimal),
  profitUsd: orNull(decimal),
  apy: orNull(rate),
  pending: orNull(list(queued)),
  staked: orNull(fc.record({ at: address, shares: units, amount: units })),
  claimable: orNull(list(queued)),
  queuedUsd: orNull(decimal),
})
const action = fc.record({
  id,
  type: word,
  status: fc.oneof(
    fc.constantFrom('INITIAL', 'PENDING', 'SUCCESS', 'FAILED', 'REFUNDED'),
    word.map((text) => text.toUpperCase()),
  ),
  strategyId: orNull(word),
  strategySlug: orNull(word),
  originAddress: orNull(address),
  receiverAddress: orNull(address),
  amounts: json,
  transactions: list(
    fc.record({
      index: fc.nat(10),
      kind: orNull(word),
      chainId: orNull(chainId),
      network: orNull(word),
      to: orNull(address),
      hash: orNull(hex(32)),
      nonce: orNull(count),
      status: orNull(word),
      blockNumber: orNull(count),
      gasUsed: orNull(units.map(String)),
      explorerUrl: orNull(fc.webUrl()),
      error: orNull(word),
    }),
  ),
  createdAt: orNull(time),
  updatedAt: orNull(time),
  finishedAt: orNull(time),
})
const paging = {
  page: optional(fc.integer({ min: 1, max: 1_000_000 })),
  limit: optional(fc.integer({ min: 1, max: 100 })),
}
const recommendation = fc.record({
  recommendedStrategyId: word,
  destinationChain: word,
  strategy,
  spotPosition: orNull(record),
  transactions: orNull(list(transaction)),
  actionId: orNull(id),
  compared: orNull(list(fc.record({ apyBasis: fc.constantFrom(...apyBases), count, best: word, apy: rate }))),
})
const swapBytecode = fc.record({
  type: word,
  provider: word,
  chainId,
  approvals: list(transaction),
  transactions: list(transaction).filter(({ length }) => length > 0),
  gasLimit: orNull(fc.bigInt({ min: 0n, max: 10n ** 12n })),
  gasLimitReason: orNull(word),
  swapDetails: json,
  rawSwapData: json,
  message: orNull(word),
})
const bps = fc.nat(10_000)
const fees = fc.record({
  swapFeeBps: bps,
  performanceFeeBps: bps,
  operatorCollector: orNull(address),
  markupBps: bps,
  maxMarkupBps: orNull(bps),
  collector: orNull(address),
})
const quoteInput = fc.record({
  originChain: optional(word),
  chainIdIn: optional(chainId),
  destinationChain: optional(word),
  chainIdOut: optional(chainId),
  tokenIn: address,
  tokenOut: address,
  amountIn: optional(units),
  amountOut: optional(units),
  destinationAddress: optional(address),
  refundAddress: optional(address),
  feeSponsorship: optional(fc.boolean()),
  preferredProvider: optional(word),
  slippage: optional(fc.double({ min: 1e-60, max: 2, noNaN: true })),
  transferSpeed: optional(fc.constantFrom('fast', 'standard')),
})

const eventType = fc.constantFrom(...eventTypes)
const cursor = fc.nat().map(String)
const isoTime = fc.constantFrom('2026-01-02T03:04:05.000Z', '2026-01-02T03:04:05+01:00')
const webhookFields = {
  id: word,
  url: word,
  types: orNull(fc.array(eventType, { maxLength: 3 })),
  payload: fc.constantFrom('thin', 'full'),
  apyLine: orNull(fc.double({ min: 0, max: 100, noNaN: true })),
  liquidityLine: orNull(fc.double({ min: 0, max: 1e12, noNaN: true })),
  createdAt: isoTime,
  disabledAt: orNull(isoTime),
  disabledReason: orNull(word),
}
const webhook = fc.record(webhookFields)
const webhookWithSecret = fc.record({ ...webhookFields, secret: word })
const webhookDelivery = fc.record({
  id: word,
  eventId: word,
  type: orNull(word),
  subject: word,
  seq: fc.nat(),
  state: fc.constantFrom('pending', 'delivered', 'dead'),
  attempts: fc.nat(),
  response: orNull(fc.integer({ min: 100, max: 599 })),
  error: orNull(word),
  createdAt: isoTime,
  updatedAt: isoTime,
  nextAttemptAt: orNull(isoTime),
})
const polledEvent = fc.record({
  id: word,
  type: word,
  timestamp: isoTime,
  subject: word,
  seq: fc.nat(),
  test: fc.boolean(),
  data: fc.constant({ status: 'PENDING' }),
  cursor,
})

type Inputs = { [name in keyof Service]: fc.Arbitrary<Parameters<Service[name]>[0]> }
type Outputs = { [name in keyof Service]: fc.Arbitrary<Awaited<ReturnType<Service[name]>>> }

/** Any valid input of each route. */
export const inputs: Inputs = {
  recommend: fc.record({
    identifier: word,
    wallet: optional(address),
    amount: optional(units),
    action: optional(fc.constantFrom('lend', 'withdraw')),
    from: optional(word),
    to: optional(word),
  }),
  listStrategies: fc.record(paging),
  analytics: fc.constant({}),
  getStrategy: fc.record({ id: word }),
  strategyBytecode: fc.record({
    id: word,
    action: fc.constantFrom('lend', 'withdraw', 'claim'),
    amount: units,
    wallet: address,
    from: optional(word),
  }),
  getWallet: fc.record({ address }),
  walletHistory: fc.record({ address, strategyId: word, ...paging }),
  listActions: fc.record({
    wallet: optional(address),
    status: optional(fc.constantFrom('INITIAL', 'PENDING', 'SUCCESS', 'FAILED', 'REFUNDED')),
    id: optional(word),
    ...paging,
  }),
  getAction: fc.record({ id: word }),
  ingest: fc.record({
    actionId: word,
    event: fc.constantFrom('SIGNED', 'TX_FAILED'),
    txHash: optional(hex(32)),
    chainId: optional(chainId),
  }),
  listQuotes: fc.record({
    originChain: optional(word),
    destinationChain: optional(word),
    provider: optional(word),
    ...paging,
  }),
  quote: quoteInput,
  swapBytecode: fc.record({
    quote: wireQuote as fc.Arbitrary<never>,
    walletAddress: address,
    destinationAddress: optional(address),
    decimalsIn: optional(decimals),
  }),
  swapStatus: fc.record({ id: word, btcTxHash: optional(hex(32).map((text) => text.slice(2))) }),
  transferBytecode: fc.record({
    originAddress: address,
    destinationAddress: address,
    token: address,
    chainId,
    amount: units,
  }),
  customer: fc.constant({}),
  getFees: fc.constant({}),
  setFees: fc.record({
    markupBps: optional(bps),
    collector: optional(orNull(address)),
  }),
  listWebhooks: fc.record(paging),
  addWebhook: fc.record({
    url: word,
    types: optional(fc.uniqueArray(eventType, { minLength: 1 })),
    payload: optional(fc.constantFrom('thin', 'full')),
    apyLine: optional(fc.double({ min: 0, max: 100, noNaN: true })),
    liquidityLine: optional(fc.double({ min: 0, max: 1e12, noNaN: true })),
  }),
  removeWebhook: fc.record({ id: word }),
  rotateWebhook: fc.record({ id: word }),
  enableWebhook: fc.record({ id: word }),
  webhookDeliveries: fc.record({
    id: word,
    state: optional(fc.constantFrom('pending', 'delivered', 'dead')),
    ...paging,
  }),
  resendDelivery: fc.record({ id: word, deliveryId: word }),
  replayWebhook: fc.record({ id: word, since: isoTime }),
  listEvents: fc.record({
    after: optional(cursor),
    consumer: optional(fc.constantFrom('one', 'A.b-c_9')),
    types: optional(fc.uniqueArray(eventType, { minLength: 1 })),
    since: optional(isoTime),
    limit: optional(fc.integer({ min: 1, max: 100 })),
  }),
  commitEvents: fc.record({ consumer: fc.constant('one'), cursor, seek: optional(fc.boolean()) }),
  triggerEvent: fc.record({ type: eventType }),
}

/** Any valid output of each route. */
export const outputs: Outputs = {
  recommend: recommendation,
  listStrategies: page(strategy),
  analytics: fc.record({
    totalTvlUsd: decimal,
    averageApy: rate,
    strategyCount: count,
    topStrategies: list(strategy),
    unpriced: orNull(count),
  }),
  getStrategy: oneStrategy.map(({ strategy: one, rates }) => ({ ...one, rates })),
  strategyBytecode: fc.record({
    id,
    feeCharged: word,
    fees: orNull(list(json)),
    chainIdIn: chainId,
    chainIdOut: chainId,
    crossChain: fc.record({ isCrossChain: fc.boolean(), chainIdIn: chainId, chainIdOut: chainId }),
    quote: orNull(quote),
    queued: orNull(fc.record({ seconds: orNull(count) })),
    bytecode: list(transaction),
  }),
  // The address is always present: only the quickstart shape omits it, and that is never encoded.
  getWallet: fc.record({
    address,
    positions: list(position),
    totalValueUsd: orNull(decimal),
    queuedUsd: orNull(decimal),
    collateralUsd: orNull(decimal),
    debtUsd: orNull(decimal),
    realised: orNull(
      list(
        fc.record({
          strategy: word,
          asset: tokenRef,
          realised: signed,
          feesPaid: orNull(units),
          realisedUsd: orNull(decimal),
        }),
      ),
    ),
    totalProfitUsd: orNull(decimal),
    stats: orNull(stats),
    unread: orNull(list(word)),
    unsearched: orNull(list(fc.record({ strategy: word, searchedAt: orNull(word) }))),
  }),
  walletHistory: page(
    fc.record({ txHash: hex(32), timestamp: time, type: word, amount: units, status: word }),
  ).chain((all) =>
    orNull(fc.boolean()).map((isWhole) => ({ ...all, isWhole, hasMore: all.page * all.limit < all.total })),
  ),
  listActions: page(action),
  getAction: action,
  ingest: action,
  listQuotes: page(quote),
  quote: fc.record({ quote }),
  swapBytecode,
  swapStatus: fc.record({
    status: fc.oneof(
      fc.constantFrom('pending', 'fulfilled'),
      word.map((text) => text.toLowerCase()),
    ),
    originTxHash: orNull(hex(32)),
    destinationTxHash: orNull(hex(32)),
    provider: orNull(word),
  }),
  transferBytecode: fc.record({ id, chainId, bytecode: list(transaction) }),
  customer: fc.record({ id: word, name: word, testnet: fc.boolean(), markupBps: bps }),
  getFees: fees,
  setFees: fees,
  listWebhooks: page(webhook),
  addWebhook: webhookWithSecret,
  removeWebhook: webhook,
  rotateWebhook: webhookWithSecret,
  enableWebhook: webhook,
  webhookDeliveries: page(webhookDelivery),
  resendDelivery: webhookDelivery,
  replayWebhook: fc.record({ count: fc.nat() }),
  listEvents: fc.record({ events: list(polledEvent), cursor, hasMore: fc.boolean() }),
  commitEvents: fc.record({ consumer: word, cursor }),
  triggerEvent: fc.record({ eventId: word }),
}

/** Any valid input of the legacy quote pages: chain ids and an exact input only. */
export const olderQuoteInput = fc.record({
  chainIdIn: chainId,
  chainIdOut: chainId,
  tokenIn: address,
  tokenOut: address,
  amountIn: units,
  destinationAddress: optional(address),
})

/** Any output that the legacy wallet page can carry: stats, no positions. */
export const olderWallet = fc.record({
  address,
  positions: fc.constant([]),
  totalValueUsd: fc.constant(null),
  collateralUsd: fc.constant(null),
  debtUsd: fc.constant(null),
  queuedUsd: fc.constant(null),
  realised: fc.constant(null),
  totalProfitUsd: fc.constant(null),
  stats,
  unread: fc.constant(null),
  unsearched: fc.constant(null),
})
