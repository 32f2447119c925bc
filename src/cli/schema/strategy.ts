import { z } from 'zod'
import { apyBases } from '../../domain/apy.ts'
import { AddressText, Amount, fields, HashText, listOf, maybe, Time, Usd } from './common.ts'

const TokenRef = fields({ symbol: z.string(), address: AddressText, decimals: z.int().min(0).max(255) })
const Rate = z.number().describe('a fraction a year: 0.0525 is 5.25 %')

const strategy = {
  id: z.string(),
  slug: z.string(),
  name: maybe(z.string()),
  protocol: z.string(),
  network: z.string(),
  chainId: maybe(z.int()),
  category: maybe(z.string()),
  asset: TokenRef,
  underlying: maybe(TokenRef),
  actions: maybe(z.array(z.string())),
  paused: maybe(z.boolean()),
  apy: maybe(Rate),
  apyBasis: maybe(z.enum(apyBases)).describe(
    'paid now, or growth of the last week where no contract says that',
  ),
  inceptionApy: maybe(Rate),
  avgApy: maybe(Rate),
  tvlUsd: maybe(z.string()),
  fee: maybe(z.string()),
  performanceFeeBps: maybe(z.string()),
  isDefault: maybe(z.boolean()),
  startDate: maybe(z.string()),
  metadata: maybe(z.record(z.string(), z.unknown())),
}

/** A strategy, as lists print it. */
const StrategyDocument = fields(strategy)

/** `strategies list`, and what it cannot tell of. */
export const StrategyList = listOf(StrategyDocument).extend({
  missing: z.array(z.string()).describe('networks that do not answer, whose strategies are left out'),
})

const Queued = fields({
  id: z.string(),
  amount: Amount,
  requestedAt: maybe(z.string()),
  availableAt: maybe(z.string()),
  until: maybe(z.string()).describe('when it lapses, if it does'),
  back: maybe(z.string()).describe('what gives it back, where it was let pass'),
})

/** What a wallet holds in a strategy. */
const PositionDocument = fields({
  strategy: StrategyDocument,
  balance: maybe(Amount),
  principal: maybe(Amount),
  profit: maybe(Amount),
  balanceUsd: maybe(Usd),
  profitUsd: maybe(Usd),
  apy: maybe(Rate),
  pending: maybe(z.array(Queued)).describe('withdrawals that wait'),
  claimable: maybe(z.array(Queued)).describe('withdrawals that can be taken'),
  queuedUsd: maybe(Usd).describe('what both of these are worth'),
})

/** `strategies show` */
export const StrategyShown = fields({
  ...strategy,
  logourl: maybe(z.string()),
  implementationSelector: maybe(z.string()),
  grade: maybe(z.looseObject({ grade: z.string(), by: z.string() })),
  rates: maybe(
    z.looseObject({
      base: maybe(z.number()),
      reward: maybe(z.number()),
      days1: maybe(z.number()),
      days7: maybe(z.number()),
      days30: maybe(z.number()),
      points: z.array(z.looseObject({ at: z.string(), apy: z.number() })),
    }),
  ),
  apyConvention: maybe(z.string()).describe('how the rate is counted'),
  protocolFeeBps: maybe(z.string()).describe('what the protocol keeps of what is earned, before apy'),
  receipt: maybe(
    fields({
      symbol: z.string(),
      address: AddressText,
      decimals: z.int().min(0).max(255),
      symbolFrom: z.enum(['contract', 'catalogue']),
    }),
  ).describe('the token that it is held in, and who says what that is called'),
  position: maybe(PositionDocument).optional().describe('with --wallet'),
})

/** `strategies analytics` */
export const AnalyticsDocument = fields({
  totalTvlUsd: z.string(),
  averageApy: Rate,
  strategyCount: z.int(),
  topStrategies: z.array(StrategyDocument),
  unpriced: maybe(z.int()).describe('strategies whose part the total lacks, as nobody prices it'),
})

/** `yield recommend` */
export const RecommendationDocument = fields({
  recommendedStrategyId: z.string(),
  destinationChain: z.string(),
  strategy: StrategyDocument,
  spotPosition: maybe(z.record(z.string(), z.unknown())),
  transactions: maybe(
    z.array(fields({ to: AddressText, data: z.string(), value: z.string(), chainId: z.int() })),
  ).describe('null without a wallet and an amount'),
  compared: maybe(
    z.array(fields({ apyBasis: z.enum(apyBases), count: z.int(), best: z.string(), apy: Rate })),
  ).describe('which kinds of rates stood beside each other, and the best of each'),
})

/** `history` */
export const HistoryDocument = listOf(
  fields({
    txHash: HashText,
    timestamp: z.union([Time, z.string()]),
    type: z.string().describe('deposit, withdraw, transfer_in, transfer_out or claim'),
    amount: Amount,
    status: z.string().describe('pending, confirmed or failed'),
  }),
).extend({
  isWhole: maybe(z.boolean()).describe('false where this does not account for all that is held there'),
})

const side = {
  asset: TokenRef,
  balance: maybe(Amount),
  balanceUsd: maybe(z.string()),
}

const counted = {
  healthFactor: maybe(z.number()).describe('below 1 it can be liquidated'),
  ltv: maybe(z.number()),
  liquidationPrice: maybe(z.string()),
  maxBorrowValue: maybe(z.string()),
}

const market = { protocol: z.string(), network: z.string(), address: AddressText }

/** `wallet show` */
export const WalletDocument = fields({
  address: maybe(AddressText),
  positions: z.array(PositionDocument),
  totalValueUsd: maybe(Usd).describe('of what is known: a position without balanceUsd is not in it'),
  queuedUsd: maybe(Usd).describe('how much of that is queued'),
  realised: maybe(
    z.array(fields({ strategy: z.string(), realised: Amount, realisedUsd: maybe(Usd) })),
  ).describe(
    'profit or loss of closed positions, where the service has read their history; USD at the price now',
  ),
  totalProfitUsd: maybe(Usd).describe('profit of open positions and of closed ones, as far as it is known'),
  stats: fields({
    collateral: z.array(
      fields({ ...side, priceUsd: maybe(z.string()), liquidationThreshold: maybe(z.number()) }),
    ),
    debt: z.array(fields({ ...side, borrowRate: maybe(z.number()) })),
    ...counted,
    markets: maybe(z.array(fields({ ...market, ...counted }))).describe(
      'the same of each market; over several, the health factor is the worst and ltv is null',
    ),
    unread: maybe(z.array(fields(market))).describe(
      'markets that cannot be read whole: then nothing is counted over all of them',
    ),
  })
    .optional()
    .describe('where the backend has it'),
  unread: maybe(z.array(z.string())).describe(
    'strategies whose contracts do not say what is held there, or what it is worth',
  ),
  unsearched: maybe(z.array(fields({ strategy: z.string(), searchedAt: maybe(z.string()) }))).describe(
    'queues not looked into for withdrawals asked for elsewhere, and when they last were; null where nobody says',
  ),
  missing: z.array(z.string()).describe('networks that do not answer: nothing of what is there is counted'),
})
