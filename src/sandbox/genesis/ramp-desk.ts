import { parseUnits } from 'viem/utils'
import type { AveniaConstants } from '../../protocols/catalog.ts'
import { roles, sandboxAddress } from '../accounts.ts'
import { own } from './artifacts.ts'
import type { Deployer } from './deployer.ts'
import { about, type Plan } from './plan.ts'
import type { Tokens } from './tokens.ts'

/** What the desk of ramps pays out of on each chain, in whole tokens. */
const funds = { USDC: '5000000', BRLA: '25000000' } as const

/** Gives the desk of ramps what it pays out; it has no contract. */
export function fillDesk(d: Deployer, { chainId }: Plan, { assets }: Tokens): AveniaConstants {
  const desk = sandboxAddress(roles.desk)
  for (const asset of ['USDC', 'BRLA'] as const)
    d.call(own('SandboxToken').abi, assets[asset], 'transfer', [
      desk,
      parseUnits(funds[asset], about[asset].decimals),
    ])
  return { chainId, desk, usdc: assets.USDC, brla: assets.BRLA, chain: 'SANDBOX', service: null }
}
