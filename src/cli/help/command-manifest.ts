import type { Command } from 'commander'
import { type HelpParts, helpParts } from './help-text.ts'

/** A command as data: its arguments and its help. With the table of flags, completion and help need nothing else. */
export type CommandManifest = {
  name: string
  arguments: readonly ArgumentManifest[]
  commands: readonly CommandManifest[]
  /** The subcommand names that help lists, with their descriptions. */
  names: readonly (readonly [name: string, about: string])[]
  help: HelpParts
}

/** A positional argument. */
export type ArgumentManifest = { name: string; isVariadic: boolean; choices?: readonly string[] }

/** A tree of commands as data: the same after it was written as JSON and read again. */
export function commandManifest(command: Command): CommandManifest {
  const listed = command.createHelp().visibleCommands(command)
  return {
    name: command.name(),
    arguments: command.registeredArguments.map((one) => ({
      name: one.name(),
      isVariadic: one.variadic,
      ...(one.argChoices && { choices: one.argChoices }),
    })),
    commands: command.commands.map(commandManifest),
    names: listed.map((one) => [one.name(), one.summary() || one.description()]),
    help: helpParts(command),
  }
}
