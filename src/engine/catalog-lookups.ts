import { AppError } from '../domain/errors.ts'
import { type Network, networkNamed } from '../domain/networks.ts'
import type { StrategyEntry } from '../protocols/catalog-types.ts'
import type { Market } from '../protocols/market-adapter.ts'
import type { EngineContext } from './engine.ts'

/** Finds a market by id or slug, in any casing. An unknown one is STRATEGY_NOT_FOUND. */
export function marketNamed({ markets }: EngineContext, id: string): Market {
  const wanted = id.toLowerCase()
  const found = markets.find(({ entry }) => entry.slug === wanted || entry.id.toLowerCase() === wanted)
  if (found) return found
  throw new AppError('STRATEGY_NOT_FOUND', `There is no strategy "${id}"`, { details: { id } })
}

/** Whether a chain is in the scope of this customer. */
export const isChainInScope = ({ catalog }: EngineContext, chainId: number): boolean =>
  catalog.networks.some((network) => network.chainId === chainId)

export const networkOf = ({ catalog }: EngineContext, { chainId }: StrategyEntry): Network =>
  networkNamed(catalog.networks, chainId)

/** Finds the network at one end of a route, by name or chain id. An unknown one is NO_ROUTE_FOUND. */
export function routeNetworkNamed(
  { catalog }: Pick<EngineContext, 'catalog'>,
  name: string | number,
): Network {
  try {
    return networkNamed(catalog.networks, name)
  } catch (cause) {
    throw new AppError('NO_ROUTE_FOUND', `There is no network "${name}"`, { cause })
  }
}
