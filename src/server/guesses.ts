import { slidingLog } from '../store/sliding-log.ts'
import { tooMany } from './access.ts'

/** How many wrong keys an address may send in a minute before it is told to wait; a right key is never held back by them. */
const mostGuesses = 100
const windowMs = 60_000
const mostAddresses = 10_000

/** Counts wrong keys by the address that they came from. `wrong` throws RATE_LIMITED where there were too many. */
export function guesses(now: () => number): { wrong: (address: string) => void } {
  const windows = [{ ms: windowMs, most: mostGuesses }]
  const logs = new Map<string, ReturnType<typeof slidingLog>>()
  return {
    wrong: (address) => {
      const log = logs.get(address) ?? slidingLog(windows)
      const at = now()
      const waitMs = log.waitMs(at)
      if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1000))
      log.take(at)
      // Whoever has many addresses must not fill the memory: the one that came first is forgotten.
      logs.delete(address)
      logs.set(address, log)
      if (logs.size > mostAddresses) logs.delete(logs.keys().next().value!)
    },
  }
}
