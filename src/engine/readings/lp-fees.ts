import { perTick } from './growth.ts'

const secondsAYear = 31_536_000
const one = 10n ** 18n
const precision = 10n ** 27n

/** What a pool still owes its providers: `undistributed` at its last touch, `passed` seconds ago, of which `perSecond` (scaled by 1e18) is paid out each second. */
export type LpFees = { undistributed: bigint; perSecond: bigint; passed: bigint }

/**
 * What a pool of the HubPool pays a year on its `value`: between two touches a constant part of the fees that were there at the first
 * one, until none is left (source: HubPool._getAccumulatedFees). `null` where it is no number.
 */
export function lpFeeRate(
  { undistributed, perSecond, passed }: LpFees,
  value: bigint,
): { apr: number | null; apy: number | null } {
  const isPaidOut = perSecond * passed >= one
  const each = isPaidOut || value === 0n ? 0n : (undistributed * perSecond * (precision / one)) / value
  const { apr, apy } = perTick(each, secondsAYear, precision)
  return Number.isFinite(apy) ? { apr, apy } : { apr: null, apy: null }
}
