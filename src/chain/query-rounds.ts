import { type Chain, read } from './chain.ts'
import type { Rounds } from './contract-query.ts'

/** Answers several sequences of rounds in parallel: one call for each round of all. */
export async function answerRounds<value>(
  chain: Chain,
  lines: readonly Rounds<value>[],
): Promise<readonly value[]> {
  let steps = lines.map((line) => line.next())
  for (;;) {
    const asked = steps.map(({ done, value }) => (done ? [] : value))
    if (asked.every((queries) => queries.length === 0) && steps.every(({ done }) => done))
      return steps.map(({ value }) => value as value)
    const all = await read(chain, { reads: asked.flat(), parse: (answers) => answers })
    let at = 0
    steps = steps.map((step, line) => {
      if (step.done) return step
      const first = at
      at += asked[line]!.length
      return lines[line]!.next(all.slice(first, at))
    })
  }
}
