import { parseAbi } from 'viem/utils'
import type { Query, Rounds } from '../../chain/contract-query.ts'
import type { Address } from '../../domain/address.ts'
import type { StrategyEntry } from '../catalog.ts'
import type { Market, Moment, Rate } from '../market.ts'
import { perTick } from '../shared/rates.ts'
import { vaultReadings, vaultSteps } from '../shared/vault.ts'
import type { YearnV3Constants } from './constants.ts'
import { redeemWithLoss, withdrawWithLoss } from './encode.ts'

/** How a vault of Yearn v3 pays out what it has earned: it burns so many of its own shares a second, by 1e12, until a day (source: VaultV3.vy). */
const unlockingAbi = parseAbi([
  'function profitUnlockingRate() view returns (uint256)',
  'function fullProfitUnlockDate() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])

const names = ['profitUnlockingRate', 'fullProfitUnlockDate', 'totalSupply'] as const

/**
 * Asks what a vault of Yearn v3 pays now: the part of its shares that it burns a second, by which those that are left are worth more.
 * `null` where it does not answer, and where all that it reported is paid out, so that nothing says what it earns.
 */
function* unlockingRate(vault: Address, { now }: Moment): Rounds<Rate | null> {
  const answers = yield names.map(
    (functionName): Query => ({ address: vault, abi: unlockingAbi, functionName }),
  )
  if (answers.includes(undefined)) return null
  const [each, until, supply] = answers as [bigint, bigint, bigint]
  if (until <= BigInt(now) || each === 0n || supply === 0n) return null
  return perTick((each * 10n ** 6n) / supply, 31_536_000)
}

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
