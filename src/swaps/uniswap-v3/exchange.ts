import type { Rounds } from '../../chain/contract-query.ts'
import type { Address, Hex } from '../../domain/address.ts'
import type { Offer } from '../../protocols/exchange-quotes.ts'
import { poolOutputAgainstSpot } from '../pool-output-against-spot.ts'
import { quoterV2Abi } from './abi.ts'
import { wayOf } from './binding.ts'
import { packPath } from './path.ts'
import { atSpot, spotQueries } from './spot-price.ts'

/** What a swap of SwapRouter02 brings now, and at the spot prices of its pools; `undefined` if it is no such swap. */
export function exchangeOfV3(quoter: Address, data: Hex): Rounds<Offer> | undefined {
  const swap = wayOf(data)
  if (!swap) return undefined
  const { path, exact } = swap
  return poolOutputAgainstSpot(swap, {
    quote: (given) => ({
      address: quoter,
      abi: quoterV2Abi,
      functionName: exact === 'in' ? 'quoteExactInput' : 'quoteExactOutput',
      args: [packPath(path, exact), given],
    }),
    other: (said) => (said as readonly [bigint] | undefined)?.[0],
    prices: spotQueries(quoter, path),
    fair: (prices, paid) => atSpot(path, prices, paid),
  })
}
