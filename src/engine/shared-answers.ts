/** For how long, in ms, an answer that at least so many shared is good for whoever comes afterwards. */
export type AnswerReuse = { minCallers: number; ms: number }

/**
 * One question for many who ask at once. Whoever comes while an answer is on its way shares the next one, so that nobody gets an
 * answer to a question that was asked before he came, and there is never more than one question at a time. With a `crowd` an answer
 * that many shared is good for a moment longer: thousands a second then cost one question a moment.
 */
export function shareAnswers<value>(ask: () => Promise<value>, crowd?: AnswerReuse): () => Promise<value> {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<value> | undefined
  let sharing = 0
  let good: { answer: Promise<value>; until: number } | undefined
  return () => {
    if (good && performance.now() < good.until) return good.answer
    sharing++
    next ??= last.then(() => {
      next = undefined
      good = undefined
      const isCrowd = crowd !== undefined && sharing >= crowd.minCallers
      sharing = 0
      const asked = ask()
      // Whether it failed is for those who wait for it; the next question is asked all the same.
      last = asked.then(
        () => {
          if (isCrowd) good = { answer: asked, until: performance.now() + crowd.ms }
        },
        () => undefined,
      )
      return asked
    })
    return next
  }
}

/** Makes something for a chain when it is first asked for, and keeps it. */
export function oncePerChain<made>(make: (chainId: number) => made): (chainId: number) => made {
  const all = new Map<number, made>()
  return (chainId) => {
    const known = all.get(chainId) ?? make(chainId)
    all.set(chainId, known)
    return known
  }
}
