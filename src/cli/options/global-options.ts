import type { Command } from 'commander'
import { type CommandLine, hasFlag } from '../../domain/command-line/read-command-line.ts'
import { AppError } from '../../domain/errors.ts'
import { sameWith } from '../../domain/text/next-step.ts'
import type { Shaping } from '../output/document-writer.ts'

/** The global options. `timeoutMs` is undefined by default. */
export type Globals = {
  profile?: string
  json: boolean
  csv: boolean
  fields?: string[]
  /** The fields that the output may have: one of them that is not there this time is `null`, and no error. */
  knownFields?: readonly string[]
  /** The expression of `--jq`. Both this and `template` imply `json`. */
  jq?: string
  template?: string
  /** What the expression or the template makes of a document; compiled before the command does anything. */
  shaping?: Shaping
  quiet: boolean
  /** Only some commands take it. */
  raw: boolean
  debug: boolean
  color: boolean
  input: boolean
  yes: boolean
  timeoutMs?: number
}

/** How a line wants its output; also what is wrong with the line is printed so. */
export const outputOf = (line: CommandLine) => ({
  // With --jq or --template, stdout has what they make of the document, and an error goes to stderr.
  json: hasFlag(line, '--json') && !hasFlag(line, '--jq') && !hasFlag(line, '--template'),
  noColor: hasFlag(line, '--no-color'),
  noInput: hasFlag(line, '--no-input'),
  debug: hasFlag(line, '--debug'),
  quiet: hasFlag(line, '--quiet'),
})

/** The global options of a parsed command, before or after its name. */
export function globalsOf(command: Command): Globals {
  const given: Record<string, unknown> = {}
  for (let at: Command | null = command; at; at = at.parent)
    for (const [name, value] of Object.entries(at.opts()))
      if (at.getOptionValueSource(name) === 'cli' && !Object.hasOwn(given, name)) given[name] = value
  return {
    ...(typeof given.profile === 'string' && { profile: given.profile }),
    ...(typeof given.fields === 'string' && { fields: given.fields.split(',').map((name) => name.trim()) }),
    ...(typeof given.timeout === 'string' && { timeoutMs: limit(given.timeout) }),
    ...(typeof given.jq === 'string' && { jq: given.jq }),
    ...(typeof given.template === 'string' && { template: given.template }),
    json: given.json === true || given.jq !== undefined || given.template !== undefined,
    csv: given.csv === true,
    quiet: given.quiet === true,
    raw: given.raw === true,
    debug: given.debug === true,
    color: given.color !== false,
    input: given.input !== false,
    yes: given.yes === true,
  }
}

const unitMs: Record<string, number> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
}

/** `30s`, `5m`, `1h30m`, `1d` as milliseconds. */
export function duration(text: string): number {
  const parts = [...text.matchAll(/([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d|w|y)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text)
    throw new AppError('USAGE', `"${text}" is not a duration`, {
      next: 'A duration is a number with its unit: 30s, 5m, 1h30m, 1d.',
    })
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * unitMs[unit!]!, 0)
}

/** A time limit that leaves some time. */
function limit(text: string): number {
  const ms = duration(text)
  if (ms > 0) return ms
  throw new AppError('USAGE', `--timeout ${text} must be longer than zero`, {
    next: sameWith({ '--timeout': '5m' }),
  })
}
