import { outlineOf } from '../cli/help/outline.ts'
import type { World } from '../cli/world.ts'
import { commands } from '../commands/index.ts'
import { program } from './main.ts'

/** What the help shows and what completes words, for the build: a line of JSON for the program, where commands are only names, then one for each of them. */
export async function outlines(): Promise<string> {
  // Nothing is run: a command only has to say what it is.
  const world = { version: '', io: { out: { write: () => undefined } } } as unknown as World
  const root = outlineOf(await program([], world))
  const each = commands.map(async ({ name }) =>
    outlineOf(await program([name], world)).commands.find((one) => one.name === name),
  )
  return [root, ...(await Promise.all(each))].map((one) => JSON.stringify(one)).join('\n')
}
