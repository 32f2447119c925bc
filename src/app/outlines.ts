import { outlineOf } from '../cli/help/outline.ts'
import type { World } from '../cli/world.ts'
import { commands } from '../commands/index.ts'
import { program } from './main.ts'

/**
 * The outlines for help and completion, made by the build: a line of JSON for the program with command
 * names, then one for each command.
 */
export async function outlines(): Promise<string> {
  // No command runs; only its definition is read.
  const world = { version: '', io: { out: { write: () => undefined } } } as unknown as World
  const root = outlineOf(await program([], world))
  const each = commands.map(async ({ name }) =>
    outlineOf(await program([name], world)).commands.find((one) => one.name === name),
  )
  return [root, ...(await Promise.all(each))].map((one) => JSON.stringify(one)).join('\n')
}
