import type { LeafName } from '../command-line/commands.ts'
import type { FlagName } from '../command-line/flags.ts'
import { shellPath, shellWord } from './shell-quoting.ts'

/** Every command that a next step names; `''` is the program itself. */
export type CommandName = '' | 'help' | LeafName

/** Flags of a command line with their values, unquoted; `true` for a flag without a value. */
export type Flags = Readonly<Partial<Record<FlagName, string | true>>>

/** What is left out of the line that ran: a flag, one value of a flag that repeats, or an operand. */
export type LeftOut = FlagName | { flag: FlagName; value: string } | { operand: string }

/**
 * A command line to run next, as data: `src/cli/next-step-text.ts` makes its text. `same` is the line that ran, with `flags` added or replaced, and
 * without what is left out; with `--help`, the help of its command. A flag that repeats is added, so its wrong value is left out. `corrected` has the
 * words of the line that mean others. `env` goes before a command, and its output into the file `into`. Words are unquoted.
 */
export type Next = {
  command: CommandName | 'same'
  operands: readonly string[]
  flags: Flags
  without?: readonly LeftOut[]
  corrected?: Readonly<Record<string, readonly string[]>>
  env?: Readonly<Record<string, string>>
  into?: string
}

/** What to do next: plain words, commands, or words with commands between them. */
export type Advice = string | Next | readonly (string | Next)[]

type Words = readonly (
  | string
  | number
  | Readonly<Partial<Record<FlagName, string | number | true | undefined>>>
)[]

/** A command with its operands and flags: `sluice('action resume', id, { '--yes': true })`. */
export const sluice = (command: CommandName, ...words: Words): Next => ({ command, ...split(words) })

/** The line that ran, with these flags added or replaced, and without what is left out. */
export const sameWith = (flags: Words[number] & object, ...without: readonly LeftOut[]): Next => ({
  command: 'same',
  ...split([flags]),
  ...(without.length > 0 && { without }),
})

/** The line that ran, without these flags. */
export const sameWithout = (...left: readonly LeftOut[]): Next => sameWith({}, ...left)

/** The line that ran, with other words in the place of one. */
export const corrected = (typed: string, ...meant: readonly string[]): Next => ({
  ...sameWith({}),
  corrected: { [typed]: meant },
})

/** The help of the command that ran. */
export const ownHelp: Next = sameWith({ '--help': true })

function split(words: Words): Pick<Next, 'operands' | 'flags'> {
  const flags = words.flatMap((one) => (typeof one === 'object' ? Object.entries(one) : []))
  return {
    operands: words.flatMap((one) => (typeof one === 'object' ? [] : [String(one)])),
    flags: Object.fromEntries(
      flags.flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value === true ? true : String(value)]],
      ),
    ),
  }
}

/** Adds flags to a command. */
export const withFlags = (next: Next, flags: Flags): Next => ({ ...next, flags: { ...next.flags, ...flags } })

/** Words with commands between them, as a tagged template. A full stop goes between a command and a sentence that begins behind it. */
export function advice(
  texts: TemplateStringsArray,
  ...values: readonly (Advice | number | undefined)[]
): readonly (string | Next)[] {
  const parts = texts.flatMap((text, at) => [text, ...partsOf(values[at])])
  const joined: (string | Next)[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part
    else if (part !== '')
      joined.push(typeof part === 'string' && isNext(last) ? part.replace(/^ (?=[A-Z])/, '. ') : part)
  }
  return joined
}

/** The parts of an advice in their order: words and commands. */
export function partsOf(given: Advice | number | undefined): readonly (string | Next)[] {
  if (given === undefined || given === '') return []
  if (typeof given === 'number') return [String(given)]
  return typeof given === 'string' || 'command' in given ? [given] : given
}

/** Whether something is a command as data. */
export const isNext = (value: unknown): value is Next =>
  typeof value === 'object' && value !== null && 'command' in value && 'operands' in value && 'flags' in value

/** Two pieces of advice, of which the second begins a sentence of its own; the second alone without a first. */
export function bothAdvices(first: Advice | null | undefined, second: Advice): Advice {
  const parts = partsOf(first ?? undefined)
  const last = parts.at(-1)
  if (last === undefined) return second
  return advice`${parts}${typeof last === 'string' && /[.!?]$/.test(last) ? '' : '.'} ${second}`
}

/** Several pieces of advice, each a sentence of its own. */
export const eachAdvice = (all: readonly Advice[]): Advice =>
  all.reduce<Advice | undefined>((before, one) => bothAdvices(before, one), undefined) ?? ''

/** Replaces the operand `ID` by the id of the operation. */
export const withId = (given: Advice, id: string): Advice =>
  partsOf(given).map((part) =>
    typeof part === 'string'
      ? part
      : { ...part, operands: part.operands.map((one) => (one === 'ID' ? id : one)) },
  )

/**
 * A command as one line for a shell. Operands that begin with a dash go to the end, after `--`. Without a line that ran, `same` is only its flags.
 */
export function commandLine({ command, operands, flags, env = {}, into, ...next }: Next): string {
  const { without = [], corrected: others = {} } = next
  const isLess = without.length > 0 && Object.keys(flags).length === 0
  const dashed = operands.some((one) => one.startsWith('-') && one !== '-')
  const plain = operands.map(shellWord)
  return [
    ...Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)}`),
    ...(command === 'same' ? [] : ['sluice', ...(command === '' ? [] : [command])]),
    ...(dashed ? [] : plain),
    ...(isLess
      ? [
          `omit ${without
            .map(leftWord)
            .join(', ')
            .replace(/, (?=[^,]*$)/, ' and ')}`,
        ]
      : []),
    ...Object.values(others).flat().map(shellWord),
    ...Object.entries(flags).flatMap(([name, value]) => flagWords(name, value)),
    ...(dashed ? ['--', ...plain] : []),
    ...(into === undefined ? [] : ['>', shellPath(into)]),
  ].join(' ')
}

const leftWord = (one: LeftOut): string =>
  typeof one === 'string'
    ? one
    : 'operand' in one
      ? shellWord(one.operand)
      : flagWords(one.flag, one.value).join(' ')

/** A flag with its quoted value. */
export const flagWords = (name: string, value: string | true): string[] =>
  value === true ? [name] : [name, name.endsWith('-file') ? shellPath(value) : shellWord(value)]

/** An advice as one text, without anything of the line that ran. */
export const adviceText = (given: Advice): string =>
  partsOf(given)
    .map((part) => (typeof part === 'string' ? part : commandLine(part)))
    .join('')
