import type { Command } from 'commander'
import { repeatable } from '../options/option-values.ts'
import { type HelpParts, helpParts } from './help-text.ts'

/** A command as data: its arguments and options, and its help. Completion and help need nothing else. */
export type CommandManifest = {
  name: string
  options: readonly OptionManifest[]
  arguments: readonly ArgumentManifest[]
  commands: readonly CommandManifest[]
  /** The subcommand names that help lists, with their descriptions. */
  names: readonly (readonly [name: string, about: string])[]
  help: HelpParts
}

/** An option: its names with their dashes, and `flags` as the help has them. */
export type OptionManifest = {
  short?: string
  long?: string
  flags: string
  about: string
  takesValue: boolean
  isRepeatable: boolean
  isHidden: boolean
  choices?: readonly string[]
}

/** A positional argument. */
export type ArgumentManifest = { name: string; isVariadic: boolean; choices?: readonly string[] }

/** A tree of commands as data: the same after it was written as JSON and read again. */
export function commandManifest(command: Command): CommandManifest {
  const listed = command.createHelp().visibleCommands(command)
  return {
    name: command.name(),
    options: command.options.map((one) => ({
      ...(one.short && { short: one.short }),
      ...(one.long && { long: one.long }),
      flags: one.flags,
      about: one.description,
      takesValue: one.required || one.optional,
      isRepeatable: repeatable(one),
      isHidden: one.hidden,
      ...(one.argChoices && { choices: one.argChoices }),
    })),
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
