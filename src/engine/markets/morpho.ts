import { metaMorphoAbi } from '../../calls/morpho.ts'
import type { StrategyEntry } from '../../domain/catalog.ts'
import type { MorphoConstants } from '../../domain/market-constants.ts'
import { says } from '../readings/claims.ts'
import { morphoRate } from '../readings/morpho-rate.ts'
import { vaultReadings } from '../readings/vault.ts'
import { vaultSteps } from '../readings/vault-steps.ts'
import type { Market } from './market.ts'

/** A vault of Morpho: an ERC-4626 vault that lends on markets whose rates are known, and so is its own. */
export const morpho = (entry: StrategyEntry, constants: MorphoConstants): Market => {
  const { vault } = constants
  const read = vaultReadings(entry, { vault })
  return {
    entry,
    ...read,
    claims: [
      ...read.claims,
      says(
        'the Morpho of the vault',
        { address: vault, abi: metaMorphoAbi, functionName: 'MORPHO' },
        constants.morpho,
      ),
    ],
    rate: (at) => morphoRate(constants, at),
    ...vaultSteps(entry, vault),
  }
}
