import { erc20Abi } from '../../chain/erc20.ts'
import { type Address, nativeAddress } from '../../domain/address.ts'
import { maxUint256 } from '../../domain/amount.ts'
import type { CowConstants } from '../../swaps/cow/constants-schema.ts'
import { roles, sandboxAddress } from '../accounts.ts'
import { published } from './artifacts.ts'
import type { Deployer } from './deployer.ts'
import type { Asset, ChainParameters } from './parameters.ts'
import { type DeployedTokens, transferAssets } from './tokens.ts'

/** Funds of the solver on each chain, in whole tokens. */
const liquidity: Partial<Record<Asset, string>> = {
  USDC: '5000000',
  USDT: '5000000',
  WETH: '1000',
  WBTC: '50',
}

/**
 * Deploys the settlement of CoW Protocol with its vault relayer, and its list of solvers without a proxy, from the
 * published contracts. There is no Balancer vault. Funds the solver.
 */
export async function deployCow(
  d: Deployer,
  { chainId }: ChainParameters,
  { assets }: DeployedTokens,
): Promise<CowConstants> {
  const [list, settlement] = [published('GPv2AllowListAuthentication'), published('GPv2Settlement')]
  const solvers = d.deploy(list)
  d.call(list.abi, solvers, 'initializeManager', [d.from])
  d.call(list.abi, solvers, 'addSolver', [sandboxAddress(roles.solver)])
  const at = d.deploy(settlement, [solvers, nativeAddress])
  transferAssets(d, assets, sandboxAddress(roles.solver), liquidity)
  const vaultRelayer = await d.read<Address>(settlement.abi, at, 'vaultRelayer')
  return { chainId, settlement: at, vaultRelayer, api: null }
}

/** Approves the settlement to spend the solver's tokens for fills. */
export function allowOrders(
  solver: Deployer,
  { settlement }: CowConstants,
  { assets }: DeployedTokens,
): void {
  for (const asset of Object.keys(liquidity) as Asset[])
    solver.call(erc20Abi, assets[asset], 'approve', [settlement, maxUint256])
}
