import type { Command, CommanderError } from 'commander'
import { copyErrorWith } from '../../domain/copy-error.ts'
import { AppError, errorRow } from '../../domain/errors.ts'
import { didYouMean } from '../../domain/text/did-you-mean.ts'
import { wordsTo } from './command-tree-queries.ts'
import { repeatable } from './option-values.ts'

/** The help command for a command, or for the program. */
export const helpOf = (command: Command | undefined): string =>
  ['sluice', ...wordsTo(command), '--help'].join(' ')

/** Makes a handler that throws commander's error with its command, instead of exiting. */
export const throwWithCommand =
  (command: Command) =>
  (error: CommanderError): never => {
    throw Object.assign(error, { command })
  }

/** Makes a group refuse `help` for an unknown subcommand, instead of showing its own help. */
export function refuseUnknown(group: Command): void {
  group.on('beforeHelp', () => {
    const [typed] = group.args
    // Commander does this itself without `help`; its types leave the method out.
    if (group.commands.length > 0 && !/^(-|help$)/.test(typed ?? '-'))
      (group as Command & { unknownCommand(): never }).unknownCommand()
  })
}

/** Makes a command refuse an option with a value that is given twice, before or after its name. */
export function refuseTwice(command: Command): void {
  for (const option of command.options) {
    if (repeatable(option) || (!option.required && !option.optional)) continue
    let isGiven = false
    command.on(`option:${option.name()}`, () => {
      const isBefore = isGiven || ancestors(command).some((one) => isTyped(one, option.attributeName()))
      isGiven = true
      if (isBefore)
        throw new AppError('USAGE', `${option.long ?? option.short} is given twice`, {
          hint: helpOf(command),
        })
    })
  }
}

const isTyped = (command: Command, name: string): boolean => command.getOptionValueSource(name) === 'cli'

const ancestors = ({ parent }: Command): Command[] => (parent ? [parent, ...ancestors(parent)] : [])

/** A commander error as USAGE; the hint is the help of that command. */
export function usageError(error: CommanderError): AppError {
  const message = error.message.replace(/^error: /, '').replace(/\n.*$/s, '')
  // Commander's suggestion for a flag in the place of a command is not a flag that exists.
  const guess = message.startsWith("unknown command '-")
    ? undefined
    : /\(Did you mean (.+?)\?\)/.exec(error.message)?.[1]
  const help = helpOf((error as { command?: Command }).command)
  const [, typed = '', choices] =
    /argument '(.*)' is invalid\. Allowed choices are (.*)\.$/s.exec(message) ?? []
  const near = choices === undefined ? '' : didYouMean(typed, choices.split(', '))
  const words = near === '' ? message : `${message.slice(0, -1)}${near}`
  return new AppError('USAGE', words, { hint: guess ? `Did you mean ${guess}? See: ${help}` : help })
}

/** Replaces the help of the program in a hint by the help of the command. */
export function withCommandHelp(error: unknown, command: Command): unknown {
  if (!(error instanceof AppError) || error.hint !== errorRow(error.code).hint) return error
  if (!/\bsluice --help$/.test(error.hint ?? '')) return error
  return copyErrorWith(error, { hint: error.hint!.replace(/sluice --help$/, helpOf(command)) })
}
