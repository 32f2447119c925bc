import type { Quote } from '../../../api/quote.ts'
import { isMinimumUnprovenBy } from '../../../planning/swap-payout-guarantees.ts'

/** The other providers' offers that a quote lists, without the other speeds of its own provider. */
export const otherProviders = ({ alternatives }: Quote): NonNullable<Quote['alternatives']> =>
  (alternatives ?? []).filter(({ transferSpeed }) => transferSpeed === null)

/**
 * The provider of the offer that is best after gas, if it is not that of the quote itself. A known net amount goes before an unknown one, and
 * an offer whose minimum nothing proves is not chosen.
 */
export function betterAfterGas(quote: Quote, exact: 'in' | 'out'): string | undefined {
  const netOf = ({ netAmountIn, netAmountOut }: Pick<Quote, 'netAmountIn' | 'netAmountOut'>) =>
    exact === 'in' ? netAmountOut : netAmountIn
  const isBetter = (one: bigint, other: bigint | null) =>
    other === null || (exact === 'in' ? one > other : one < other)
  let [provider, net]: [string | undefined, bigint | null] = [undefined, netOf(quote)]
  for (const other of otherProviders(quote)) {
    const own = netOf(other)
    if (own === null || isMinimumUnprovenBy(other.provider) || !isBetter(own, net)) continue
    provider = other.provider
    net = own
  }
  return provider
}
