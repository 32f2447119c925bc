import type { Window } from './rate-limiter.ts'

/**
 * The times of accepted requests, and whether one more is accepted: at most so many in any stretch of each window, ends included.
 */
export type SlidingLog = {
  /** How long until the next request is accepted, in ms; 0 is now. */
  waitMs: (now: number) => number
  /** Accepts a request and returns its time, never earlier than the one before. */
  take: (now: number) => number
  /** Removes the newest requests, as if they had not been made. */
  giveBack: (count: number) => void
  /** Adds an earlier request. */
  add: (at: number) => void
}

/** An empty log. Times are epoch ms. */
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
      // The clock was set back: earlier requests count as of now, never as older.
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
