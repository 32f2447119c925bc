import type { Timers } from '../../src/cli/command-time-type.ts'

/** Timers that only a test moves. */
export type DrivenTimers = Timers & {
  /** Moves the clock by ms and calls what is due, in order. */
  advance: (ms: number) => void
}

/** Makes timers that stand still until they are moved. */
export function drivenTimers(): DrivenTimers {
  let now = 0
  let due: { at: number; call: () => void }[] = []
  return {
    now: () => now,
    after: (ms, call) => {
      const one = { at: now + ms, call }
      due.push(one)
      return () => {
        due = due.filter((other) => other !== one)
      }
    },
    advance: (ms) => {
      const until = now + ms
      for (;;) {
        const [next] = due.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)
        if (!next) break
        now = Math.max(now, next.at)
        due = due.filter((one) => one !== next)
        next.call()
      }
      now = until
    },
  }
}
