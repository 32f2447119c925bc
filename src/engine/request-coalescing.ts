/** Lets later callers reuse an answer for `ms` milliseconds, if at least `minCallers` shared it. */
export type AnswerReuse = { minCallers: number; ms: number }

/**
 * Shares one question between concurrent callers. A caller that arrives while an answer is pending shares the
 * next one, so no caller gets an answer to a question asked before its call, and at most one question is
 * pending. With `reuse`, an answer shared by many callers stays valid a moment longer: thousands of calls a
 * second then cost one question per moment.
 */
export function coalesceRequests<value>(
  ask: () => Promise<value>,
  reuse?: AnswerReuse,
): () => Promise<value> {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<value> | undefined
  let callers = 0
  let good: { answer: Promise<value>; until: number } | undefined
  return () => {
    if (good && performance.now() < good.until) return good.answer
    callers++
    next ??= last.then(() => {
      next = undefined
      good = undefined
      const isReusable = reuse !== undefined && callers >= reuse.minCallers
      callers = 0
      const asked = ask()
      // Its callers handle a failure; the next question is asked regardless.
      last = asked.then(
        () => {
          if (isReusable) good = { answer: asked, until: performance.now() + reuse.ms }
        },
        () => undefined,
      )
      return asked
    })
    return next
  }
}
