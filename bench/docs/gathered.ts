import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCommandContext } from '../../src/app/create-command-context.ts'
import { withCommands } from '../../src/app/main.ts'
import { leavesOf } from '../../src/cli/options/command-tree-queries.ts'
import type { CommandSchema } from '../../src/cli/schema/commands.ts'
import { describe } from '../../src/cli/schema/describe-command.ts'
import { stdio } from '../../src/cli/terminal/standard-streams.ts'
import { type Topic, topics } from '../../src/commands/help-topics.ts'
import { commands, helpGroups } from '../../src/commands/index.ts'

/** The content of the reference: every command under its heading, and the help topics. */
export type Gathered = {
  version: string
  description: string
  groups: { name: string; commands: CommandSchema[] }[]
  topics: Readonly<Record<string, Topic>>
}

/** Reads it from the command tree. It opens nothing and contains nothing of this machine. */
export async function gathered(): Promise<Gathered> {
  const { version } = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
  ) as { version: string }
  const nobody = async (): Promise<never> => {
    throw new Error('a reference asks nobody')
  }
  const world = createCommandContext({
    env: { SLUICE_HOME: '/nowhere' },
    secrets: { hasPrivateKey: false, password: undefined, apiKey: undefined },
    signingService: nobody,
    version,
    io: await stdio({ noColor: true, noInput: true, env: {} }),
    interrupt: { signal: new AbortController().signal, critical: (work) => work() },
    stdin: nobody,
    quiet: true,
  })
  const root = await withCommands(world).commands()
  const named = (name: string) => root.commands.find((one) => one.name() === name)!
  return {
    version,
    description: root.description(),
    groups: helpGroups.map((group) => ({
      name: group,
      commands: commands
        .filter((entry) => entry.group === group)
        .flatMap(({ name }) => leavesOf(named(name)))
        .map((leaf) => describe(leaf, topics.environment!.rows)),
    })),
    topics,
  }
}

/** The flags of all commands. */
export const globalFlags = ({ groups }: Gathered): CommandSchema['flags'] =>
  groups[0]!.commands[0]!.flags.filter(({ group }) => group === 'Global')

/** The flags of a command under their headings, without the flags of all commands. */
export function ownFlags({ flags }: CommandSchema): [group: string, flags: CommandSchema['flags']][] {
  const own = flags.filter(({ group }) => group !== 'Global')
  const groups = new Set(['Options', ...own.map(({ group }) => group)])
  return [...groups].map((group) => [group, own.filter((flag) => flag.group === group)])
}

/** A flag with its argument: `--amount AMOUNT`. */
export const typed = ({
  name,
  short,
  value,
  placeholder,
  choices,
}: CommandSchema['flags'][number]): string => {
  const word = choices ? choices.join('|') : placeholder?.toUpperCase()
  const taken = value === 'none' ? '' : value === 'optional' ? ` [${word}]` : ` ${word}`
  return `${short === null || short === name ? '' : `${short}, `}${name}${taken}`
}
