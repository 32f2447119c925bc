/**
 * Maximum number of bumps of one step. The bound of a plan leaves room for all of them (`boundWithBumps`), so this and the rise decide how much
 * more than the current fee a plan may cost.
 */
export const maxBumps = 5

/** The rise of one bump, as a fraction: an eighth. geth requires a tenth, several other nodes an eighth. */
const rise = { of: 1n, in: 8n }

/** Adds the rise of a bump, rounded up, and at least 1 wei. */
export const bumpedFee = (fee: bigint): bigint =>
  larger((fee * (rise.in + rise.of) + rise.in - 1n) / rise.in, fee + 1n)

/**
 * The most that a unit of gas of a plan may cost, in wei, by the current fee: the fee after all bumps, rounded up to a multiple of the current
 * fee, since the market also moves until the last step is signed. With five bumps of an eighth it is twice the fee; with five of 15 % it would be
 * three times.
 */
export function boundWithBumps(fee: bigint): bigint {
  let bumped = fee
  for (let bump = 0; bump < maxBumps; bump++) bumped = bumpedFee(bumped)
  return fee === 0n ? bumped : ((bumped + fee - 1n) / fee) * fee
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
