import { Argument, Command } from 'commander'
import { pageOf } from '../api/page.ts'
import { localAction } from '../cli/command-action.ts'
import type { LocalCli } from '../cli/command-run-types.ts'
import { leavesOf, signs, wordsOf } from '../cli/options/command-tree-queries.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import { describe } from '../cli/schema/describe-command.ts'
import { schemaPage } from '../cli/views/command-schema-view.ts'
import { AppError } from '../domain/errors.ts'
import { didYouMean } from '../domain/text/did-you-mean.ts'
import { sluice } from '../domain/text/next-step.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import { topics } from './help-topics.ts'

/** `schema`: the commands, for programs. */
export const schema = (program: CommandContext) =>
  new Command('schema')
    .description(
      'Describe a command for programs: arguments, flags and their types, output and exit codes. Without a command, list all commands.',
    )
    .argument('[command...]', 'command to describe, such as strategies list')
    .addHelpText('after', '\nExample:\n  $ sluice schema deposit --json')
    .action(localAction(program, show))

/** Runs a help topic as a command, because it is not in the command tree; `undefined` for another name. */
function helpOf(topic: string | undefined): Command | undefined {
  if (topic !== undefined && !Object.hasOwn(topics, topic)) return undefined
  const command = new Command('help')
    .description('Topics that apply to all commands: exit codes, environment, signing, formatting.')
    .addArgument(new Argument('<topic>', 'topic to show').choices(Object.keys(topics)))
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ sluice help exit-codes --json')
  new Command('sluice').addCommand(command)
  return command
}

async function show(cli: LocalCli, words: readonly string[]): Promise<void> {
  const root = await cli.program.commands()
  const named = words.join(' ').trim()
  const leaves = leavesOf(root)
  const command = words[0] === 'help' ? helpOf(words[1]) : leaves.find((one) => wordsOf(one) === named)
  if (command) return cli.emit(describe(command, topics.environment!.rows), schemaPage)
  const some = leaves.filter((one) => named === '' || wordsOf(one).startsWith(`${named} `))
  if (some.length === 0)
    throw new AppError(
      'USAGE',
      `Unknown command "${sanitizeText(named)}"${didYouMean(named, leaves.map(wordsOf))}`,
      {
        next: sluice('schema'),
      },
    )
  const items = some.map((one) => ({
    command: wordsOf(one),
    description: one.description(),
    signs: signs(one),
  }))
  await cli.list(pageOf(items, { all: true }), {
    empty: 'There are no commands.',
    columns: [
      {
        title: 'COMMAND',
        field: 'command',
        csv: { command: ({ command }) => command },
        text: ({ command }) => command,
      },
      {
        title: 'SIGNS',
        field: 'signs',
        csv: { signs: ({ signs }) => signs },
        text: ({ signs }) => (signs ? 'can' : ''),
      },
      {
        title: 'WHAT',
        field: 'description',
        csv: { description: ({ description }) => description },
        text: ({ description }) => description,
        drop: 1,
      },
    ],
  })
}
