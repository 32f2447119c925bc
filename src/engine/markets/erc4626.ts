import type { StrategyEntry } from '../../domain/catalog.ts'
import type { Erc4626Constants } from '../../domain/market-constants.ts'
import { answers } from '../readings/claims.ts'
import { eulerRate, eulerVaultAbi } from '../readings/euler-rate.ts'
import { vaultReadings } from '../readings/vault.ts'
import { vaultSteps } from '../readings/vault-steps.ts'
import type { Market } from './market.ts'

/** Any ERC-4626 vault: assets go in for shares, and all of it comes out by giving all shares back. */
export const erc4626 = (entry: StrategyEntry, constants: Erc4626Constants): Market => {
  const { vault, lends } = constants
  const readings = vaultReadings(entry, constants)
  return {
    entry,
    ...readings,
    ...(lends === 'euler' && {
      rate: () => eulerRate(vault),
      claims: [
        ...readings.claims,
        answers('what it costs to borrow from it', {
          address: vault,
          abi: eulerVaultAbi,
          functionName: 'interestRate',
        }),
      ],
    }),
    ...vaultSteps(entry, vault),
  }
}
