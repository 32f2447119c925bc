import type { Position, RealisedProfit, Wallet } from '../../api/wallet-positions.ts'
import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { type Price, sumUsd, usd } from '../../domain/usd.ts'
import type { StrategyEntry } from '../../protocols/catalog-types.ts'
import { isChainFault, withAllNetworks } from '../chain-faults.ts'
import type { EngineContext } from '../engine.ts'
import { paidFees } from '../fees/paid-fees.ts'
import { chargesTo, performanceFeeShares } from '../fees/performance-fee.ts'
import { type Charge, chargesOf } from '../fees/service-fee-charges.ts'
import type { RatedMarket } from '../market-cache.ts'
import { readChainMarkets } from '../strategies/market-state.ts'
import { strategyOf } from '../strategies/strategy-answer.ts'
import { lendingStats, lendingSums } from './lending-accounts.ts'
import { type InvestedHolding, readInvestedHoldings } from './principal.ts'
import { assignSharedRequests, queuedFields, readQueued, withQueuedOnly } from './queued-withdrawals.ts'

/**
 * The positions of a wallet in all markets. Networks that do not answer are named and left out; if none answers, the first error is thrown.
 */
export async function walletOf(context: EngineContext, address: Address): Promise<Wallet> {
  const chainIds = [...new Set(context.markets.map(({ entry }) => entry.chainId))]
  const networks = chainIds.map((chainId) => networkNamed(context.catalog.networks, chainId))
  const charges = chargesTo(address, (await chargesOf(context)).profit)
  const results = await Promise.all(
    networks.map(async (network) => {
      const part = await orRpcError(chainWallet(context, network.chainId, { address, charges }))
      context.onMissingNetwork(network, part instanceof AppError ? part : null)
      return part
    }),
  )
  const parts = results.flatMap((part) => (part instanceof AppError ? [] : [part]))
  const fault = results.find((part) => part instanceof AppError)
  if (fault && parts.length === 0) throw withAllNetworks(fault, networks)
  const positions = parts.flatMap((part) => part.positions)
  const left = parts.flatMap((part) => part.left)
  const paid = await paidFees(
    context,
    address,
    left.map(({ market }) => market.entry.id),
  )
  const realised = left.flatMap((one) => realisedProfitOf(one, paid.get(one.market.entry.id) ?? 0n))
  const queuedUsd = sumUsd(positions.map((one) => one.queuedUsd))
  const { collateralUsd, debtUsd, owed } = lendingSums(
    parts.flatMap(({ accounts }) => accounts),
    parts.flatMap(({ entries }) => entries),
  )
  return {
    address,
    positions,
    totalValueUsd: sumUsd([
      ...positions.map(({ balanceUsd }) => balanceUsd),
      queuedUsd,
      collateralUsd,
      ...owed.map((value) => `-${value}`),
    ]),
    queuedUsd,
    collateralUsd,
    debtUsd,
    realised,
    totalProfitUsd: sumUsd([
      ...positions.map(({ profitUsd }) => profitUsd),
      ...realised.map(({ realisedUsd }) => realisedUsd),
    ]),
    stats: lendingStats(
      context.catalog,
      parts.flatMap(({ accounts }) => accounts),
    ),
    unread: parts.flatMap(({ unread }) => unread),
    unsearched: parts.flatMap(({ unsearched }) => unsearched),
    ...(fault && {
      missing: networks.flatMap(({ name }, at) => (results[at] instanceof AppError ? [name] : [])),
    }),
  }
}

/** Returns the error if a chain does not answer. */
const orRpcError = <value>(work: Promise<value>): Promise<value | AppError> =>
  work.catch((error: unknown) => {
    if (isChainFault(error)) return error
    throw error
  })

/**
 * The positions of a wallet on one chain, with principal and profit from its logs. Strategies whose contracts do not answer are listed as
 * `unread`.
 */
async function chainWallet(
  context: EngineContext,
  chainId: number,
  { address, charges }: { address: Address; charges: readonly Charge[] },
) {
  const here = context.markets.filter(({ entry }) => entry.chainId === chainId)
  // The states of all markets, and what their rates need of the past, are read in parallel with the positions, which may be
  // in any market; rates only for the shown markets.
  const [states, invested, accounts, results] = await Promise.all([
    readChainMarkets(context, chainId, here).then(async (read) => {
      await context.readPastRates(chainId)(read.rows, read.head)
      return read
    }),
    readInvestedHoldings(context, chainId, address),
    context.lendingAccounts(address, chainId),
    readQueued(context, here, address),
  ])
  const queued = await assignSharedRequests(context, results.queued, address)
  const rows = withQueuedOnly(invested.filter(hasPosition), queued, invested)
  const closed = invested.filter(hasLeft)
  const shown = [...rows, ...closed].map(({ market }) => states.rows.find((one) => one.market === market)!)
  const rated = await context.rateReader(chainId)(shown, states.head)
  const positions = rows.map((one, at) => ({
    ...positionOf(one, rated[at]!, charges),
    ...queuedFields(one.market, queued, rated[at]!.price),
  }))
  return {
    positions,
    left: closed.map((one, at) => ({ ...one, price: rated[rows.length + at]!.price })),
    accounts,
    entries: rows.map(({ market }) => market.entry),
    unread: invested.filter(({ balance }) => balance === null).map(({ market }) => market.entry.slug),
    unsearched: results.unsearched.map(({ market, searchedAt }) => ({
      strategy: market.entry.slug,
      searchedAt: searchedAt === null ? null : new Date(searchedAt).toISOString(),
    })),
  }
}

/** Whether a profit or loss left a strategy; a profit that paid a fee may have been lost again. */
const hasLeft = ({ invested }: InvestedHolding): boolean =>
  invested !== null && (invested.realised !== 0n || invested.mark > 0n)

/** Whether there is a position. In a market that does not answer, there is one if more was put in than taken out. */
const hasPosition = ({ shares, invested }: InvestedHolding): boolean =>
  shares === null ? invested !== null && invested.principal > 0n : shares > 0n

function positionOf(
  { market, balance, staked, invested }: InvestedHolding,
  rated: RatedMarket,
  charges: readonly Charge[],
): Omit<Position, 'pending' | 'claimable' | 'queuedUsd'> {
  const principal = invested?.principal ?? null
  const isKnown = invested !== null && balance !== null
  // Queued withdrawals pay no fee.
  const fee =
    isKnown && !market.queue ? (performanceFeeShares(charges, invested, balance)?.charged ?? 0n) : 0n
  const profit = isKnown ? balance - invested.principal - fee : null
  const { asset } = market.entry
  const strategy = strategyOf(rated)
  return {
    strategy,
    balance,
    principal,
    profit,
    performanceFee: isKnown ? fee : null,
    balanceUsd: usd(balance, asset, rated.price),
    profitUsd: usd(profit, asset, rated.price),
    apy: strategy.apy,
    staked,
  }
}

/** The realised profit of a strategy less the fees that were paid for it, valued in USD at the current price of its asset; none if it is unknown. */
function realisedProfitOf(
  { market, invested, price }: InvestedHolding & { price: Price },
  feesPaid: bigint,
): RealisedProfit[] {
  const realised = (invested?.realised ?? 0n) - feesPaid
  if (realised === 0n && feesPaid === 0n) return []
  const { slug, asset } = market.entry
  const realisedUsd = usd(realised, asset, price)
  return [{ strategy: slug, asset: assetRef(asset), realised, feesPaid, realisedUsd }]
}

const assetRef = ({ symbol, address, decimals }: StrategyEntry['asset']) => ({ symbol, address, decimals })
