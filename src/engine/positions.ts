import type { History } from '../api/history.ts'
import type { Position, Wallet } from '../api/wallet.ts'
import type { Address } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { read } from './chain.ts'
import { type Context, marketNamed } from './context.ts'
import { eventsOf, netInvested } from './events.ts'
import type { Market } from './markets/market.ts'
import { paged } from './paged.ts'
import { sumUsd, usd } from './prices.ts'
import { together } from './reading.ts'
import { type Standing, strategyOf } from './standings.ts'
import { grownStandings } from './strategies.ts'

/** A market in which the owner has something. */
export type Held = { market: Market; shares: bigint; balance: bigint }

/** What an owner holds: two calls a chain, whatever the number of markets. */
export async function holdings(
  context: Context,
  markets: readonly Market[],
  owner: Address,
): Promise<Held[]> {
  const chainIds = [...new Set(markets.map(({ entry }) => entry.chainId))]
  const perChain = await Promise.all(
    chainIds.map(async (id) => {
      const here = markets.filter(({ entry }) => entry.chainId === id)
      const shares = await read(context.chain(id), together(here.map((market) => market.shares(owner))))
      const held = here.flatMap((market, at) => (shares[at]! > 0n ? [{ market, shares: shares[at]! }] : []))
      const worth = await read(
        context.chain(id),
        together(held.map(({ market, shares }) => market.worth(shares))),
      )
      return held.map((one, at) => ({ ...one, balance: worth[at]! }))
    }),
  )
  return perChain.flat()
}

/** The positions of a wallet over all markets, with principal and profit off the chain's logs. */
export async function walletOf(context: Context, address: Address): Promise<Wallet> {
  const [held, stats] = await Promise.all([
    holdings(context, context.markets, address),
    context.lending(address),
  ])
  const stands = await grownStandings(
    context,
    held.map(({ market }) => market),
  )
  const positions = await Promise.all(held.map((one, at) => positionOf(context, one, stands[at]!, address)))
  return {
    address,
    positions,
    totalValueUsd: sumUsd(positions.map(({ balanceUsd }) => balanceUsd)),
    stats,
  }
}

async function positionOf(
  context: Context,
  { market, balance }: Held,
  standing: Standing,
  owner: Address,
): Promise<Position> {
  const net = await netOf(context, market, owner)
  const profit = net === null ? null : balance - net
  const { asset } = market.entry
  const strategy = strategyOf(standing)
  return {
    strategy,
    balance,
    principal: net !== null && net < 0n ? 0n : net,
    profit,
    balanceUsd: usd(balance, asset, standing.price),
    profitUsd: usd(profit, asset, standing.price),
    apy: strategy.apy,
  }
}

/** What the owner put in; `null` where the node does not give logs of so many blocks. */
async function netOf(context: Context, market: Market, owner: Address): Promise<bigint | null> {
  try {
    return netInvested(await eventsOf(context.chain(market.entry.chainId), market, owner))
  } catch (error) {
    if (error instanceof AppError && error.code === 'RPC_ERROR') return null
    throw error
  }
}

/** What a wallet did in one strategy, newest first. */
export async function historyOf(
  context: Context,
  input: { address: Address; strategyId: string; page?: number | undefined; limit?: number | undefined },
): Promise<History> {
  const market = marketNamed(context, input.strategyId)
  const events = await eventsOf(context.chain(market.entry.chainId), market, input.address)
  const items = events.reverse().map(({ txHash, at, type, amount }) => ({
    txHash,
    timestamp: new Date(at).toISOString(),
    type,
    amount,
    status: 'confirmed',
  }))
  return paged(items, input)
}
