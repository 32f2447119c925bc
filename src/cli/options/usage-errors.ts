import type { Command, CommanderError } from 'commander'
import { AppError } from '../../domain/errors.ts'
import { didYouMean } from '../../domain/text/did-you-mean.ts'
import {
  type Advice,
  advice,
  type CommandName,
  corrected,
  type Next,
  sameWith,
  sluice,
} from '../../domain/text/next-step.ts'
import { wordsTo } from './command-tree-queries.ts'
import { repeatable } from './option-values.ts'

/** The help command for a command, or for the program. */
export const helpOf = (command: Command | undefined): Next =>
  sluice(wordsTo(command).join(' ') as CommandName, { '--help': true })

/** Makes a handler that throws commander's error with its command, instead of exiting. */
export const throwWithCommand =
  (command: Command) =>
  (error: CommanderError): never => {
    throw Object.assign(error, { command })
  }

/** Makes a group refuse `--help` for an unknown subcommand, instead of showing its own help. */
export function refuseUnknown(group: Command): void {
  group.on('beforeHelp', () => {
    const [typed = '-x'] = group.args
    const isHelp = group.parent === null && typed === 'help'
    // Commander does this itself without `--help`; its types leave the method out.
    if (group.commands.length > 0 && !isHelp && !/^-./s.test(typed))
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
          next: helpOf(command),
        })
    })
  }
}

const isTyped = (command: Command, name: string): boolean => command.getOptionValueSource(name) === 'cli'

const ancestors = ({ parent }: Command): Command[] => (parent ? [parent, ...ancestors(parent)] : [])

/** The flags that skip a question or a check. A misspelt word is never taken for one of them. */
const unsuggested =
  /^--(yes|allow-duplicate|allow-contract|allow-token|trust-first-use|restart-cooldown|min-assurance|no-input)$/

/** The suggestion of commander without the flags that skip a question; as the line that ran with each; `undefined` without one. */
function suggestionIn(whole: string, message: string): Advice | undefined {
  // Its suggestion for a flag in the place of a command is not a flag that exists.
  if (message.startsWith("unknown command '-")) return undefined
  const [, one, list] = /\(Did you mean (?:one of ([^?]+)|([^?]+))\?\)/.exec(whole) ?? []
  const names = (one ?? list ?? '').split(', ').filter((name) => name !== '' && !unsuggested.test(name))
  const [, typed] = /^unknown (?:option|command) '([^=']*)/.exec(message) ?? []
  if (names.length === 0) return undefined
  // What was typed behind the name of a secret is not printed again.
  const isSecret = names.some((name) => name.endsWith('-file'))
  return typed === undefined || isSecret
    ? names.join(' or ')
    : listed(names.map((name) => corrected(typed, name)))
}

/** Several commands, one after the other. */
const listed = (all: readonly Next[]): Advice => all.flatMap((one, at) => (at === 0 ? [one] : [', ', one]))

/** Other words for a subcommand, by the words that people know from other programs. */
const synonyms: readonly (readonly [names: readonly string[], typed: readonly string[]])[] = [
  [['up'], ['start', 'run', 'begin', 'launch']],
  [['down'], ['stop', 'halt', 'kill', 'quit', 'end']],
  [['reset'], ['restart', 'clear', 'wipe', 'clean']],
  [['list'], ['ls', 'all']],
  [
    ['new', 'create', 'set'],
    ['add', 'create', 'new', 'make', 'generate'],
  ],
  [
    ['remove', 'revoke', 'abandon'],
    ['rm', 'delete', 'del', 'drop', 'close'],
  ],
  [
    ['show', 'status'],
    ['get', 'info', 'describe', 'view'],
  ],
  [['balances'], ['balance', 'funds', 'tokens']],
  [['resume'], ['continue', 'retry']],
  [['execute'], ['run', 'exec', 'do', 'swap']],
  [['watch'], ['follow', 'tail', 'wait']],
]

/** The subcommand that an unknown one means by another word; `undefined` if there is none. */
function synonymIn(command: Command | undefined, message: string): Next | undefined {
  const [, typed = ''] = /^unknown command '(.*)'/s.exec(message) ?? []
  const known = command?.commands.map((one) => one.name()) ?? []
  const meant = synonyms
    .filter(([, words]) => words.includes(typed.toLowerCase()))
    .flatMap(([names]) => names)
    .find((name) => known.includes(name))
  return meant === undefined ? undefined : corrected(typed, meant)
}

/** The commands of the whole tree that an unknown one names, where it was typed at a wrong place: `explain` is `sluice action explain`. */
function elsewhere(command: Command | undefined, message: string, tree: Command): Next[] {
  const [, typed = ''] = /^unknown command '(.*)'/s.exec(message) ?? []
  if (typed === '') return []
  const here = wordsTo(command).join(' ')
  return descendants(tree)
    .filter((one) => namesOf(one).includes(typed.toLowerCase()) && wordsTo(one.parent).join(' ') !== here)
    .map((one) =>
      here === ''
        ? corrected(typed, ...wordsTo(one))
        : sluice(wordsTo(one).join(' ') as CommandName, { '--help': true }),
    )
}

const namesOf = (command: Command): string[] => [command.name(), ...command.aliases()]

const descendants = (command: Command): Command[] =>
  command.commands.flatMap((one) => [one, ...descendants(one)])

/** The most commands of other places that are suggested. */
const mostElsewhere = 4

/** The line that ran with an amount or its symbol as a flag that was typed as an argument; `undefined` if it is neither. */
function misplacedAmount(command: Command | undefined): Next | undefined {
  if (!command?.options.some(({ long }) => long === '--amount')) return undefined
  const [extra = '', ...more] = command.args.slice(command.registeredArguments.length)
  if (more.length > 0) return undefined
  const asAmount = (text: string) => sameWith({ '--amount': text }, { operand: extra })
  const { amount } = command.opts<{ amount?: string }>()
  if (amount === undefined) return /^([0-9][0-9.,]*%?|max)$/.test(extra) ? asAmount(extra) : undefined
  return /^[0-9.]+$/.test(amount) && /^(?=.*[A-Z])[A-Za-z][A-Za-z0-9.]{1,15}$/.test(extra)
    ? asAmount(`${amount}${extra}`)
    : undefined
}

/** A commander error as USAGE; the hint is the help of that command, and what an unknown command is in `tree`, which has all of them. */
export function usageError(error: CommanderError, tree?: Command): AppError {
  const message = error.message.replace(/^error: /, '').replace(/\n.*$/s, '')
  // Commander's suggestion for a flag in the place of a command is not a flag that exists.
  const { command } = error as { command?: Command }
  const others = tree ? elsewhere(command, message, tree) : []
  const far = others.length > 0 && others.length <= mostElsewhere ? listed(others) : undefined
  const guess: Advice =
    synonymIn(command, message) ??
    far ??
    suggestionIn(error.message, message) ??
    (error.code === 'commander.excessArguments' ? misplacedAmount(command) : undefined) ??
    ''
  const help = helpOf(command)
  const [, typed = '', choices] =
    /argument '(.*)' is invalid\. Allowed choices are (.*)\.$/s.exec(message) ?? []
  const near = choices === undefined ? '' : didYouMean(typed, choices.split(', '))
  const words = near === '' ? message : `${message.slice(0, -1)}${near}`
  return new AppError('USAGE', words, {
    next: guess === '' ? help : advice`Did you mean ${guess}? See: ${help}`,
  })
}
