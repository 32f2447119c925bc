import type { Argument, Command, Option } from 'commander'

/** A word that may stand where the cursor is, and what it means. */
export type Candidate = readonly [value: string, description: string]

/** What a place on the line can be filled with; `undefined` where only the person knows. */
export type Values = (place: {
  /** The words of the command, such as `strategies show`. */
  command: string
  /** The argument or the long option that it is for. */
  name: string
  /** The options that stand before it. */
  given: Readonly<Record<string, string>>
  /** The arguments that stand before it. */
  before: readonly string[]
}) => Promise<readonly Candidate[] | undefined>

/** The candidates, and whether a file may stand there instead. */
export type Completion = { candidates: Candidate[]; files: boolean }

/** Walks a command tree by the words before the cursor, and says what may come of the word under it. */
export async function complete(
  root: Command,
  words: readonly string[],
  last: string,
  valuesOf: Values,
): Promise<Completion> {
  const { command, given, operands, pending, isLiteral } = walked(root, words)
  const before = operands
  const positional = operands.length
  const path = pathOf(command).join(' ')
  const fits = (list: readonly Candidate[], head = '') =>
    list.flatMap(([value, text]): Candidate[] =>
      (head + value).startsWith(last) ? [[head + value, oneLine(text)]] : [],
    )
  const ofOption = async (option: Option, head: string): Promise<Completion> => {
    const choices = option.argChoices?.map((value): Candidate => [value, ''])
    const list = choices ?? (await valuesOf({ command: path, name: option.long ?? '', given, before }))
    return {
      candidates: fits(list ?? [], head),
      files: list === undefined && /path|file/.test(option.flags),
    }
  }
  if (pending) return ofOption(pending, '')
  const [, name] = isLiteral ? [] : (/^(--[^=]+)=/.exec(last) ?? [])
  if (name !== undefined) {
    const option = optionsOf(command).find(({ long }) => long === name)
    return option && takesValue(option) ? ofOption(option, `${name}=`) : { candidates: [], files: false }
  }
  if (!isLiteral && last.startsWith('-')) {
    const free = optionsOf(command).filter(
      (option) => option.variadic || given[option.long ?? ''] === undefined,
    )
    return {
      candidates: fits(free.flatMap(({ long, description }) => (long ? [[long, description] as const] : []))),
      files: false,
    }
  }
  // The command that shows help is no command of the tree: what it takes are the names of those, and topics.
  const isHelp = command === root && operands[0] === 'help'
  const subs = positional === (isHelp ? 1 : 0) ? command.createHelp().visibleCommands(command) : []
  const argument = argumentAt(command, positional)
  const topics =
    isHelp && positional === 1 ? await valuesOf({ command: 'help', name: '<topic>', given, before }) : []
  const choices = argument?.argChoices?.map((value): Candidate => [value, ''])
  const list =
    choices ?? (argument && (await valuesOf({ command: path, name: `<${argument.name()}>`, given, before })))
  const files = argument !== undefined && list === undefined && /plan|file/.test(argument.name())
  return {
    candidates: [
      ...fits(subs.map((sub): Candidate => [sub.name(), sub.summary() || sub.description()])),
      ...fits([...(list ?? []), ...(topics ?? [])]),
    ],
    files,
  }
}

type Walked = {
  command: Command
  given: Record<string, string>
  /** The arguments so far. */
  operands: string[]
  /** The option whose value is under the cursor. */
  pending: Option | undefined
  /** Whether `--` stood before. */
  isLiteral: boolean
}

function walked(root: Command, words: readonly string[]): Walked {
  const at: Walked = { command: root, given: {}, operands: [], pending: undefined, isLiteral: false }
  for (const word of words) {
    if (at.pending) {
      at.given[at.pending.long ?? ''] = word
      at.pending = undefined
    } else if (!at.isLiteral && word === '--') at.isLiteral = true
    else if (!at.isLiteral && word.startsWith('-') && word !== '-') {
      const equals = word.indexOf('=')
      const name = equals < 0 ? word : word.slice(0, equals)
      const option = optionsOf(at.command).find(({ long, short }) => long === name || short === name)
      if (option && !takesValue(option)) at.given[option.long ?? ''] = ''
      else if (option && equals >= 0) at.given[option.long ?? ''] = word.slice(equals + 1)
      else if (option) at.pending = option
    } else {
      const sub = at.operands.length === 0 && at.command.commands.find((one) => one.name() === word)
      if (sub) at.command = sub
      else at.operands.push(word)
    }
  }
  return at
}

function optionsOf(command: Command): Option[] {
  const found = new Map<string, Option>()
  for (let at: Command | null = command; at; at = at.parent)
    for (const option of at.options)
      if (option.long && !found.has(option.long) && (at !== command || !option.hidden || at.parent))
        found.set(option.long, option)
  return [...found.values()]
}

function pathOf(command: Command): string[] {
  return command.parent ? [...pathOf(command.parent), command.name()] : []
}

const takesValue = ({ required, optional }: Option): boolean => required || optional
const oneLine = (text: string): string => text.replace(/[\t\r\n]+/g, ' ')

function argumentAt({ registeredArguments }: Command, at: number): Argument | undefined {
  const last = registeredArguments.at(-1)
  return registeredArguments[at] ?? (last?.variadic ? last : undefined)
}
