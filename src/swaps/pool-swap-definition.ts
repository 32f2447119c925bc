import type { Rounds } from '../chain/contract-query.ts'
import { type Address, sameAddress } from '../domain/address.ts'
import type { Network } from '../domain/networks.ts'
import { wrappedOn } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import type { Verdict } from '../protocols/calldata-verdict.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { SwapIntent } from '../protocols/intent.ts'
import type { Offer as Exchanged } from '../protocols/moving-price-quotes.ts'
import { provedByCalldata, type SwapDefinition } from './definition.ts'
import type { SwapProvider } from './provider.ts'
import type { SwapDependencies } from './provider-dependencies.ts'

/** The parts of a provider of same-chain pool swaps. `wrapped` is the wrapped native coin of the chain. */
type PoolSwapParts<constants> = {
  name: string
  /** Its contracts in a catalogue. */
  deployments: (catalog: Catalog) => readonly constants[]
  /** The contract to call. */
  routerOf: (here: constants) => Address
  /** Permit2, if the router takes the tokens through it. */
  permit2Of?: (here: constants) => Address
  check: (
    transaction: Transaction,
    intent: SwapIntent,
    here: constants,
    wrapped: Address | undefined,
  ) => Verdict
  /** Reads the output of a router call now and at the spot price. */
  exchange: (
    here: constants,
    transaction: Transaction,
    wrapped: Address | undefined,
  ) => Rounds<Exchanged> | undefined
  open: (
    deployments: readonly constants[],
    read: SwapDependencies['read'],
    wrappedOn: (network: Network) => Address | undefined,
  ) => SwapProvider
}

/** Defines a provider of same-chain pool swaps; the calldata proves all its terms. */
export function poolSwapDefinition<constants extends { chainId: number }>({
  name,
  deployments,
  routerOf,
  permit2Of,
  check,
  exchange,
  open,
}: PoolSwapParts<constants>): SwapDefinition {
  const on = (catalog: Catalog, chainId: number) =>
    deployments(catalog).find((entry) => entry.chainId === chainId)
  const contractOn = (of: (here: constants) => Address) => (catalog: Catalog, chainId: number) => {
    const here = on(catalog, chainId)
    return here && of(here)
  }
  return {
    name,
    reach: 'same-chain',
    proof: provedByCalldata,
    refusals: 'asks no service',
    spender: contractOn(permit2Of ?? routerOf),
    ...(permit2Of && { callee: contractOn(routerOf) }),
    expect: (catalog, intent) => {
      const { chainId } = intent.tokenIn
      const here = on(catalog, chainId)
      return (
        here && {
          targets: [routerOf(here)],
          check: (transaction) => check(transaction, intent, here, wrappedOn(catalog, chainId)),
        }
      )
    },
    exchange: (catalog, transaction) => {
      const { chainId, to } = transaction
      const here = on(catalog, chainId)
      return here && sameAddress(to, routerOf(here))
        ? exchange(here, transaction, wrappedOn(catalog, chainId))
        : undefined
    },
    open: (catalog, { read }) =>
      open(deployments(catalog), read, ({ chainId }) => wrappedOn(catalog, chainId)),
  }
}
