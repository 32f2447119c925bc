import { type Address, nativeAddress, sameAddress } from '../domain/address.ts'
import type { Network } from '../domain/networks.ts'
import { less, more } from '../domain/slippage.ts'
import type { Ask, Offer, Route } from './provider.ts'

/** Whether a token is the native coin. */
export const isNative = ({ address }: { address: Address }): boolean => sameAddress(address, nativeAddress)

/** The tokens of the pools that a route needs: the native coin is swapped in its wrapped form, `undefined` where a chain has none. */
export const pooledTokens = (
  { from, tokenIn, tokenOut }: Route,
  wrappedOn: (network: Network) => Address | undefined,
): [Address | undefined, Address | undefined] => [
  isNative(tokenIn) ? wrappedOn(from) : tokenIn.address,
  isNative(tokenOut) ? wrappedOn(from) : tokenOut.address,
]

/** Whether pools of one chain can serve a route: it stays there, and its two tokens differ in their wrapped form. */
export function isPoolRoute(route: Route, wrappedOn: (network: Network) => Address | undefined): boolean {
  const [first, last] = pooledTokens(route, wrappedOn)
  return route.from.chainId === route.to.chainId && !!first && !!last && !sameAddress(first, last)
}

/** The best of several quotes: most out for an exact input, least in for an exact output; `undefined` without one above zero. */
export const bestQuoted = <quoted extends { amount: bigint }>(
  exact: 'in' | 'out',
  quotes: readonly quoted[],
): quoted | undefined =>
  quotes
    .filter(({ amount }) => amount > 0n)
    .toSorted((a, b) => (a.amount === b.amount ? 0 : a.amount > b.amount === (exact === 'in') ? -1 : 1))[0]

/** An offer out of what pools quote for the other side of a swap; the slippage bounds that side. */
export const poolOffer = ({ exact, amount, slippage }: Ask, quoted: bigint, raw: unknown): Offer => ({
  amountIn: exact === 'in' ? amount : quoted,
  amountOut: exact === 'in' ? quoted : amount,
  maxAmountIn: exact === 'in' ? amount : more(quoted, slippage),
  minAmountOut: exact === 'in' ? less(quoted, slippage) : amount,
  fees: [],
  raw,
})
