/**
 * The clocks that a time can be on: this machine's, by which the journal records, or a chain's, by which its blocks are dated. A chain may
 * be far ahead, as the sandbox is after `sandbox warp`.
 */
export type ClockName = 'machine' | 'chain'

/** A time in epoch ms with its clock, so that nothing is measured from it by the other one. */
export type Instant = { clock: ClockName; at: number }

/** The present by each clock, in epoch ms. */
export type Now = Readonly<Record<ClockName, number>>

/** How long ago an instant was, in ms, by its own clock; never negative. */
export const msSince = ({ clock, at }: Instant, now: Now): number => Math.max(0, now[clock] - at)
