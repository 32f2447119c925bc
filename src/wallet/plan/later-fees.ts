import { tokenAmount } from '../../domain/amount.ts'
import type { Catalog } from '../../domain/catalog.ts'
import { networkNamed } from '../../domain/network-named.ts'
import { nativeToken } from '../../domain/token.ts'
import type { LaterCost } from './later-legs.ts'
import { type Price, priced } from './priced.ts'
import type { ProposedLeg } from './proposal.ts'

/**
 * What the gas of the legs after the first is expected to cost on their own networks, as a plan prints it: as gas costs there now, in wei a
 * unit, with the data fee of a rollup, and what the wallet has there of the coin. What was not tried, or not read, is `null`.
 */
export const laterFeesOf = (
  legs: readonly ProposedLeg[],
  later: readonly LaterCost[],
  { networks }: Catalog,
  prices: readonly Price[],
) =>
  legs.flatMap(({ chainId, transactions }, leg) => {
    if (leg === 0 || transactions.length === 0) return []
    const network = networkNamed(networks, chainId)
    const coin = nativeToken(network)
    const { gas = null, price, data = 0n, held } = later.find(({ at }) => at === leg - 1) ?? {}
    return [
      {
        leg,
        network: network.name,
        symbol: coin.symbol,
        gas: gas?.toString() ?? null,
        gasPrice: price?.toString() ?? null,
        cost: gas === null || price === undefined ? null : priced(gas * price + data, coin, prices),
        held: held === undefined ? null : tokenAmount(held, coin),
      },
    ]
  })
