import { ask } from '../chain/ask.ts'
import { type Chain, openChain } from '../chain/network-client.ts'
import type { Address } from '../domain/address.ts'
import { type Token, wrappedOn } from '../domain/token.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { Offer, Route, SwapProvider } from '../swaps/provider.ts'
import { nodePricedProviderNames, openSwapProviders } from '../swaps/swap-provider-registry.ts'
import type { SandboxNode } from './stand-in-option-types.ts'

/** Opens the chain of a node with the engine's reads. */
export const chainOfNode = (catalog: Catalog, { network, rpc }: SandboxNode): Chain =>
  openChain(network, rpc, wrappedOn(catalog, network.chainId))

/** Opens the exchanges with pools on a sandbox chain; the sandbox services swap through them. */
export const openExchanges = (catalog: Catalog, chain: Chain): SwapProvider[] =>
  openSwapProviders(
    { ...catalog, swaps: exchangesOf(catalog.swaps) },
    {
      read: (_, reading) => ask(chain, reading),
      head: unused,
      log: unused,
      logs: unused,
      mined: unused,
      callOf: unused,
      getJson: unused,
      exchangeJson: unused,
      hasKey: unused,
      passedOver: unused,
      secretAt: unused,
      now: unused,
    },
  )

/** The providers that price a swap from reads of one chain. */
const exchangesOf = (swaps: Catalog['swaps']): Catalog['swaps'] =>
  Object.fromEntries(Object.entries(swaps).filter(([name]) => nodePricedProviderNames.includes(name)))

const unused = (): never => {
  throw new Error('an exchange of one chain asks for nothing but reads')
}

/** A token of which only the address matters. */
export const tokenOf = (chainId: number, address: Address): Token => ({
  chainId,
  address,
  symbol: '',
  name: '',
  decimals: 0,
})

export type ExchangeQuote = { exchange: SwapProvider; offer: Offer }

/** Returns each exchange's offer for an amount on a route of one chain; exchanges without an offer are left out. */
export async function quotesOf(
  exchanges: readonly SwapProvider[],
  route: Route,
  amount: bigint,
  exact: 'in' | 'out' = 'in',
): Promise<ExchangeQuote[]> {
  const terms = { exact, amount, slippage: 0, speed: null, refund: null, isSpent: false } as const
  const offers = await Promise.all(
    exchanges
      .filter((one) => one.supports(route))
      .map(async (exchange) => ({
        exchange,
        offer: await exchange.quote({ ...route, ...terms }, AbortSignal.timeout(5_000)),
      })),
  )
  return offers.flatMap(({ exchange, offer }) => (offer ? [{ exchange, offer }] : []))
}

/**
 * Returns the best quote: the highest output, or the lowest input if the output is exact; `undefined` without a
 * quote.
 */
export const bestOf = (
  quotes: readonly ExchangeQuote[],
  exact: 'in' | 'out' = 'in',
): ExchangeQuote | undefined =>
  quotes.toSorted(({ offer: a }, { offer: b }) => {
    const more = exact === 'in' ? b.amountOut - a.amountOut : a.amountIn - b.amountIn
    return more > 0n ? 1 : more < 0n ? -1 : 0
  })[0]
