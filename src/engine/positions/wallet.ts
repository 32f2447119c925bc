import type { Wallet } from '../../api/wallet.ts'
import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { sumUsd } from '../../domain/usd.ts'
import type { EngineContext } from '../context.ts'
import { withAllNetworks } from '../market-cache.ts'
import { lendingStats } from './lending-accounts.ts'
import { chainWallet } from './positions.ts'

/** The positions of a wallet over all markets. Networks that do not answer are named, and nothing of theirs is in it; where none answers there is nothing to show. */
export async function walletOf(context: EngineContext, address: Address): Promise<Wallet> {
  const chainIds = [...new Set(context.markets.map(({ entry }) => entry.chainId))]
  const networks = chainIds.map((chainId) => networkNamed(context.catalog.networks, chainId))
  const asked = await Promise.all(
    networks.map(async (network) => {
      const part = await orRpcError(chainWallet(context, network.chainId, address))
      context.onMissingNetwork(network, part instanceof AppError ? part : null)
      return part
    }),
  )
  const parts = asked.flatMap((part) => (part instanceof AppError ? [] : [part]))
  const fault = asked.find((part) => part instanceof AppError)
  if (fault && parts.length === 0) throw withAllNetworks(fault, networks)
  const positions = parts.flatMap((part) => part.positions)
  const realised = parts.flatMap((part) => part.realised)
  const queuedUsd = sumUsd(positions.map((one) => one.queuedUsd))
  return {
    address,
    positions,
    totalValueUsd: sumUsd([...positions.map(({ balanceUsd }) => balanceUsd), queuedUsd]),
    queuedUsd,
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
      missing: networks.flatMap(({ name }, at) => (asked[at] instanceof AppError ? [name] : [])),
    }),
  }
}

/** What came of some work, or why its chain does not answer. */
const orRpcError = <value>(work: Promise<value>): Promise<value | AppError> =>
  work.catch((error: unknown) => {
    if (error instanceof AppError && /^(RPC_|CHAIN_ID_)/.test(error.code)) return error
    throw error
  })
