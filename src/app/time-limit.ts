import type { Timers } from '../cli/command-time-type.ts'
import { maxTimerMs } from '../domain/timer-limit.ts'

/** The time limit of a command without `--timeout`, in ms, for all that it reads. */
const readsMs = 30_000

/** The least time to report what was signed, in ms. */
const reportMs = 5_000

/** A limit of time that counts only what it should. Times are in ms. */
export type TimeLimit = {
  /** Begins to count; `spentMs` of it are over already. Without an explicit limit it is that of reads. */
  start: (explicitMs: number | undefined, spentMs: number) => void
  ms: () => number
  /** What is left of an explicit limit. */
  left: () => number | undefined
  /** Stops counting until the returned function is called. */
  hold: () => () => void
  /** Runs work that is no read: without an explicit limit, the time of reads begins anew after it. */
  unlimited: <value>(work: () => Promise<value>) => Promise<value>
  /** Runs work that has a limit of its own, which an explicit limit counts too; some time is left to report what it did. */
  critical: <value>(work: () => Promise<value>) => Promise<value>
  /** Counts no more. */
  stop: () => void
}

/** Makes a limit that has not begun. `onOver` is called once. */
export function timeLimit(timers: Timers, onOver: () => void): TimeLimit {
  let explicitMs: number | undefined
  let leftMs = Number.POSITIVE_INFINITY
  let since: number | undefined
  let cancel: (() => void) | undefined
  let holds = 0
  let longs = 0
  let isStopped = false
  const spent = () => (since === undefined ? 0 : timers.now() - since)
  /** Counts the time so far, and goes on counting if something is limited now. */
  const count = (): void => {
    cancel?.()
    leftMs -= spent()
    since = undefined
    const isHeld = holds > 0 || (longs > 0 && explicitMs === undefined)
    if (isStopped || isHeld || leftMs === Number.POSITIVE_INFINITY) return
    since = timers.now()
    cancel = timers.after(Math.min(Math.max(0, leftMs), maxTimerMs), () => {
      if (leftMs - spent() > 0) return count()
      isStopped = true
      onOver()
    })
  }
  const hold = (): (() => void) => {
    holds++
    count()
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      holds--
      count()
    }
  }
  return {
    start: (explicit, spentMs) => {
      explicitMs = explicit
      leftMs = (explicit ?? readsMs) - spentMs
      count()
    },
    ms: () => explicitMs ?? readsMs,
    left: () => (explicitMs === undefined ? undefined : leftMs - spent()),
    hold,
    unlimited: async (work) => {
      longs++
      count()
      try {
        return await work()
      } finally {
        longs--
        if (explicitMs === undefined && longs === 0) leftMs = readsMs
        count()
      }
    },
    critical: async (work) => {
      const began = timers.now()
      const release = hold()
      try {
        return await work()
      } finally {
        leftMs = explicitMs === undefined ? readsMs : Math.max(reportMs, leftMs - (timers.now() - began))
        release()
      }
    },
    stop: () => {
      isStopped = true
      count()
    },
  }
}
