import { redeemWithLoss, withdrawWithLoss } from '../../calls/yearn-v3.ts'
import type { StrategyEntry } from '../../domain/catalog.ts'
import type { YearnV3Constants } from '../../domain/market-constants.ts'
import { vaultReadings } from '../readings/vault.ts'
import { vaultSteps } from '../readings/vault-steps.ts'
import { unlockingRate } from '../readings/yearn-rate.ts'
import type { Market } from './market.ts'

/** A vault of Yearn v3: ERC-4626, but leaving says how much of a loss is taken, for without that a redemption takes any (source: VaultV3.vy). */
export const yearnV3 = (entry: StrategyEntry, constants: YearnV3Constants): Market => {
  const { chainId } = entry
  const { vault } = constants
  return {
    entry,
    ...vaultReadings(entry, constants),
    rate: (at) => unlockingRate(vault, at),
    ...vaultSteps(entry, vault),
    withdraw: ({ amount, owner }) => ({
      transaction: withdrawWithLoss({ chainId, vault, amount, owner }),
    }),
    withdrawAll: ({ owner, shares }) => ({
      transaction: redeemWithLoss({ chainId, vault, amount: shares, owner }),
    }),
  }
}
