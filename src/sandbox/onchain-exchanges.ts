import { read } from '../chain/block-reads.ts'
import type { Chain } from '../chain/chain.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { SwapProvider } from '../swaps/provider.ts'
import { openSwapProviders } from '../swaps/registry.ts'

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
