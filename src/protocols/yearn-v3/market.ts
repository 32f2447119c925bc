import { parseAbi } from 'viem/utils'
import type { Query, Rounds } from '../../chain/contract-query.ts'
import type { Address } from '../../domain/address.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import type { Moment, ProtocolMarket, Rate } from '../market.ts'
import { vaultReadings, vaultSteps } from '../shared/erc4626-vault.ts'
import { perTick } from '../shared/rate-units.ts'
import type { YearnV3Constants } from './constants.ts'
import { redeemWithLoss, withdrawWithLoss } from './encode.ts'

/** The profit of a vault of Yearn v3: it burns shares of its own at this rate per second, scaled by 1e12, until a date (source: VaultV3.vy). */
const unlockingAbi = parseAbi([
  'function profitUnlockingRate() view returns (uint256)',
  'function fullProfitUnlockDate() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])

const names = ['profitUnlockingRate', 'fullProfitUnlockDate', 'totalSupply'] as const

/**
 * The current rate of a vault of Yearn v3: the share of its supply that it burns per second, which raises the price of the rest. `null` if it does not
 * answer, or if all reported profit is paid out.
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

/** A vault of Yearn v3: ERC-4626, but withdrawals limit the loss; without that, a redemption accepts any loss (source: VaultV3.vy). */
export const yearnV3 = (entry: StrategyEntry, constants: YearnV3Constants): ProtocolMarket => {
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
