import { isCommand, isGroup, isLeaf, type LeafName, type OperandRow, operandTable } from './commands.ts'
import { type CommandFlag, type FlagName, flagNamed, flagsOf, formerNames, takesSigner } from './flags.ts'

/*
 * The one reader of command lines: launcher, program, signer and completion use it. It accepts the lines that commander
 * accepts, and reads them alike; `test/domain/command-line` compares the two.
 */

/** A flag that was typed, at a place on the line. */
export type Typed = {
  flag: CommandFlag
  value: string | true
  at: number
  /** The words that it takes of the line: 2 if its value is a word of its own. */
  words: 1 | 2
}

/** A command line as it was typed. */
export type CommandLine = {
  /** Its words, with the current names of renamed flags, and `--help` for the word `help`. */
  argv: readonly string[]
  /** The command or the group that it names; `''` for the program itself. */
  command: string
  operands: readonly string[]
  flags: readonly Typed[]
  /** An unknown flag, and what follows it. */
  unread: readonly string[]
  /** Whether `--` ended the flags. */
  isLiteral: boolean
  /** What it asks for instead of running the command. */
  asks: 'help' | 'version' | undefined
  /** Why it is refused. A flag is named without its value. */
  fault: string | undefined
}

type Read = Omit<CommandLine, 'asks' | 'fault'>
type Word = { text: string; at: number }
type Reading = { flags: Typed[]; fault: string | undefined; isLiteral: boolean }

/** Reads a command line. What cannot be read is its `fault`. */
export function readCommandLine(typed: readonly string[]): CommandLine {
  const { places, fault, ...line } = readWords(typed)
  const help = helpWord(line)
  if (help !== undefined) return readCommandLine([...line.argv.toSpliced(places[help]!, 1), '--help'])
  return { ...line, ...outcomeOf(line, fault) }
}

/** The words of a line by what they are, also of one that is not typed to its end. `places` are those of the operands. */
export function readWords(
  typed: readonly string[],
): Read & { places: readonly number[]; fault: string | undefined } {
  const argv = withCurrentNames(typed)
  const reading: Reading = { flags: [], fault: undefined, isLiteral: false }
  let command = ''
  let operands: readonly Word[] = []
  let unread: readonly Word[] = argv.map((text, at) => ({ text, at }))
  // Program, group and command each take their own flags out of what the one before left.
  for (let deeper: string | undefined = ''; deeper !== undefined; ) {
    command = deeper
    const level = readLevel(command, unread, reading)
    operands = [...operands, ...level.operands]
    unread = level.unread
    deeper = below(command, operands[0]?.text)
    if (deeper !== undefined) operands = operands.slice(1)
  }
  return {
    ...reading,
    argv,
    command,
    flags: reading.flags.sort((a, b) => a.at - b.at),
    operands: operands.map(({ text }) => text),
    places: operands.map(({ at }) => at),
    unread: unread.map(({ text }) => text),
  }
}

/** The line with the current names of renamed flags. */
function withCurrentNames(typed: readonly string[]): readonly string[] {
  const end = typed.indexOf('--')
  return typed.map((word, at) => {
    const [name = '', ...value] = word.split('=')
    const current = end >= 0 && at > end ? undefined : formerNames.get(name)
    return current === undefined ? word : [current, ...value].join('=')
  })
}

/** The command of a group that a word names. */
function below(command: string, word: string | undefined): string | undefined {
  if (word === undefined || !/^[a-z][a-z-]*$/.test(word)) return undefined
  const words = command === '' ? word : `${command} ${word}`
  return isCommand(words) ? words : undefined
}

/** Takes the flags of one command out of some words. Behind an unknown flag nothing is an operand. */
function readLevel(command: string, words: readonly Word[], reading: Reading) {
  const operands: Word[] = []
  const unread: Word[] = []
  let rest = words
  while (rest.length > 0) {
    const [word, ...others] = rest as [Word, ...Word[]]
    rest = others
    if (word.text === '--') {
      reading.isLiteral = unread.length === 0
      ;(reading.isLiteral ? operands : unread).push(...(reading.isLiteral ? others : [word, ...others]))
      break
    }
    const taken = takenFlag(command, word, others[0]?.text)
    if (taken) {
      add(reading, taken)
      if (taken.words === 2) rest = others.slice(1)
      // Short flags may stand behind one dash.
      if (taken.more !== undefined) rest = [{ text: taken.more, at: word.at }, ...rest]
    } else if (unread.length === 0 && !isFlag(word.text, !isGroup(command))) operands.push(word)
    else unread.push(word)
  }
  return { operands, unread }
}

/** Notes a flag, and what is wrong with it. */
function add(reading: Reading, { flag, value, at, words }: Typed): void {
  const { flags } = reading
  flags.push({ flag, value, at, words })
  // Nothing is read behind it.
  if (flags.some((one) => one.flag.name === '--version')) return
  const isMissing = flag.takes === 'value' && value === true
  const isTwice =
    flag.takes !== 'nothing' && !flag.repeats && flags.filter((one) => one.flag.name === flag.name).length > 1
  if (isMissing) reading.fault ??= `${flag.name} has no value`
  else if (isTwice) reading.fault ??= `${flag.name} is given twice`
}

/** A flag of a command at the front of some words; `more` are the short flags behind it. */
function takenFlag(
  command: string,
  { text, at }: Word,
  following: string | undefined,
): (Typed & { more?: string }) | undefined {
  if (!isFlag(text)) return undefined
  const flag = flagNamed(command, text)
  if (flag) {
    const isNext =
      following !== undefined &&
      (flag.takes === 'value' || (flag.takes === 'maybe a value' && !isFlag(following, true)))
    return { flag, at, value: isNext ? following : true, words: isNext ? 2 : 1 }
  }
  const short = /^-[^-]./s.test(text) ? flagNamed(command, text.slice(0, 2)) : undefined
  if (short) return { flag: short, at, value: true, words: 1, more: `-${text.slice(2)}` }
  const [, name = '', value] = /^(--[^=]+)=(.*)$/s.exec(text) ?? []
  const inline = flagNamed(command, name)
  return inline && inline.takes !== 'nothing' ? { flag: inline, at, value: value!, words: 1 } : undefined
}

/** Whether a word is a flag; with `orNumber` a negative number is none. */
const isFlag = (word: string, orNumber = false): boolean =>
  word.length > 1 && word.startsWith('-') && !(orNumber && /^-(\d+|\d*\.\d+)([eE][+-]?\d+)?$/.test(word))

/** The operand `help` that stands for the flag: before a command, or last. No strategy, wallet or action is called help. */
function helpWord({ command, operands, flags, unread, isLiteral }: Read): number | undefined {
  if (isLiteral || unread.length > 0) return undefined
  const [first, second] = operands
  const isBefore = second === undefined || command !== '' || below('', second) !== undefined
  if (isGroup(command) && first === 'help' && isBefore) return 0
  const isLast = command !== '' && command !== 'schema' && flags.every(({ flag }) => flag.isGlobal)
  return isLast && operands.at(-1) === 'help' ? operands.length - 1 : undefined
}

/** What a line asks for, and why it is refused. */
function outcomeOf(line: Read, fault: string | undefined): Pick<CommandLine, 'asks' | 'fault'> {
  const { command, operands, flags, unread } = line
  if (fault !== undefined) return { asks: undefined, fault }
  if (flags.some(({ flag }) => flag.name === '--version')) return { asks: 'version', fault }
  const [first] = operands
  // A topic of the help is no command.
  if (isGroup(command) && first !== undefined && !(command === '' && first === 'help'))
    return { asks: undefined, fault: `there is no command ${first}` }
  if (unread.some((word) => word === '--help' || word === '-h')) return { asks: 'help', fault }
  if (unread.length > 0) return { asks: undefined, fault: `there is no flag ${unread[0]!.split('=')[0]}` }
  if (!isLeaf(command)) return { asks: 'help', fault }
  return { asks: undefined, fault: missingIn(command, line) }
}

/** What a command still needs, or has too much of. */
function missingIn(command: LeafName, { operands, flags }: Read): string | undefined {
  const missing = flagsOf(command).find(
    ({ name, isRequired }) => isRequired && !flags.some(({ flag }) => flag.name === name),
  )
  if (missing) return `${missing.name} is missing`
  const rows: readonly OperandRow[] = operandTable[command]
  const needed = rows.filter(([usage]) => usage.startsWith('<')).length
  if (operands.length < needed) return `it has ${operands.length} operands instead of ${needed}`
  const most = rows.at(-1)?.[0].includes('...') ? Number.POSITIVE_INFINITY : rows.length
  return operands.length > most ? `it has ${operands.length} operands instead of ${most}` : undefined
}

/** Whether a line may sign. */
export const maySign = (line: CommandLine): boolean =>
  line.asks === undefined && takesSigner(line.command) && !hasFlag(line, '--dry-run')

/** Whether a flag was typed. */
export const hasFlag = ({ flags }: Pick<CommandLine, 'flags'>, name: FlagName): boolean =>
  flags.some(({ flag }) => flag.name === name)

/** The values of a flag, in the order that they were typed. */
export const flagValues = ({ flags }: Pick<CommandLine, 'flags'>, name: FlagName): string[] =>
  flags.flatMap(({ flag, value }) => (flag.name === name && value !== true ? [value] : []))

/** The value of a flag; `undefined` without one. */
export const flagValue = (line: Pick<CommandLine, 'flags'>, name: FlagName): string | undefined =>
  flagValues(line, name).at(-1)
