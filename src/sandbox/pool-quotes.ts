import { type Chain, openChain } from '../chain/open-chain.ts'
import { read } from '../chain/run-readings.ts'
import type { Address } from '../domain/address.ts'
import { type Token, wrappedOn } from '../domain/token.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { Offer, Route, SwapProvider } from '../swaps/provider.ts'
import { openSwapProviders } from '../swaps/swap-provider-registry.ts'
import type { SandboxNode } from './stand-in-options.ts'

/** The chain of a node as the engine reads it. */
export const chainOfNode = (catalog: Catalog, { network, rpc }: SandboxNode): Chain =>
  openChain(network, rpc, wrappedOn(catalog, network.chainId))

/** The exchanges whose pools are on a chain of the sandbox: those that its own services swap through. */
export const openExchanges = (catalog: Catalog, chain: Chain): SwapProvider[] =>
  openSwapProviders(
    { ...catalog, kyberSwap: [], oneInch: [], cctpV2: [], across: [], cow: [], avenia: [], lifi: [] },
    {
      read: (_, reading) => read(chain, reading),
      head: unused,
      log: unused,
      logs: unused,
      mined: unused,
      callOf: unused,
      getJson: unused,
      exchangeJson: unused,
      secretAt: unused,
      now: unused,
    },
  )

const unused = (): never => {
  throw new Error('an exchange of one chain asks for nothing but reads')
}

/** A token of which nothing but its address is asked. */
export const tokenOf = (chainId: number, address: Address): Token => ({
  chainId,
  address,
  symbol: '',
  name: '',
  decimals: 0,
})

/** An exchange and what it offers. */
export type Quoted = { exchange: SwapProvider; offer: Offer }

/** What each exchange offers for an amount on a route of one chain; those that offer nothing are left out. */
export async function quotesOf(
  exchanges: readonly SwapProvider[],
  route: Route,
  amount: bigint,
  exact: 'in' | 'out' = 'in',
): Promise<Quoted[]> {
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

/** The best of some quotes: what brings most, or costs least where the output is exact; `undefined` without one. */
export const bestOf = (quotes: readonly Quoted[], exact: 'in' | 'out' = 'in'): Quoted | undefined =>
  quotes.toSorted(({ offer: a }, { offer: b }) => {
    const more = exact === 'in' ? b.amountOut - a.amountOut : a.amountIn - b.amountIn
    return more > 0n ? 1 : more < 0n ? -1 : 0
  })[0]
