/**
 * One question for many who ask at once. Whoever comes while an answer is on its way shares the next one, so that nobody gets an
 * answer to a question that was asked before he came, and there is never more than one question at a time.
 */
export function fresh<value>(ask: () => Promise<value>): () => Promise<value> {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<value> | undefined
  return () => {
    next ??= last.then(() => {
      next = undefined
      const asked = ask()
      // Whether it failed is for those who wait for it; the next question is asked all the same.
      last = asked.catch(() => undefined)
      return asked
    })
    return next
  }
}
