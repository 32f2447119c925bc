import { encodeFunctionData } from 'viem/utils'
import { erc20Abi } from '../../chain/erc20.ts'
import { maxUint256 } from '../../domain/amount.ts'
import type { AcrossConstants } from '../../swaps/across/constants-schema.ts'
import { roles, sandboxAddress } from '../accounts.ts'
import { acrossContract } from './artifacts.ts'
import type { Deployer } from './deployer.ts'
import type { Asset, ChainParameters } from './parameters.ts'
import { type DeployedTokens, transferAssets } from './tokens.ts'

/** Funds of the relayer on each chain, in whole tokens. */
const liquidity: Partial<Record<Asset, string>> = {
  USDC: '50000000',
  USDT: '50000000',
  WETH: '5000',
  WBTC: '500',
}

/** Maximum age of a quote timestamp and maximum distance of a fill deadline, in seconds: as on Ethereum. */
const buffers = [3_600, 21_600] as const

/**
 * Deploys an Across pool behind its proxy, from its published contracts, without the gateway of version 5. The
 * deployer owns it and so can send refund bundles. Funds the relayer.
 */
export function deployAcross(
  d: Deployer,
  { chainId }: ChainParameters,
  { assets }: DeployedTokens,
): AcrossConstants {
  const pool = acrossContract('Ethereum_SpokePool')
  const nobody = `0x${'0'.repeat(40)}`
  const implementation = d.deploy(pool, [assets.WETH, ...buffers, nobody])
  const begin = encodeFunctionData({ abi: pool.abi, functionName: 'initialize', args: [0, d.from] })
  const spokePool = d.deploy(acrossContract('ERC1967Proxy'), [implementation, begin])
  transferAssets(d, assets, sandboxAddress(roles.relayer), liquidity)
  const { USDC, USDT, WETH, WBTC } = assets
  return { chainId, spokePool, tokens: { USDC, USDT, WETH, WBTC }, api: null }
}

/** Approves a pool to spend the relayer's tokens for fills. */
export function allowFills(
  relayer: Deployer,
  { spokePool }: AcrossConstants,
  { assets }: DeployedTokens,
): void {
  for (const asset of Object.keys(liquidity) as Asset[])
    relayer.call(erc20Abi, assets[asset], 'approve', [spokePool, maxUint256])
}
