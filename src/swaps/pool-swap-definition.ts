import type { Rounds } from '../chain/call.ts'
import { type Address, sameAddress } from '../domain/address.ts'
import type { Network } from '../domain/networks.ts'
import { wrappedOn } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import type { CalldataVerdict } from '../protocols/calldata-verdict.ts'
import type { Catalog, SwapRow } from '../protocols/catalog-types.ts'
import type { SwapIntent } from '../protocols/intent.ts'
import type { MovingPriceQuote as Exchanged } from '../protocols/moving-price-quotes.ts'
import type { ContractAssertion } from '../protocols/shared/contract-assertions.ts'
import { provedByCalldata, type SwapDefinition } from './definition.ts'
import type { SwapProvider } from './provider.ts'
import type { SwapDependencies } from './provider-dependencies.ts'
import { assertionsAbout, contractsIn, type SwapContracts } from './swap-contracts.ts'

/** The parts of a provider of same-chain pool swaps. `wrapped` is the wrapped native coin of the chain. */
type PoolSwapParts<constants extends SwapRow, name extends string, file> = {
  contracts: SwapContracts<constants, name, file>
  title: string
  /** What its contracts must answer about themselves. */
  assertions: (here: constants) => readonly ContractAssertion[]
  pools: SwapDefinition['pools']
  /** Whether it is used on a chain where the catalogue has its contracts; always if omitted. */
  isUsable?: (here: constants) => boolean
  /** The contract to call. */
  routerOf: (here: constants) => Address
  /** Permit2, if the router takes the tokens through it. */
  permit2Of?: (here: constants) => Address
  check: (
    transaction: Transaction,
    intent: SwapIntent,
    here: constants,
    wrapped: Address | undefined,
  ) => CalldataVerdict
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
export function poolSwapDefinition<constants extends SwapRow, name extends string, file>({
  contracts,
  title,
  assertions,
  pools,
  isUsable = () => true,
  routerOf,
  permit2Of,
  check,
  exchange,
  open,
}: PoolSwapParts<constants, name, file>): SwapDefinition<SwapContracts<constants, name, file>> {
  const deployments = (catalog: Catalog) => contractsIn(catalog, contracts).filter(isUsable)
  const on = (catalog: Catalog, chainId: number) =>
    deployments(catalog).find((entry) => entry.chainId === chainId)
  const contractOn = (of: (here: constants) => Address) => (catalog: Catalog, chainId: number) => {
    const here = on(catalog, chainId)
    return here && of(here)
  }
  return {
    name: contracts.name,
    title,
    contracts,
    assertions: assertionsAbout(contracts, assertions),
    pools,
    reach: 'same-chain',
    proof: provedByCalldata,
    orders: 'none',
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
