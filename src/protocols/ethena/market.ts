import type { StrategyEntry } from '../catalog-types.ts'
import type { ProtocolMarket } from '../market.ts'
import { vaultReadings, vaultSteps } from '../shared/erc4626-vault.ts'
import { ethenaAbi } from './abi.ts'
import type { EthenaConstants } from './constants.ts'
import { cooldownAssets, cooldownShares } from './encode.ts'

/** USDe staked with Ethena: an ERC-4626 vault whose withdrawals go through a cooldown. While Ethena has no cooldown, withdrawals are not supported. */
export const ethena = (entry: StrategyEntry, constants: EthenaConstants): ProtocolMarket => {
  const { chainId } = entry
  const { vault } = constants
  const { state, ...readings } = vaultReadings(entry, { vault })
  return {
    entry,
    ...readings,
    state: {
      reads: [...state.reads, { address: vault, abi: ethenaAbi, functionName: 'cooldownDuration' }],
      parse: (answers) => ({ ...state.parse(answers.slice(0, -1)), canWithdraw: Number(answers.at(-1)) > 0 }),
    },
    ...vaultSteps(entry, vault),
    withdraw: ({ amount }) => ({ transaction: cooldownAssets({ chainId, vault, amount }) }),
    withdrawAll: ({ shares }) => ({ transaction: cooldownShares({ chainId, vault, amount: shares }) }),
  }
}
