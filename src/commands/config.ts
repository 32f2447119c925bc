import { Command } from 'commander'
import { pageOf } from '../api/page.ts'
import { localAction } from '../cli/command-action.ts'
import type { LocalCli } from '../cli/command-run-types.ts'
import { helpOf } from '../cli/options/usage-errors.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import type { OptionsOf } from '../domain/command-line/flags.ts'
import { AppError } from '../domain/errors.ts'
import { didYouMean } from '../domain/text/did-you-mean.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'

/** `config`: the settings that hold now. Alone it lists them. */
export const config = (program: CommandContext) => {
  const command = new Command('config').description(
    'Show the effective settings. Without a subcommand, same as `config list`.',
  )
  const lists = (one: Command) =>
    one
      // The group accepts the flag anywhere on the line.
      .action((_: object, typed: Command) => localAction(program, list)(typed.optsWithGlobals(), typed))
  lists(command)
    .allowExcessArguments()
    .addHelpText('after', '\nExample:\n  $ sluice config --show-origin')
    .hook('preAction', () => refuseOthers(command))
  lists(command.command('list'))
    .allowExcessArguments(false)
    .description(
      'List the effective settings. Secrets are never shown, only whether they are set. The word `list` is optional.',
    )
    .addHelpText('after', '\nExample:\n  $ sluice config list --show-origin')
  return command
}

/** A word that is none of its commands. */
function refuseOthers(command: Command): void {
  const [typed] = command.args
  const names = command.commands.map((one) => one.name())
  if (typed !== undefined && !names.includes(typed))
    throw new AppError('USAGE', `unknown command '${typed}'${didYouMean(typed, names)}`, {
      next: helpOf(command),
    })
}

async function list(cli: LocalCli, { showOrigin = false }: OptionsOf<'config list'>): Promise<void> {
  const all = await cli.program.settingOrigins(cli.globals.profile)
  const items = all.map(({ name, value, origin }) => ({ name, value, ...(showOrigin && { origin }) }))
  await cli.list(pageOf(items, { all: true }), {
    empty: 'Nothing is set.',
    columns: [
      {
        field: 'name',
        title: 'NAME',
        csv: { name: ({ name }) => name },
        text: ({ name }) => sanitizeText(name),
      },
      {
        field: 'value',
        title: 'VALUE',
        csv: { value: ({ value }) => value },
        text: ({ value }) => sanitizeText(value),
        drop: 1,
      },
      ...(showOrigin
        ? [
            {
              field: 'origin',
              title: 'ORIGIN',
              csv: { origin: ({ origin }: { origin?: string }) => origin },
              text: ({ origin = '' }: { origin?: string }) => sanitizeText(origin),
            },
          ]
        : []),
    ],
  })
}
