import type { Cli } from './cli.ts'

/** How long an operation is followed where nobody says, in ms. */
export const halfAnHour = 30 * 60_000

/** How long may be read before an operation begins without it being followed for less, in ms. */
const planningMs = 8_000

/** The least time in which something can be sent and looked for, in ms. */
const leastMs = 500

/** How long an operation is followed from now on: what was said, or less where making the plan took long, so that the command as a whole ends soon after what was said. A person who thinks about a question loses nothing. */
export function timeLeft({ io, globals, began }: Cli): number {
  const { timeoutMs, input } = globals
  if (timeoutMs === undefined) return halfAnHour
  if (io.canAsk && input) return timeoutMs
  const left = timeoutMs + planningMs - (performance.now() - began)
  return Math.min(timeoutMs, Math.max(leastMs, left))
}
