/** Lets later callers reuse an answer for `ms` milliseconds, if at least `minCallers` shared it. */
export type AnswerReuse = { minCallers: number; ms: number }

/**
 * Shares one request between concurrent callers. A caller that arrives while a request is pending shares the next
 * one, so no caller gets an answer to a request sent before its call, and at most one request is pending. With
 * `reuse`, an answer shared by many callers stays valid for `ms`: thousands of calls a second then cost one request
 * per `ms`.
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
      // Its callers handle a failure; the next request is sent regardless.
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
