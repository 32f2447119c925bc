import type { Command } from 'commander'
import { repeatable } from '../options/option-values.ts'
import { type HelpParts, helpParts } from './help-text.ts'

/** A command as data: its arguments and options, and its help. Completion and help need nothing else. */
export type Outline = {
  name: string
  options: readonly OptionOutline[]
  arguments: readonly ArgumentOutline[]
  commands: readonly Outline[]
  /** The subcommand names that help lists, with their descriptions. */
  names: readonly (readonly [name: string, about: string])[]
  help: HelpParts
}

/** An option: its names with their dashes, and `flags` as the help has them. */
export type OptionOutline = {
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
export type ArgumentOutline = { name: string; isVariadic: boolean; choices?: readonly string[] }

/** A tree of commands as data: the same after it was written as JSON and read again. */
export function outlineOf(command: Command): Outline {
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
    commands: command.commands.map(outlineOf),
    names: listed.map((one) => [one.name(), one.summary() || one.description()]),
    help: helpParts(command),
  }
}
