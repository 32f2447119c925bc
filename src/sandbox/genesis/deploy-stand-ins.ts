import { pad, parseEther, parseUnits } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import { maxUint256 } from '../../domain/amount.ts'
import { networkNamed, sandboxNetworks } from '../../domain/networks.ts'
import type { AcrossConstants } from '../../swaps/across/constants-schema.ts'
import type { CctpV2Constants } from '../../swaps/cctp-v2/constants-schema.ts'
import type { KyberSwapConstants } from '../../swaps/kyberswap/constants-schema.ts'
import type { LifiConstants } from '../../swaps/lifi/constants-schema.ts'
import type { OneInchConstants } from '../../swaps/oneinch/constants-schema.ts'
import type { RelayConstants } from '../../swaps/relay/constants-schema.ts'
import { roles, sandboxAddress } from '../accounts.ts'
import type { Aave } from './aave.ts'
import { ownContract } from './artifacts.ts'
import type { Deployer } from './deployer.ts'
import { type Asset, assetFacts, type ChainParameters } from './parameters.ts'
import { allowMinting, type DeployedTokens, transferAssets } from './tokens.ts'

/** The addresses of the two vaults of a chain. */
export type Vaults = { lending: Address; staking: Address }

/** Deploys two ERC-4626 vaults on top of Aave, over USDC and over WETH, and makes a first deposit into each. */
export function deployVaults(
  d: Deployer,
  parameters: ChainParameters,
  tokens: DeployedTokens,
  aave: Aave,
): Vaults {
  const vault = ownContract('SandboxVault')
  const open = (asset: Asset, name: string, symbol: string, cap: bigint | null, first: string): Address => {
    const token = tokens.assets[asset]
    const units = (whole: string) => parseUnits(whole, assetFacts[asset].decimals)
    const limit = cap === null ? maxUint256 : units(String(cap))
    const address = d.deploy(vault, [token, aave.pool, aave.aTokens[asset], name, symbol, limit])
    d.call(ownContract('SandboxToken').abi, token, 'approve', [address, units(first)])
    d.call(vault.abi, address, 'deposit', [units(first), d.from])
    return address
  }
  return {
    lending: open('USDC', 'Sandbox USDC Vault', 'svUSDC', parameters.vaultCap, '500000'),
    staking: open('WETH', 'Sandbox Staked WETH', 'stWETH', null, '200'),
  }
}

/** The addresses of the staking with a withdrawal queue. */
export type Staking = { stEth: Address; wstEth: Address; queue: Address }

/** Deploys the stand-in for Lido and the coins that pay its rewards. */
export function deployStaking(d: Deployer): Staking {
  const lido = ownContract('SandboxLido')
  const stEth = d.deploy(lido, [], parseEther('50000'))
  const wstEth = d.deploy(ownContract('SandboxWstEth'), [stEth])
  const queue = d.deploy(ownContract('SandboxLidoQueue'), [stEth, wstEth])
  d.call(lido.abi, stEth, 'setQueue', [queue])
  return { stEth, wstEth, queue }
}

/** Deploys the stand-in for the router of KyberSwap and the executor of its routes. */
export function deployAggregator(
  d: Deployer,
  { chainId }: ChainParameters,
  { assets }: DeployedTokens,
): KyberSwapConstants {
  const executor = d.deploy(ownContract('SandboxSwapExecutor'), [])
  const router = d.deploy(ownContract('SandboxAggregationRouter'), [assets.WETH, executor])
  return { chainId, router, api: null }
}

/** Deploys the stand-in for the diamond of LI.FI, which deposits into a pool of Across. */
export const deployLifi = (d: Deployer, { chainId, spokePool }: AcrossConstants): LifiConstants => ({
  chainId,
  diamond: d.deploy(ownContract('SandboxLifiDiamond'), [spokePool]),
  api: null,
})

/** Deploys the stand-in for the router of 1inch with its own executor. */
export function deployOneInch(d: Deployer, { chainId }: ChainParameters): OneInchConstants {
  const router = d.deploy(ownContract('SandboxOneInchRouter'), [
    d.deploy(ownContract('SandboxSwapExecutor'), []),
  ])
  return { chainId, router, api: null }
}

/**
 * Deploys the stand-in for the depository of Relay. The sandbox's CoW solver is also Relay's solver, and pays native
 * coins itself.
 */
export function deployRelay(
  d: Deployer,
  { chainId }: ChainParameters,
  { assets }: DeployedTokens,
): RelayConstants {
  const [solver, chain] = [sandboxAddress(roles.solver), networkNamed(sandboxNetworks, chainId).name]
  // In addition to its funds for CoW orders.
  transferAssets(d, assets, solver, { BRLA: '5000000' })
  const depository = d.deploy(ownContract('SandboxRelayDepository'), [])
  return {
    chainId,
    depository,
    chain,
    router: solver,
    router32: solver,
    solver,
    solverChain: chain,
    api: null,
  }
}

/** Deploys one end of the burn-and-mint bridge and lets it mint and burn USDC. */
export function deployBridge(
  d: Deployer,
  parameters: ChainParameters,
  tokens: DeployedTokens,
): CctpV2Constants {
  const token = tokens.assets.USDC
  const messageTransmitter = d.deploy(ownContract('MessageTransmitterV2'), [
    parameters.domain,
    sandboxAddress(roles.attester),
  ])
  const tokenMessenger = d.deploy(ownContract('TokenMessengerV2'), [messageTransmitter, d.from])
  allowMinting(d, token, tokenMessenger)
  const { chainId, domain } = parameters
  return { chainId, domain, token, tokenMessenger, messageTransmitter, attestation: null }
}

/** Registers the remote end of the bridge at the local one. */
export function linkBridge(d: Deployer, here: CctpV2Constants, there: CctpV2Constants): void {
  const { abi } = ownContract('TokenMessengerV2')
  d.call(abi, here.tokenMessenger, 'addRemoteTokenMessenger', [there.domain, pad(there.tokenMessenger)])
  d.call(abi, here.tokenMessenger, 'linkTokenPair', [here.token, there.domain, pad(there.token)])
}
