import { commandManifest } from '../cli/help/command-manifest.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import { commands } from '../commands/index.ts'
import { buildProgram } from './main.ts'

/**
 * The manifests for help and completion, made by the build: a line of JSON for the program with command
 * names, then one for each command.
 */
export async function commandManifests(): Promise<string> {
  // No command runs; only its definition is read.
  const program = { version: '', io: { out: { write: () => undefined } } } as unknown as CommandContext
  const root = commandManifest(await buildProgram([], program))
  const each = commands.map(async ({ name }) =>
    commandManifest(await buildProgram([name], program)).commands.find((one) => one.name === name),
  )
  return [root, ...(await Promise.all(each))].map((one) => JSON.stringify(one)).join('\n')
}
