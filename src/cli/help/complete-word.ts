import { isGroup } from '../../domain/command-line/commands.ts'
import { type CommandFlag, flagNamed, flagsOf } from '../../domain/command-line/flags.ts'
import { readWords, type Typed } from '../../domain/command-line/read-command-line.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { ArgumentManifest, CommandManifest } from './command-manifest.ts'
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
  const line = readWords(words)
  const { command: path, operands, isLiteral } = line
  const command = path
    .split(' ')
    .reduce((at, word) => at.commands.find(({ name }) => name === word) ?? at, root)
  const pending = pendingOf(line)
  const before = operands
  const positional = operands.length
  const given: Record<string, string> = {}
  for (const one of line.flags)
    if (one !== pending) given[one.flag.name] = one.value === true ? '' : one.value
  const options = flagsOf(path).filter(({ isHidden }) => !isHidden || isGroup(path))
  const fits = (list: readonly Candidate[], head = '') =>
    list.flatMap(([value, text]): Candidate[] =>
      (head + value).startsWith(last) ? [[head + value, oneLine(text)]] : [],
    )
  const ofOption = async ({ name, choices, usage }: CommandFlag, head: string): Promise<Completion> => {
    const known = choices?.map((value): Candidate => [value, ''])
    const list = known ?? (await valuesOf({ command: path, name, given, before }))
    // A list of names is completed at its last one.
    const comma = name === '--fields' || name === '--compare' ? last.lastIndexOf(',') + 1 : 0
    return {
      candidates: fits(list ?? [], comma > 0 ? last.slice(0, comma) : head),
      files: list === undefined && /path|file/.test(usage),
    }
  }
  if (pending) return ofOption(pending.flag, '')
  const [, name] = isLiteral ? [] : (/^(--[^=]+)=/.exec(last) ?? [])
  if (name !== undefined) {
    const option = flagNamed(path, name)
    return option && option.takes !== 'nothing'
      ? ofOption(option, `${name}=`)
      : { candidates: [], files: false }
  }
  if (!isLiteral && last.startsWith('-')) {
    const free = options.filter(({ repeats, name }) => repeats || given[name] === undefined)
    return { candidates: fits(free.map(({ name, help }) => [name, help])), files: false }
  }
  // `help` is not in the command tree: its arguments are command names and topics.
  const isHelp = path === '' && operands[0] === 'help'
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

/** The option that still takes the word after these. */
const pendingOf = ({ argv, flags }: ReturnType<typeof readWords>): Typed | undefined =>
  flags.find(({ flag, value, at }) => flag.takes !== 'nothing' && value === true && at === argv.length - 1)

const oneLine = (text: string): string => text.replace(/[\t\r\n]+/g, ' ')

function argumentAt({ arguments: all }: CommandManifest, at: number): ArgumentManifest | undefined {
  const last = all.at(-1)
  return all[at] ?? (last?.isVariadic ? last : undefined)
}
