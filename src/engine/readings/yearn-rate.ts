import { parseAbi } from 'viem/utils'

import type { Query, Rounds } from '../../calls/queue.ts'
import type { Address } from '../../domain/address.ts'
import type { Moment, Rate } from '../markets/market.ts'
import { perTick } from './growth.ts'

/** How a vault of Yearn v3 pays out what it has earned: it burns so many of its own shares a second, by 1e12, until a day (source: VaultV3.vy). */
export const unlockingAbi = parseAbi([
  'function profitUnlockingRate() view returns (uint256)',
  'function fullProfitUnlockDate() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])

const names = ['profitUnlockingRate', 'fullProfitUnlockDate', 'totalSupply'] as const

/**
 * Asks what a vault of Yearn v3 pays now: the part of its shares that it burns a second, by which those that are left are worth more.
 * `null` where it does not answer, and where all that it reported is paid out, so that nothing says what it earns.
 */
export function* unlockingRate(vault: Address, { now }: Moment): Rounds<Rate | null> {
  const answers = yield names.map(
    (functionName): Query => ({ address: vault, abi: unlockingAbi, functionName }),
  )
  if (answers.includes(undefined)) return null
  const [each, until, supply] = answers as [bigint, bigint, bigint]
  if (until <= BigInt(now) || each === 0n || supply === 0n) return null
  return perTick((each * 10n ** 6n) / supply, 31_536_000)
}
