import type { Address } from './address.ts'
import type { Unit } from './amount.ts'

/** A chain as this program knows it. `depth` is how many blocks, its own included, make a transaction final by default. */
export type Network = {
  name: string
  chainId: number
  native: Unit
  depth: number
  testnet: boolean
  /** How old the newest block may be before a node counts as stuck; without it, the chain makes blocks only when it has to. */
  headMaxAgeMs?: number
  /** Where Multicall3 stands, which asks many contracts in one call; without it, the call brings that code itself. */
  multicall3?: Address | undefined
  /** Base URL of a block explorer, without a slash at the end; `null` where there is none. */
  explorer: string | null
}

/** Where Multicall3 stands, which is the same on every chain (source: viem/chains, `contracts.multicall3`; a test compares). */
export const multicall3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'

/** The two embedded chains. Their ids are nobody's, so nothing signed there is valid elsewhere, and every key may see them. */
export const sandboxNetworks: readonly Network[] = [
  {
    name: 'sandbox-one',
    chainId: 31337,
    native: { symbol: 'ETH', decimals: 18 },
    depth: 1,
    testnet: false,
    multicall3,
    explorer: null,
  },
  {
    name: 'sandbox-two',
    chainId: 31338,
    native: { symbol: 'ETH', decimals: 18 },
    depth: 1,
    testnet: false,
    multicall3,
    explorer: null,
  },
]
