import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { ArgumentManifest, CommandManifest, OptionManifest } from './command-manifest.ts'
import type { Candidate, CompletionValues } from './completion-candidates.ts'

/** The candidates, and whether a file name is also possible. */
export type Completion = { candidates: Candidate[]; files: boolean }

/** The output that the scripts in `completions` read: one line per candidate, then whether a file name is possible. */
export const completionText = ({ candidates, files }: Completion): string =>
  `${candidates.map(([value, text]) => `${value}${text === '' ? '' : `\t${sanitizeText(text)}`}\n`).join('')}:${files ? 0 : 4}\n`

/** Completes the last word of a command line, by the command tree. */
export async function complete(
  root: CommandManifest,
  words: readonly string[],
  last: string,
  valuesOf: CompletionValues,
): Promise<Completion> {
  const { branch, given, operands, pending, isLiteral } = walked(root, words)
  const command = branch.at(-1)!
  const before = operands
  const positional = operands.length
  const path = branch
    .slice(1)
    .map(({ name }) => name)
    .join(' ')
  const options = optionsOf(branch)
  const fits = (list: readonly Candidate[], head = '') =>
    list.flatMap(([value, text]): Candidate[] =>
      (head + value).startsWith(last) ? [[head + value, oneLine(text)]] : [],
    )
  const ofOption = async (option: OptionManifest, head: string): Promise<Completion> => {
    const choices = option.choices?.map((value): Candidate => [value, ''])
    const list = choices ?? (await valuesOf({ command: path, name: option.long ?? '', given, before }))
    // A list of names is completed at its last one.
    const comma = /^--(fields|compare)$/.test(option.long ?? '') ? last.lastIndexOf(',') + 1 : 0
    return {
      candidates: fits(list ?? [], comma > 0 ? last.slice(0, comma) : head),
      files: list === undefined && /path|file/.test(option.flags),
    }
  }
  if (pending) return ofOption(pending, '')
  const [, name] = isLiteral ? [] : (/^(--[^=]+)=/.exec(last) ?? [])
  if (name !== undefined) {
    const option = options.find(({ long }) => long === name)
    return option?.takesValue ? ofOption(option, `${name}=`) : { candidates: [], files: false }
  }
  if (!isLiteral && last.startsWith('-')) {
    const free = options.filter(({ isRepeatable, long }) => isRepeatable || given[long ?? ''] === undefined)
    return {
      candidates: fits(free.flatMap(({ long, about }) => (long ? [[long, about] as const] : []))),
      files: false,
    }
  }
  // `help` is not in the command tree: its arguments are command names and topics.
  const isHelp = command === root && operands[0] === 'help'
  const subs = positional === (isHelp ? 1 : 0) ? command.names : []
  const argument = argumentAt(command, positional)
  const topics =
    isHelp && positional === 1 ? await valuesOf({ command: 'help', name: '<topic>', given, before }) : []
  const choices = argument?.choices?.map((value): Candidate => [value, ''])
  const list =
    choices ?? (argument && (await valuesOf({ command: path, name: `<${argument.name}>`, given, before })))
  const files = argument !== undefined && list === undefined && /plan|file/.test(argument.name)
  return {
    candidates: [...fits(subs), ...fits([...(list ?? []), ...(topics ?? [])])],
    files,
  }
}

type Walked = {
  /** The command and those that it belongs to, the root first. */
  branch: CommandManifest[]
  given: Record<string, string>
  /** The arguments so far. */
  operands: string[]
  /** The option whose value is being completed. */
  pending: OptionManifest | undefined
  /** Whether `--` came before. */
  isLiteral: boolean
}

function walked(root: CommandManifest, words: readonly string[]): Walked {
  const at: Walked = { branch: [root], given: {}, operands: [], pending: undefined, isLiteral: false }
  for (const word of words) {
    if (at.pending) {
      at.given[at.pending.long ?? ''] = word
      at.pending = undefined
    } else if (!at.isLiteral && word === '--') at.isLiteral = true
    else if (!at.isLiteral && word.startsWith('-') && word !== '-') {
      const equals = word.indexOf('=')
      const name = equals < 0 ? word : word.slice(0, equals)
      const option = optionsOf(at.branch).find(({ long, short }) => long === name || short === name)
      if (option && !option.takesValue) at.given[option.long ?? ''] = ''
      else if (option && equals >= 0) at.given[option.long ?? ''] = word.slice(equals + 1)
      else if (option) at.pending = option
    } else {
      const sub = at.operands.length === 0 && at.branch.at(-1)!.commands.find(({ name }) => name === word)
      if (sub) at.branch.push(sub)
      else at.operands.push(word)
    }
  }
  return at
}

function optionsOf(branch: readonly CommandManifest[]): OptionManifest[] {
  const found = new Map<string, OptionManifest>()
  for (const [depth, { options }] of [...branch.entries()].reverse())
    for (const option of options)
      if (
        option.long &&
        !found.has(option.long) &&
        (depth < branch.length - 1 || !option.isHidden || depth > 0)
      )
        found.set(option.long, option)
  return [...found.values()]
}

const oneLine = (text: string): string => text.replace(/[\t\r\n]+/g, ' ')

function argumentAt({ arguments: all }: CommandManifest, at: number): ArgumentManifest | undefined {
  const last = all.at(-1)
  return all[at] ?? (last?.isVariadic ? last : undefined)
}
