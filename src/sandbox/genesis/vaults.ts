import { parseUnits } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import { maxUint256 } from '../../domain/amount.ts'
import type { Aave } from './aave.ts'
import { own } from './artifacts.ts'
import type { Deployer } from './deployer.ts'
import { type Asset, about, type Plan } from './plan.ts'
import type { Tokens } from './tokens.ts'

/** Where the two vaults of a chain are. */
export type Vaults = { lending: Address; staking: Address }

/** Deploys two ERC-4626 vaults on top of Aave, over USDC and over WETH, and makes a first deposit into each. */
export function deployVaults(d: Deployer, plan: Plan, tokens: Tokens, aave: Aave): Vaults {
  const vault = own('SandboxVault')
  const open = (asset: Asset, name: string, symbol: string, cap: bigint | null, first: string): Address => {
    const token = tokens.assets[asset]
    const units = (whole: string) => parseUnits(whole, about[asset].decimals)
    const limit = cap === null ? maxUint256 : units(String(cap))
    const address = d.deploy(vault, [token, aave.pool, aave.aTokens[asset], name, symbol, limit])
    d.call(own('SandboxToken').abi, token, 'approve', [address, units(first)])
    d.call(vault.abi, address, 'deposit', [units(first), d.from])
    return address
  }
  return {
    lending: open('USDC', 'Sandbox USDC Vault', 'svUSDC', plan.vaultCap, '500000'),
    staking: open('WETH', 'Sandbox Staked WETH', 'stWETH', null, '200'),
  }
}
