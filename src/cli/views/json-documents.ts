import { formatUnits } from 'viem/utils'
import type { Quote } from '../../api/quote.ts'
import type { Strategy } from '../../api/strategy.ts'
import type { Position, Stats, Wallet } from '../../api/wallet-positions.ts'
import { tokenAmount } from '../../domain/amount.ts'
import { priceImpactOf } from '../../domain/price-impact-share.ts'
import { usdUnits } from '../../planning/usd-value.ts'

/** A strategy as `--json` prints it (cli.md, Output). */
export const strategyJson = ({
  logourl: _,
  implementationSelector: __,
  grade: ___,
  rates: ____,
  apyConvention: _____,
  protocolFeeBps: ______,
  managementFeeBps: _______,
  receipt: ________,
  ...strategy
}: Strategy) => strategy

/** One strategy as `strategies show --json` prints it, with more fields than in a list. */
export const strategyDetailJson = (strategy: Strategy) => {
  const {
    logourl,
    implementationSelector,
    grade,
    rates,
    apyConvention,
    protocolFeeBps,
    managementFeeBps,
    receipt,
  } = strategy
  const only = {
    logourl,
    implementationSelector,
    grade,
    rates,
    apyConvention,
    protocolFeeBps,
    managementFeeBps,
    receipt,
  }
  return { ...strategyJson(strategy), ...only }
}

/** A quote as `--json` prints it. */
export const quoteJson = (quote: Quote) => {
  const side = (token: Quote['tokenIn']) => ({
    chainId: token.chainId,
    address: token.address,
    symbol: token.symbol,
    decimals: token.decimals,
    amount: tokenAmount(token.amount, token),
    priceUsd: token.priceUsd,
  })
  return {
    id: quote.id || null,
    quoteId: quote.quoteId,
    from: quote.from,
    to: quote.to,
    tokenIn: side(quote.tokenIn),
    tokenOut: side(quote.tokenOut),
    provider: quote.provider,
    minAmountOut: quote.minAmountOut === null ? null : tokenAmount(quote.minAmountOut, quote.tokenOut),
    maxAmountIn: quote.maxAmountIn === null ? null : tokenAmount(quote.maxAmountIn, quote.tokenIn),
    slippage: quote.slippage,
    priceImpact: quote.priceImpact ?? impactInUsd(quote),
    priceImpactUsd: impactCost(quote),
    estimatedGas: quote.estimatedGas === null ? null : quote.estimatedGas.toString(),
    gasCostUsd: quote.gasCostUsd,
    netAmountOut: quote.netAmountOut === null ? null : tokenAmount(quote.netAmountOut, quote.tokenOut),
    netAmountIn: quote.netAmountIn === null ? null : tokenAmount(quote.netAmountIn, quote.tokenIn),
    netUsd: netInUsd(quote),
    durationSeconds: quote.durationSeconds,
    deadline: quote.deadline,
    status: quote.status,
    destinationAddress: quote.destinationAddress,
    refundAddress: quote.refundAddress,
    feeSponsorship: quote.feeSponsorship,
    feeSponsorshipReason: quote.feeSponsorshipReason,
    fees: quote.fees?.map((fee) => feeJson(fee, [quote.tokenIn, quote.tokenOut])) ?? null,
    alternatives:
      quote.alternatives?.map((other) => ({
        provider: other.provider,
        transferSpeed: other.transferSpeed,
        amountIn: tokenAmount(other.amountIn, quote.tokenIn),
        amountOut: tokenAmount(other.amountOut, quote.tokenOut),
        savesSeconds: other.savesSeconds,
        estimatedGas: other.estimatedGas === null ? null : other.estimatedGas.toString(),
        gasCostUsd: other.gasCostUSD,
        netAmountOut: other.netAmountOut === null ? null : tokenAmount(other.netAmountOut, quote.tokenOut),
        netAmountIn: other.netAmountIn === null ? null : tokenAmount(other.netAmountIn, quote.tokenIn),
        durationSeconds: other.durationSeconds,
      })) ?? null,
  }
}

/** The net amount of a quote in USD, in cents; `null` if it or the price of its token is unknown. */
function netInUsd({ tokenIn, tokenOut, netAmountIn, netAmountOut }: Quote): string | null {
  const [net, side] = netAmountOut === null ? [netAmountIn, tokenIn] : [netAmountOut, tokenOut]
  if (net === null || side.priceUsd === null) return null
  const units = usdUnits(net, side, [{ ...side, usd: side.priceUsd }])
  return units === null ? null : formatUnits(units / 10n ** 10n, 2)
}

/** What the price impact of a quote costs in USD, to the cent; `null` if it or the price of the input is unknown. */
function impactCost(quote: Quote): string | null {
  const share = quote.priceImpact ?? impactInUsd(quote)
  const { tokenIn } = quote
  if (share === null || tokenIn.priceUsd === null) return null
  const paid = usdUnits(tokenIn.amount, tokenIn, [{ ...tokenIn, usd: tokenIn.priceUsd }])
  return paid === null ? null : formatUnits((paid * BigInt(Math.round(share * 1e9))) / 10n ** 19n, 2)
}

/** By how much the output is worth less than the swapped input, service fees aside, by the USD prices of the quote; `null` without both. */
function impactInUsd({ tokenIn, tokenOut, fees }: Quote): number | null {
  const swapped = { ...tokenIn, amount: tokenIn.amount - serviceFeesIn(fees, tokenIn) }
  const [paid, brought] = [swapped, tokenOut].map((side) =>
    side.priceUsd === null ? null : usdUnits(side.amount, side, [{ ...side, usd: side.priceUsd }]),
  )
  return typeof paid === 'bigint' && typeof brought === 'bigint' ? priceImpactOf(brought, paid) : null
}

/** The sum of the fees that collectors take out of the input; other fees are in the amounts of the swap. */
const serviceFeesIn = (fees: Quote['fees'], { address, chainId, amount: most }: Quote['tokenIn']): bigint => {
  const sum = (fees ?? []).reduce<bigint>((total, fee) => {
    const { to, token, chainId: on, amount } = (fee ?? {}) as Record<string, unknown>
    const isOurs = typeof to === 'string' && token === address && on === chainId
    return isOurs && isUnitsText(amount) ? total + BigInt(amount) : total
  }, 0n)
  return sum < most ? sum : 0n
}

/** Whether a value is an amount in the smallest unit, as text. */
const isUnitsText = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9]{1,78}$/.test(value)

/** A fee with its amount as an object, where it names a token of the quote; another shape is shown as it came. */
function feeJson(fee: unknown, sides: readonly Quote['tokenIn'][]): unknown {
  const { token, chainId, amount, of } = (fee ?? {}) as Record<string, unknown>
  const side = sides.find((one) => one.address === token && one.chainId === chainId)
  if (!side || !isUnitsText(amount)) return fee
  return {
    ...(fee as object),
    amount: tokenAmount(BigInt(amount), side),
    ...(isUnitsText(of) && { of: tokenAmount(BigInt(of), side) }),
  }
}

/** A position as `--json` prints it. */
export const positionJson = ({
  strategy,
  balance,
  principal,
  profit,
  performanceFee,
  balanceUsd,
  profitUsd,
  apy,
  staked,
  pending,
  claimable,
  queuedUsd,
}: Position) => {
  const amount = (raw: bigint | null) => (raw === null ? null : tokenAmount(raw, strategy.asset))
  const queued = (requests: Position['pending']) =>
    requests?.map((request) => ({ ...request, amount: tokenAmount(request.amount, strategy.asset) })) ?? null
  return {
    strategy: strategyJson(strategy),
    balance: amount(balance),
    principal: amount(principal),
    profit: amount(profit),
    performanceFee: amount(performanceFee),
    balanceUsd,
    profitUsd,
    apy,
    staked: staked && {
      at: staked.at,
      shares: staked.shares.toString(),
      amount: tokenAmount(staked.amount, strategy.asset),
    },
    pending: queued(pending),
    claimable: queued(claimable),
    queuedUsd,
  }
}

/** A wallet as `--json` prints it. */
export const walletJson = ({
  address,
  positions,
  totalValueUsd,
  queuedUsd,
  collateralUsd,
  debtUsd,
  realised,
  totalProfitUsd,
  stats,
  unread,
  unsearched,
  missing = [],
}: Wallet) => ({
  address,
  positions: positions.map(positionJson),
  totalValueUsd,
  queuedUsd,
  collateralUsd,
  debtUsd,
  realised:
    realised?.map(({ strategy, asset, realised: amount, feesPaid, realisedUsd }) => ({
      strategy,
      realised: tokenAmount(amount, asset),
      feesPaid: feesPaid === null ? null : tokenAmount(feesPaid, asset),
      realisedUsd,
    })) ?? null,
  totalProfitUsd,
  ...(stats && { stats: statsJson(stats) }),
  unread,
  unsearched,
  missing,
})

const numeric = (value: string | number | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value)
const dollarsOf = (value: string | number | null | undefined): string | null =>
  value === null || value === undefined ? null : String(value)

const countedJson = (stats: Pick<Stats, 'healthFactor' | 'ltv' | 'liquidationPrice' | 'maxBorrowValue'>) => ({
  healthFactor: numeric(stats.healthFactor),
  ltv: numeric(stats.ltv),
  liquidationPrice: dollarsOf(stats.liquidationPrice),
  maxBorrowValue: dollarsOf(stats.maxBorrowValue),
})

/** The lending account of a wallet: money in USD as text, shares and rates as fractions. A health factor below 1 can be liquidated. */
const statsJson = (stats: Stats) => {
  const side = ({ asset, balance, balanceUSD }: Stats['debt'][number] | Stats['underlying'][number]) => ({
    asset: { symbol: asset.symbol, address: asset.address, decimals: asset.decimals },
    balance: /^[0-9]+$/.test(balance.raw) ? tokenAmount(BigInt(balance.raw), asset) : null,
    balanceUsd: dollarsOf(balanceUSD),
  })
  return {
    collateral: stats.underlying.map((one) => ({
      ...side(one),
      priceUsd: dollarsOf(one.price),
      liquidationThreshold: numeric(one.liquidationThreshold),
    })),
    debt: stats.debt.map((one) => ({ ...side(one), borrowRate: numeric(one.borrowRate) })),
    ...countedJson(stats),
    markets:
      stats.markets?.map((one) => {
        const { protocol, network, address } = one
        return { protocol, network, address, ...countedJson(one) }
      }) ?? null,
    unread: stats.unread ?? null,
  }
}
