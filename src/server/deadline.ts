/** Who is told when something took too long: `begin` and `end` say what is under way, `close` stops looking. */
export type Deadline<one> = { begin: (one: one) => void; end: (one: one) => void; close: () => void }

/** How often one looks while the time of something runs. */
const looks = 10

/**
 * Tells of whatever is not over `ms` after it began, or a tenth of it later. One timer is for all, so that what is over in time has
 * cost next to nothing.
 */
export function deadlineOf<one>(ms: number, late: (one: one) => void): Deadline<one> {
  /** What is under way, by the look that it began after; the oldest comes first. */
  const underWay = new Map<one, number>()
  let look = 0
  const timer = setInterval(() => {
    look++
    for (const [one, began] of underWay) {
      if (look - began <= looks) break
      underWay.delete(one)
      late(one)
    }
  }, ms / looks)
  timer.unref()
  return {
    begin: (one) => underWay.set(one, look),
    end: (one) => underWay.delete(one),
    close: () => clearInterval(timer),
  }
}
