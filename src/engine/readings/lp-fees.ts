/** The year by which Across states what it pays, in seconds: 365.25 days. */
export const acrossYear = 31_557_600

const one = 10n ** 18n
const precision = 10n ** 27n

/** What a pool still owes its providers: `undistributed` at its last touch, `passed` seconds ago, of which `perSecond` (scaled by 1e18) is paid out each second. */
export type LpFees = { undistributed: bigint; perSecond: bigint; passed: bigint }

/**
 * What a pool of the HubPool pays a year on its `value`: between two touches a constant part of the fees that were there at the first
 * one, until none is left (source: HubPool._getAccumulatedFees). Stated as Across states it (source: estimatedApr and estimatedApy of
 * PoolClient, @across-protocol/sdk, over one second): its APY is that of a second times the seconds of its year, and not compounded, so
 * that it is its APR. `null` where it is no number.
 */
export function lpFeeRate(
  { undistributed, perSecond, passed }: LpFees,
  value: bigint,
): { apr: number | null; apy: number | null } {
  const isPaidOut = perSecond * passed >= one
  const each = isPaidOut || value === 0n ? 0n : (undistributed * perSecond * (precision / one)) / value
  const rate = (Number(each) / Number(precision)) * acrossYear
  return Number.isFinite(rate) ? { apr: rate, apy: rate } : { apr: null, apy: null }
}
