import { z } from 'zod'
import { apyBases } from '../../domain/apy-basis.ts'
import { AddressText, Amount, fields, HashText, listOf, maybe, Time, Usd } from './common.ts'

const TokenRef = fields({ symbol: z.string(), address: AddressText, decimals: z.int().min(0).max(255) })
const Rate = z.number().describe('a fraction per year: 0.0525 is 5.25%')

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
    'current rate, or growth over the last 7 days if no contract reports a current rate',
  ),
  inceptionApy: maybe(Rate),
  avgApy: maybe(Rate),
  tvlUsd: maybe(z.string()),
  liquidityUsd: maybe(z.string()).describe(
    'USD value that can be withdrawn now; null is no limit, or not known',
  ),
  fee: maybe(z.string()),
  performanceFeeBps: maybe(z.string()),
  isDefault: maybe(z.boolean()),
  startDate: maybe(z.string()),
  metadata: maybe(z.record(z.string(), z.unknown())),
}

/** A strategy, as lists print it. */
const StrategyDocument = fields(strategy)

/** `strategies list`, and the networks it lacks. */
export const StrategyList = listOf(StrategyDocument).extend({
  missing: z.array(z.string()).describe('networks that did not answer; their strategies are missing'),
})

const Queued = fields({
  id: z.string(),
  amount: Amount,
  requestedAt: maybe(z.string()),
  availableAt: maybe(z.string()),
  until: maybe(z.string()).describe('when the claim lapses; null if never'),
  back: maybe(z.string()).describe('command that returns a lapsed claim'),
})

const Staked = fields({
  at: AddressText,
  shares: z.string().describe('in the smallest unit of the receipt'),
  amount: Amount,
})

/** The position of a wallet in a strategy. */
const PositionDocument = fields({
  strategy: StrategyDocument,
  balance: maybe(Amount),
  principal: maybe(Amount),
  profit: maybe(Amount).describe('balance less principal and less performanceFee'),
  performanceFee: maybe(Amount).describe('fee of the service if everything were withdrawn now'),
  balanceUsd: maybe(Usd),
  profitUsd: maybe(Usd),
  apy: maybe(Rate),
  staked: maybe(Staked).describe(
    'part of the balance that is staked; it cannot be withdrawn before it is unstaked',
  ),
  pending: maybe(z.array(Queued)).describe('queued withdrawals'),
  claimable: maybe(z.array(Queued)).describe('withdrawals ready to claim'),
  queuedUsd: maybe(Usd).describe('value of pending and claimable together'),
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
  apyConvention: maybe(z.string()).describe('how the rate is computed'),
  protocolFeeBps: maybe(z.string()).describe('protocol fee on earnings, already deducted from apy'),
  managementFeeBps: maybe(z.string()).describe(
    'yearly protocol fee on all assets, already deducted from apy',
  ),
  receipt: maybe(
    fields({
      symbol: z.string(),
      address: AddressText,
      decimals: z.int().min(0).max(255),
      symbolFrom: z.enum(['contract', 'catalogue']),
    }),
  ).describe('receipt token, and the source of its symbol'),
  position: maybe(PositionDocument).optional().describe('with --wallet'),
})

/** `strategies analytics` */
export const AnalyticsDocument = fields({
  totalTvlUsd: z.string(),
  averageApy: Rate,
  strategyCount: z.int(),
  topStrategies: z.array(StrategyDocument),
  unpriced: maybe(z.int()).describe('number of strategies missing from the total because they have no price'),
})

/** `yield recommend` */
export const RecommendationDocument = fields({
  recommendedStrategyId: z.string(),
  destinationChain: z.string(),
  strategy: StrategyDocument,
  spotPosition: maybe(z.record(z.string(), z.unknown())),
  transactions: maybe(
    z.array(fields({ to: AddressText, data: z.string(), value: z.string(), chainId: z.int() })),
  ).describe('null unless a wallet and an amount are given'),
  compared: maybe(
    z.array(fields({ apyBasis: z.enum(apyBases), count: z.int(), best: z.string(), apy: Rate })),
  ).describe('kinds of rates compared, and the best of each'),
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
  isWhole: maybe(z.boolean()).describe('false if the history does not account for the whole position'),
})

const side = {
  asset: TokenRef,
  balance: maybe(Amount),
  balanceUsd: maybe(z.string()),
}

const counted = {
  healthFactor: maybe(z.number()).describe('below 1, the account can be liquidated'),
  ltv: maybe(z.number()),
  liquidationPrice: maybe(z.string()),
  maxBorrowValue: maybe(z.string()),
}

const market = { protocol: z.string(), network: z.string(), address: AddressText }

/** `wallet show` */
export const WalletDocument = fields({
  address: maybe(AddressText),
  positions: z.array(PositionDocument),
  totalValueUsd: maybe(Usd).describe('total of known values; positions without balanceUsd are not included'),
  onTheWay: z
    .array(
      fields({
        action: z.string(),
        network: z.string().describe('where it arrives'),
        amount: Amount.describe('the least that arrives'),
        usd: maybe(Usd),
      }),
    )
    .describe('funds that this machine sent from another network and that have not arrived'),
  onTheWayUsd: maybe(Usd).describe('part of the total; null if the journal could not be read'),
  queuedUsd: maybe(Usd).describe('queued part of the total'),
  collateralUsd: maybe(Usd).describe('part of the total: collateral of lending accounts that is no position'),
  debtUsd: maybe(Usd).describe(
    'debt of lending accounts, already deducted from the total; null if not all of it is known',
  ),
  realised: maybe(
    z.array(
      fields({
        strategy: z.string(),
        realised: Amount.describe('after the fees that were paid to the service'),
        feesPaid: maybe(Amount),
        realisedUsd: maybe(Usd),
      }),
    ),
  ).describe(
    'profit or loss of closed positions, if the service has read their history; USD at the current price',
  ),
  totalProfitUsd: maybe(Usd).describe('known profit of open and closed positions'),
  stats: fields({
    collateral: z.array(
      fields({ ...side, priceUsd: maybe(z.string()), liquidationThreshold: maybe(z.number()) }),
    ),
    debt: z.array(fields({ ...side, borrowRate: maybe(z.number()) })),
    ...counted,
    markets: maybe(z.array(fields({ ...market, ...counted }))).describe(
      'the same figures per market; the totals show the lowest health factor, and ltv is null over several markets',
    ),
    unread: maybe(z.array(fields(market))).describe(
      'markets that could not be read completely; the totals are null then',
    ),
  })
    .optional()
    .describe('present if the backend provides it'),
  unread: maybe(z.array(z.string())).describe(
    'strategies whose contracts did not return the balance or its value',
  ),
  unsearched: maybe(z.array(fields({ strategy: z.string(), searchedAt: maybe(z.string()) }))).describe(
    'queues not searched for withdrawals requested elsewhere, and when they were last searched; null if unknown',
  ),
  missing: z.array(z.string()).describe('networks that did not answer; their positions are missing'),
})
