import type { Command, CommanderError } from 'commander'
import { didYouMean } from '../../domain/did-you-mean.ts'
import { AppError, errorRow } from '../../domain/errors.ts'
import { repeatable } from './checked-values.ts'

/** Where what can be typed is told: the help of a command, or of the program where none is known. */
export const helpOf = (command: Command | undefined): string =>
  ['sluice', ...wordsTo(command), '--help'].join(' ')

/** The words by which a command is typed; none for the program itself. */
export const wordsTo = (command: Command | null | undefined): string[] =>
  command?.parent ? [...wordsTo(command.parent), command.name()] : []

/** Makes what commander throws instead of an exit: the error, with the command that could not read its line. */
export const thrownBy =
  (command: Command) =>
  (error: CommanderError): never => {
    throw Object.assign(error, { command })
  }

/** Makes a group that is asked for the help of a command which it has not say so, instead of showing its own. */
export function refuseUnknown(group: Command): void {
  group.on('beforeHelp', () => {
    const [typed] = group.args
    // What commander itself does where no help is asked for; its types leave it out.
    if (group.commands.length > 0 && !/^(-|help$)/.test(typed ?? '-'))
      (group as Command & { unknownCommand(): never }).unknownCommand()
  })
}

/** Makes a command refuse a flag with a value that is given once more, before its name or after it: of two values nobody knows which is meant. */
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

/** What commander could not read, as USAGE; the next step is the help of the very command. */
export function usage(error: CommanderError): AppError {
  const message = error.message.replace(/^error: /, '').replace(/\n.*$/s, '')
  // What commander guesses for a flag in the place of a command is no flag that there is.
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

/** An error of a command whose next step is the help of the program has that of the command instead; any other stays as it is. */
export function ofCommand(error: unknown, command: Command): unknown {
  if (!(error instanceof AppError) || error.hint !== errorRow(error.code).hint) return error
  if (!/\bsluice --help$/.test(error.hint ?? '')) return error
  return new AppError(error.code, error.message, {
    cause: error,
    hint: error.hint!.replace(/sluice --help$/, helpOf(command)),
    ...(error.details && { details: error.details }),
  })
}
