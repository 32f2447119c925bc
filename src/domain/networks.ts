import type { Address } from './address.ts'
import { AppError } from './errors.ts'
import { rpcVariableOf } from './rpc-variable.ts'
import { didYouMean } from './text/did-you-mean.ts'
import { type Advice, advice, sameWith, sluice } from './text/next-step.ts'
import type { Unit } from './token.ts'

/** A chain. `depth` is the default number of blocks, including its own, after which a transaction counts as final. */
export type Network = {
  name: string
  chainId: number
  native: Unit
  depth: number
  testnet: boolean
  /**
   * Maximum age of the newest block before a node counts as stuck; without it, the chain makes blocks only on demand.
   */
  headMaxAgeMs?: number
  /** The address of Multicall3, which reads many contracts in one call; without it, each call carries its code. */
  multicall3?: Address | undefined
  /** Base URL of a block explorer, without a trailing slash; `null` if there is none. */
  explorer: string | null
}

/**
 * How long a recorded higher block counts against a node, in ms. One wrong answer may have named it; a node that is
 * behind for longer is detected by the age of its newest block.
 */
export const headRetentionMs = 10 * 60_000

/** The address of Multicall3 on every chain (source: viem/chains, `contracts.multicall3`; a test compares). */
export const multicall3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'

/**
 * The two embedded chains. No public chain has their ids, so signatures for them are valid nowhere else. Every API
 * key may see them.
 */
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

type Row = Pick<Network, 'name' | 'chainId' | 'explorer'> & Partial<Pick<Network, 'native' | 'depth'>>

const ether = { symbol: 'ETH', decimals: 18 }
const minute = 60_000

/** A head may be a minute old, or ten blocks on a chain with slow blocks: `slow` means blocks of twelve seconds. */
const real = (
  { native = ether, depth, ...row }: Row & Pick<Network, 'depth'>,
  { slow = false } = {},
): Network => ({
  ...row,
  native,
  depth,
  multicall3,
  testnet: false,
  headMaxAgeMs: slow ? 2 * minute : minute,
})

/** Test networks sometimes stall, so their heads may be older. */
const test = ({ native = ether, depth = 5, ...row }: Row): Network => ({
  ...row,
  native,
  depth,
  multicall3,
  testnet: true,
  headMaxAgeMs: 5 * minute,
})

const coin = (symbol: string) => ({ symbol, decimals: 18 })

/**
 * The networks for which an RPC can be set, besides the embedded chains. Ids, coins and explorers are those of
 * `viem/chains`; a test compares them. The depths follow past reorganisations; docs/finality.md has the reason and
 * the source of each.
 */
export const publicNetworks: readonly Network[] = [
  real({ name: 'ethereum', chainId: 1, depth: 8, explorer: 'https://etherscan.io' }, { slow: true }),
  real({ name: 'base', chainId: 8453, depth: 15, explorer: 'https://basescan.org' }),
  real({ name: 'arbitrum', chainId: 42161, depth: 80, explorer: 'https://arbiscan.io' }),
  real({ name: 'optimism', chainId: 10, depth: 15, explorer: 'https://optimistic.etherscan.io' }),
  real({
    name: 'polygon',
    chainId: 137,
    native: coin('POL'),
    depth: 32,
    explorer: 'https://polygonscan.com',
  }),
  real({ name: 'bnb', chainId: 56, depth: 15, native: coin('BNB'), explorer: 'https://bscscan.com' }),
  real({
    name: 'avalanche',
    chainId: 43114,
    depth: 3,
    native: coin('AVAX'),
    explorer: 'https://snowtrace.io',
  }),
  real({ name: 'gnosis', chainId: 100, depth: 8, native: coin('XDAI'), explorer: 'https://gnosisscan.io' }),
  real({ name: 'linea', chainId: 59144, depth: 15, explorer: 'https://lineascan.build' }),
  real({ name: 'scroll', chainId: 534352, depth: 15, explorer: 'https://scrollscan.com' }),
  real({ name: 'sonic', chainId: 146, depth: 2, native: coin('S'), explorer: 'https://sonicscan.org' }),
  real({ name: 'unichain', chainId: 130, depth: 30, explorer: 'https://uniscan.xyz' }),
  test({ name: 'sepolia', chainId: 11155111, depth: 3, explorer: 'https://sepolia.etherscan.io' }),
  test({ name: 'base-sepolia', chainId: 84532, explorer: 'https://sepolia.basescan.org' }),
  test({ name: 'arbitrum-sepolia', chainId: 421614, explorer: 'https://sepolia.arbiscan.io' }),
  test({
    name: 'optimism-sepolia',
    chainId: 11155420,
    explorer: 'https://optimism-sepolia.blockscout.com',
  }),
  test({
    name: 'avalanche-fuji',
    chainId: 43113,
    native: coin('AVAX'),
    explorer: 'https://testnet.snowtrace.io',
  }),
  test({ name: 'hoodi', chainId: 560048, depth: 3, explorer: 'https://hoodi.etherscan.io' }),
]

/** Every network that the program knows. */
export const allNetworks: readonly Network[] = [...sandboxNetworks, ...publicNetworks]

/**
 * Returns the network of a name or chain id; else UNKNOWN_NETWORK. If the network is known but has no RPC here, the
 * error names it.
 */
export function networkNamed(networks: readonly Network[], name: string | number): Network {
  const text = String(name).toLowerCase()
  const isIt = (network: Network) => network.name === text || String(network.chainId) === text
  const found = networks.find(isIt)
  if (found) return found
  const known = allNetworks.find(isIt)
  const names = networks.map((network) => network.name)
  if (!known) throw new AppError('UNKNOWN_NETWORK', `There is no network "${name}"${didYouMean(text, names)}`)
  const { message, next, details } = whyNetworkLacks(networks, known, typeof name === 'string')
  throw new AppError('UNKNOWN_NETWORK', message, { next, details })
}

/** Why a profile lacks a network that the program knows, and the variable that brings it. */
export function whyNetworkLacks(
  networks: readonly Network[],
  known: Network,
  isTyped = false,
): { message: string; next: Advice; details: Record<string, unknown> } {
  const { name } = known
  const said = isTyped ? `"${name}"` : name
  const [details, names] = [
    { network: name, variable: rpcVariable(known) },
    networks.filter(isEmbedded).map((one) => one.name),
  ]
  if (isEmbedded(known))
    return { message: `The network ${said} belongs to the sandbox`, next: sandboxHint(known), details }
  const isPublic = ({ chainId }: Network) => publicNetworks.some((one) => one.chainId === chainId)
  if (names.length > 0 && !networks.some(isPublic))
    return {
      message: `The sandbox has no network ${said}`,
      next: advice`The sandbox has ${names.join(' and ')}. For ${name}, set ${rpcVariable(known)} to the URL of an RPC. To set it up: ${sluice('init')}`,
      details,
    }
  return {
    message: `No RPC is set for the network ${said}`,
    next: advice`Set one in ${rpcVariable(known)}, then: ${sluice('doctor')}`,
    details,
  }
}

/** The network that a strategy is on by the end of its slug, if the program knows it: `aave-v3-usdc-base` is on base. */
export const networkOfSlug = (slug: string): Network | undefined =>
  allNetworks
    .filter(({ name }) => slug.toLowerCase().endsWith(`-${name}`))
    .toSorted((one, other) => other.name.length - one.name.length)[0]

/** Returns the network of a chain id for display: its known name even without an RPC here, else its number. */
export const displayNetwork = (networks: readonly Network[], chainId: number): Network =>
  [...networks, ...allNetworks].find((one) => one.chainId === chainId) ?? {
    name: String(chainId),
    chainId,
    native: { symbol: '', decimals: 18 },
    depth: 1,
    testnet: false,
    explorer: null,
  }

export const isEmbedded = ({ chainId }: Pick<Network, 'chainId'>): boolean =>
  sandboxNetworks.some((one) => one.chainId === chainId)

/** The hint how to reach an embedded chain from another profile. */
export const sandboxHint = (network: Pick<Network, 'name'>): Advice =>
  advice`On the sandbox: ${sameWith({ '--profile': 'sandbox' })}. From another profile, set ${rpcVariable(network)} to its URL, shown by: ${sluice('sandbox status')}`

/** The environment variable with the RPC URLs of a network. */
export const rpcVariable = ({ name }: Pick<Network, 'name'>): string => rpcVariableOf(name)
