import { vaultProtocol } from '../erc4626/vault-protocol.ts'
import { lendingDescription, type Protocol } from '../protocol.ts'
import { bindFluid } from './binding.ts'
import type { FluidConstants } from './constants.ts'
import { fluid as market } from './market.ts'

/** The lending vaults of Fluid (fTokens). */
export const fluid: Protocol<FluidConstants> = {
  grade: { grade: 'C', by: 'Instadapp/fluid-contracts-public, fToken/main.sol' },
  description: lendingDescription,
  rateConvention: () => 'the stated rate, to 0.01 %, compounded every second over 365 days',
  ...vaultProtocol(bindFluid, { byUnits: true }),
  market,
}
