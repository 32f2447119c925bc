import { parseEther, parseUnits } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import { own } from './artifacts.ts'
import type { Deployer } from './deployer.ts'
import { type Asset, about, assets } from './plan.ts'

/** What an account gets when no amount is named, in whole tokens. */
export const grant: Record<Asset, string> = {
  USDC: '100000',
  USDT: '50000',
  WETH: '10',
  WBTC: '1',
  BRLA: '100000',
}

/** Native coins that a funded account has at least. */
export const nativeGrant = parseEther('10000')

/** Gives an account the usual amount of every asset, out of what the owner holds. */
export function grantAll(d: Deployer, tokens: Record<Asset, Address>, to: Address): void {
  for (const asset of assets)
    d.call(own('SandboxToken').abi, tokens[asset], 'transfer', [
      to,
      parseUnits(grant[asset], about[asset].decimals),
    ])
}
