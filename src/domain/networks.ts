import { multicall3, type Network } from './network.ts'

type Row = Pick<Network, 'name' | 'chainId' | 'explorer'> & Partial<Pick<Network, 'native' | 'depth'>>

const ether = { symbol: 'ETH', decimals: 18 }
const minute = 60_000

/** A head may be a minute old, or ten blocks where blocks take longer: `slow` has blocks of twelve seconds. */
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

/** Test networks stand still now and then, which is nobody's fault. */
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
 * The networks that an RPC can be given for, beside the embedded chains. Ids, coins and explorers are those of `viem/chains`; a test
 * compares them. Depths are chosen from what reorganisations have been; docs/finality.md has the reason and the source of each.
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
