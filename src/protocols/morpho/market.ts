import type { StrategyEntry } from '../catalog-types.ts'
import type { ProtocolMarket } from '../market.ts'
import { says } from '../shared/contract-assertions.ts'
import { vaultReadings, vaultSteps } from '../shared/erc4626-vault.ts'
import { metaMorphoAbi } from './abi.ts'
import type { MorphoConstants } from './constants.ts'
import { morphoRate } from './rate.ts'

/** A vault of Morpho: an ERC-4626 vault whose rate follows from those of the markets that it lends on. */
export const morpho = (entry: StrategyEntry, constants: MorphoConstants): ProtocolMarket => {
  const { vault } = constants
  const read = vaultReadings(entry, { vault })
  return {
    entry,
    ...read,
    contractAssertions: [
      ...read.contractAssertions,
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
