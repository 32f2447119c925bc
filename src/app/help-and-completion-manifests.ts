import { type CommandManifest, commandManifest } from '../cli/help/command-manifest.ts'
import { helpText } from '../cli/help/help-text.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import { commands } from '../commands/index.ts'
import { programVersion } from '../http/program-version.ts'
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

/** The width of a help page that no terminal shows, in columns. */
const plainWidth = 80

/**
 * The pages that need no program, made by the build: the help for an output that is no terminal, and the version. A line for the program and
 * one for each command, with its name, a tab, and the pages below it by their words, as JSON.
 */
export function helpPages(manifests: string): string {
  const [root, ...commands] = manifests.split('\n').map((line) => JSON.parse(line) as CommandManifest)
  const pagesOf = (one: CommandManifest, words: string): [string, string][] => [
    [words, helpText(one.help, plainWidth) + one.help.after],
    ...one.commands.flatMap((sub) => pagesOf(sub, `${words} ${sub.name}`)),
  ]
  const line = (name: string, pages: [string, string][]) =>
    `${name}\t${JSON.stringify(Object.fromEntries(pages))}`
  const program = line('', pagesOf({ ...root!, commands: [] }, ''))
  const version = line('--version', [['--version', `${programVersion}\n`]])
  return [program, version, ...commands.map((one) => line(one.name, pagesOf(one, one.name)))].join('\n')
}
