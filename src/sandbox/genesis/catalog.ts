import type { Address } from '../../domain/address.ts'
import { type Network, networkNamed, sandboxNetworks } from '../../domain/networks.ts'
import { nativeToken, type Token } from '../../domain/token.ts'
import { emptyCatalog } from '../../protocols/catalog-operations.ts'
import type { Catalog, StrategyEntry } from '../../protocols/catalog-types.ts'
import type { LidoConstants } from '../../protocols/lido/constants-schema.ts'
import { type CctpV2Constants, cctpV2Contracts } from '../../swaps/cctp-v2/constants-schema.ts'
import { type KyberSwapConstants, kyberSwapContracts } from '../../swaps/kyberswap/constants-schema.ts'
import { swapRows } from '../../swaps/swap-contracts.ts'
import { type UniswapV2Constants, uniswapV2Contracts } from '../../swaps/uniswap-v2/constants-schema.ts'
import { type UniswapV3Constants, uniswapV3Contracts } from '../../swaps/uniswap-v3/constants-schema.ts'
import { type UniswapV4Constants, uniswapV4Contracts } from '../../swaps/uniswap-v4/constants-schema.ts'
import type { Aave } from './aave.ts'
import type { Staking, Vaults } from './deploy-stand-ins.ts'
import { type Asset, assetFacts, assets, type ChainParameters, logos } from './parameters.ts'
import type { DeployedTokens } from './tokens.ts'

/** The deployments of one chain. */
export type Deployed = {
  parameters: ChainParameters
  tokens: DeployedTokens
  aave: Aave
  vaults: Vaults
  uniswap: UniswapV3Constants
  pairs: UniswapV2Constants
  aggregator: KyberSwapConstants
  poolsV4: UniswapV4Constants
  bridge: CctpV2Constants
  staking: Staking | null
  fromBlock: bigint
  /** ISO 8601. */
  startDate: string
}

/** Builds the catalogue of the deployed contracts. */
export const catalogOf = (chains: readonly Deployed[]): Catalog => ({
  ...emptyCatalog,
  networks: sandboxNetworks,
  tokens: chains.flatMap(tokensOf),
  strategies: chains.flatMap(strategiesOf),
  swaps: {
    ...swapRows(
      uniswapV3Contracts,
      chains.map(({ uniswap }) => uniswap),
    ),
    ...swapRows(
      uniswapV2Contracts,
      chains.map(({ pairs }) => pairs),
    ),
    ...swapRows(
      kyberSwapContracts,
      chains.map(({ aggregator }) => aggregator),
    ),
    ...swapRows(
      uniswapV4Contracts,
      chains.map(({ poolsV4 }) => poolsV4),
    ),
    ...swapRows(
      cctpV2Contracts,
      chains.map(({ bridge }) => bridge),
    ),
  },
  priceOracles: Object.fromEntries(chains.map(({ parameters, aave }) => [parameters.chainId, aave.oracle])),
})

const tokensOf = (chain: Deployed): Token[] => [
  ...assets.map((asset) => assetToken(chain, asset)),
  ...chain.tokens.duplicates.map((address, index) => ({
    chainId: chain.parameters.chainId,
    address,
    symbol: 'DUP',
    decimals: 18,
    name: chain.parameters.duplicates[index]!,
  })),
]

const assetToken = ({ parameters, tokens }: Deployed, asset: Asset): Token => ({
  chainId: parameters.chainId,
  address: tokens.assets[asset],
  symbol: asset,
  decimals: assetFacts[asset].decimals,
  name: assetFacts[asset].name,
})

function strategiesOf(chain: Deployed): StrategyEntry[] {
  const network = networkNamed(sandboxNetworks, chain.parameters.chainId)
  const lent: Asset[] = ['USDC', 'USDT', 'WETH']
  if (network.name === 'sandbox-two') lent.push('BRLA', 'WBTC')
  return [
    ...lent.map((asset) => lendingEntry(chain, network, asset)),
    vaultEntry(chain, network, {
      protocol: 'sandbox-vault',
      category: 'lending',
      asset: 'USDC',
      vault: chain.vaults.lending,
      receipt: { symbol: 'svUSDC', name: 'Sandbox USDC Vault' },
      name: 'Sandbox USDC vault',
    }),
    vaultEntry(chain, network, {
      protocol: 'sandbox-staking',
      category: 'staking',
      asset: 'WETH',
      vault: chain.vaults.staking,
      receipt: { symbol: 'stWETH', name: 'Sandbox Staked WETH' },
      name: 'Sandbox staked WETH',
    }),
    ...(chain.staking ? stakingEntries(chain, network, chain.staking) : []),
  ]
}

type Common =
  | 'id'
  | 'slug'
  | 'protocol'
  | 'network'
  | 'chainId'
  | 'asset'
  | 'startDate'
  | 'launchDate'
  | 'familyLaunchDate'
  | 'logourl'
  | 'fromBlock'

function common(
  chain: Deployed,
  network: Network,
  protocol: string,
  asset: Token,
): Pick<StrategyEntry, Common> {
  const id = `${protocol}-${asset.symbol}-${network.name}`
  return {
    id,
    slug: id.toLowerCase(),
    protocol,
    network: network.name,
    chainId: network.chainId,
    asset,
    startDate: chain.startDate,
    launchDate: null,
    familyLaunchDate: null,
    logourl: logos[asset.symbol as Asset | 'ETH'],
    fromBlock: chain.fromBlock,
  }
}

const lendingEntry = (chain: Deployed, network: Network, asset: Asset): StrategyEntry => ({
  ...common(chain, network, 'aave-v3', assetToken(chain, asset)),
  name: `Aave v3 ${asset}`,
  category: 'lending',
  receipt: {
    chainId: network.chainId,
    address: chain.aave.aTokens[asset],
    symbol: `a${asset}`,
    decimals: assetFacts[asset].decimals,
    name: `Aave Sandbox ${asset}`,
  },
  implementationSelector: 'aave-v3@1',
  isDefault: asset === 'USDC',
  metadata: texts(
    asset,
    `Lends ${asset} to borrowers of an Aave v3 market against collateral. The rate follows how much is borrowed.`,
  ),
  constants: {
    family: 'aave-v3',
    pool: chain.aave.pool,
    aToken: chain.aave.aTokens[asset],
    oracle: chain.aave.oracle,
  },
})

type VaultWords = {
  protocol: string
  category: 'lending' | 'staking'
  asset: Asset
  vault: Address
  receipt: { symbol: string; name: string }
  name: string
}

const vaultEntry = (chain: Deployed, network: Network, words: VaultWords): StrategyEntry => ({
  ...common(chain, network, words.protocol, assetToken(chain, words.asset)),
  name: words.name,
  category: words.category,
  receipt: {
    chainId: network.chainId,
    address: words.vault,
    ...words.receipt,
    decimals: assetFacts[words.asset].decimals,
  },
  implementationSelector: 'erc4626@1',
  isDefault: false,
  metadata: texts(
    words.asset,
    `An ERC-4626 vault that takes ${words.asset} and gives shares; the value of a share grows as the vault earns.`,
  ),
  constants: {
    family: 'erc4626',
    vault: words.vault,
    backing: { pool: chain.aave.pool, aToken: chain.aave.aTokens[words.asset] },
  },
})

/** The strategies of the Lido stand-in: held as stETH or as wstETH. */
function stakingEntries(
  chain: Deployed,
  network: Network,
  { stEth, wstEth, queue }: Staking,
): StrategyEntry[] {
  const entry = (protocol: string, address: Address, constants: LidoConstants): StrategyEntry => {
    const { holds: symbol } = constants
    return {
      ...common(chain, network, protocol, nativeToken(network)),
      name: `Sandbox Lido ${symbol}`,
      category: 'staking',
      receipt: { chainId: network.chainId, address, symbol, decimals: 18, name: `Sandbox ${symbol}` },
      implementationSelector: 'lido@1',
      isDefault: false,
      metadata: {
        en: {
          risk: 'Sandbox: test coins on a local chain, no value at risk.',
          volatility: 'Follows the price of ETH.',
          description: `Stakes ETH with a stand-in for Lido and holds ${symbol}. A withdrawal is a request that waits a day, and is then claimed.`,
        },
      },
      constants,
    }
  }
  const shared = { family: 'lido', stEth, queue } as const
  return [
    entry('sandbox-lido', stEth, { ...shared, holds: 'stETH' }),
    entry('sandbox-lido-wsteth', wstEth, { ...shared, holds: 'wstETH', wstEth, staker: wstEth }),
  ]
}

const texts = (asset: Asset, description: string) => ({
  en: {
    risk: 'Sandbox: test tokens on a local chain, no value at risk.',
    volatility:
      asset === 'WETH' || asset === 'WBTC'
        ? `Follows the price of ${asset}.`
        : `Low: ${asset} holds its peg here.`,
    description,
  },
})
