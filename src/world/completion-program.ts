import type { Candidate } from '../cli/completion/complete.ts'
import { leavesOf, wordsOf } from '../cli/schema/describe.ts'
import type { World } from '../cli/world.ts'
import { topics } from '../commands/help-topics.ts'

/** The topics of the help, for whoever completes a word. */
export const topicNames = (): Candidate[] =>
  Object.entries(topics).map(([name, { summary }]) => [name, summary])

/** What may come next of the words of a command. */
export async function nextWords(
  commands: World['commands'],
  before: readonly string[],
): Promise<Candidate[]> {
  const found = new Map<string, string>()
  for (const leaf of leavesOf(await commands())) {
    const words = wordsOf(leaf).split(' ')
    const [next, ...rest] = words.slice(before.length)
    if (next === undefined || before.some((word, at) => word !== words[at])) continue
    found.set(next, rest.length === 0 ? leaf.description() : '')
  }
  return [...found]
}
