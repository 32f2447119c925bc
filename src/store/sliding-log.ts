import type { Window } from './limiter.ts'

/** When requests were let in, and whether one more may be: in any stretch of each window, its ends included, at most so many. */
export type SlidingLog = {
  /** How long until one more is let in, in ms; 0 is now. */
  waitMs: (now: number) => number
  /** Lets one in, and answers with the time that it counts for: never earlier than the one before. */
  take: (now: number) => number
  /** Gives back the newest places, as if nobody had taken them. */
  giveBack: (count: number) => void
  /** Adds one that was let in before. */
  add: (at: number) => void
}

/** A log with nothing in it. Times are epoch ms. */
export function slidingLog(windows: readonly Window[]): SlidingLog {
  const most = Math.max(...windows.map((window) => window.most))
  const longest = Math.max(...windows.map(({ ms }) => ms))
  let times: number[] = []
  const waitAt = (now: number): number => {
    const last = times.at(-1) ?? now
    const at = Math.max(now, last)
    let wait = 0
    for (const window of windows) {
      const oldest = times[times.length - window.most]
      if (oldest !== undefined && at - oldest <= window.ms)
        wait = Math.max(wait, oldest + window.ms + 1 - now)
    }
    return wait
  }
  const add = (at: number) => {
    times.push(at)
    if (times.length >= 2 * most) times = times.slice(-most)
  }
  return {
    waitMs: (now) => {
      const wait = waitAt(now)
      if (wait <= longest + 1) return wait
      // A clock that was ahead has been put back: what was let in then counts as if it were now, never as earlier.
      const ahead = times.at(-1)! - now
      times = times.map((at) => at - ahead)
      return waitAt(now)
    },
    take: (now) => {
      const at = Math.max(now, times.at(-1) ?? now)
      add(at)
      return at
    },
    giveBack: (count) => {
      times.length = Math.max(0, times.length - count)
    },
    add,
  }
}
