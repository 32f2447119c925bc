/** The assets of Aave and Uniswap on both chains. */
export const assets = ['USDC', 'USDT', 'WETH', 'WBTC', 'BRLA'] as const
/** The symbol of such an asset. */
export type Asset = (typeof assets)[number]

/** Facts of an asset on both chains: decimals, name, and its price in USD with 8 decimals. */
export const assetFacts: Record<Asset, { decimals: number; name: string; usd: bigint }> = {
  USDC: { decimals: 6, name: 'USD Coin', usd: 1_00000000n },
  USDT: { decimals: 6, name: 'Tether USD', usd: 1_00000000n },
  WETH: { decimals: 18, name: 'Wrapped Ether', usd: 3000_00000000n },
  WBTC: { decimals: 8, name: 'Wrapped BTC', usd: 90000_00000000n },
  BRLA: { decimals: 18, name: 'BRLA Token', usd: 18000000n },
}

const mainnetLogos = 'https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/ethereum/assets'

/** The logos of the mainnet assets (sources: @indexcoop/tokenlists 4.7.2, and @sonarwatch/token-lists 1.24.84 for BRLA and ETH). */
export const logos: Record<Asset | 'ETH', string> = {
  USDC: `${mainnetLogos}/0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48/logo.png`,
  USDT: `${mainnetLogos}/0xdAC17F958D2ee523a2206206994597C13D831ec7/logo.png`,
  WETH: `${mainnetLogos}/0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2/logo.png`,
  WBTC: `${mainnetLogos}/0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599/logo.png`,
  BRLA: 'https://coin-images.coingecko.com/coins/images/40062/small/IconGreen400.png?1725459580',
  ETH: 'https://raw.githubusercontent.com/sonarwatch/token-lists/main/images/common/ETH.png',
}

/** Deposits into Aave in whole tokens, and the borrowed share of each in percent. */
type Lending = Record<Asset, { supplied: bigint; borrowedPercent: bigint }>

/** Parameters in which the two chains differ. */
export type ChainParameters = {
  chainId: number
  /** Domain of the chain at the bridge, outside the range of real domains. */
  domain: number
  /** Number of empty transactions sent first, so that the same contract has different addresses on the two chains. */
  padding: number
  lending: Lending
  /** Deposit limit of the USDC vault in whole tokens. */
  vaultCap: bigint | null
  pausedReserves: readonly Asset[]
  /** Whether the chain has staking with a withdrawal queue. */
  hasStaking: boolean
  /** Names of tokens that share the symbol DUP. */
  duplicates: readonly string[]
}

const lending = (percent: Record<Asset, bigint>): Lending => ({
  USDC: { supplied: 10_000_000n, borrowedPercent: percent.USDC },
  USDT: { supplied: 8_000_000n, borrowedPercent: percent.USDT },
  WETH: { supplied: 4_000n, borrowedPercent: percent.WETH },
  WBTC: { supplied: 200n, borrowedPercent: percent.WBTC },
  BRLA: { supplied: 20_000_000n, borrowedPercent: percent.BRLA },
})

/** The two chains, in the order of `sandboxNetworks`. */
export const chainParameters: readonly [ChainParameters, ChainParameters] = [
  {
    chainId: 31337,
    domain: 31337,
    padding: 0,
    lending: lending({ USDC: 70n, USDT: 60n, WETH: 40n, WBTC: 20n, BRLA: 50n }),
    vaultCap: 2_000_000n,
    pausedReserves: [],
    hasStaking: true,
    duplicates: ['Duplicate A', 'Duplicate B'],
  },
  {
    chainId: 31338,
    domain: 31338,
    padding: 3,
    lending: lending({ USDC: 82n, USDT: 55n, WETH: 50n, WBTC: 20n, BRLA: 70n }),
    vaultCap: null,
    pausedReserves: ['WBTC'],
    hasStaking: false,
    duplicates: [],
  },
]
