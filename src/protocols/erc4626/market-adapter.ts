import { queriesOf } from '../../chain/contract-query.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import type { ProtocolMarket } from '../market-adapter.ts'
import { reserve } from '../shared/aave-reserve.ts'
import { mustRespond } from '../shared/contract-assertions.ts'
import { vaultReadings, vaultSteps } from '../shared/erc4626-vault.ts'
import type { Erc4626Constants } from './constants-schema.ts'
import { eulerRate, eulerVaultAbi } from './euler-rate.ts'

/** Any ERC-4626 vault: a deposit brings shares, and redeeming all shares leaves no rest. */
export const erc4626 = (entry: StrategyEntry, constants: Erc4626Constants): ProtocolMarket => {
  const { vault, lends, backing } = constants
  const { address, decimals } = entry.asset
  const readings = vaultReadings(
    entry,
    constants,
    backing && reserve({ ...backing, asset: address, decimals }),
  )
  return {
    entry,
    ...readings,
    ...(lends === 'euler' && {
      rate: () => eulerRate(vault),
      contractAssertions: [
        ...readings.contractAssertions,
        mustRespond('what it costs to borrow from it', queriesOf(vault, eulerVaultAbi)('interestRate')),
      ],
    }),
    ...vaultSteps(entry, vault),
  }
}
