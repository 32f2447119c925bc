import type { Service } from '../../api/service-type.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sameWith, sameWithout } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { Backend, RawResponses } from '../backend-types.ts'
import type { Globals } from '../options/global-options.ts'
import type { Io } from '../terminal/io-types.ts'
import { writeBytes } from './document-writer.ts'

/** The raw responses, if `--raw` asks for them; USAGE with --json, --csv or --fields. */
export function rawOf(
  globals: Globals,
  { rawResponses: heard, profile }: Backend,
): (() => RawResponses) | undefined {
  if (!globals.raw) return undefined
  if (globals.json || globals.csv || globals.fields)
    throw new AppError('USAGE', '--raw cannot be combined with --json, --jq, --template, --csv or --fields', {
      next: advice`For the answer as it came: ${sameWithout('--json', '--jq', '--template', '--csv', '--fields')}. For the document of this program: ${sameWithout('--raw')}`,
    })
  if (heard) return heard
  throw new AppError('USAGE', `--raw needs a remote profile; the profile in use is ${profile}`, {
    next: advice`Set SLUICE_BASE_URL and SLUICE_API_KEY, or print it as JSON: ${sameWith({ '--json': true }, '--raw')}`,
  })
}

/** Prints the answers of one method as they came, a line break after each: all pages of a list, or the last answer. */
export function printRaw(
  io: Io,
  { bodies }: RawResponses,
  method: keyof Service,
  pages: 'all' | 'last',
): void {
  const those = bodies.filter((body) => body.method === method && body.status < 300)
  for (const { text } of pages === 'all' ? those : those.slice(-1)) write(io, text)
}

/** Prints the response to the last call, if there was one. */
export function printLast(io: Io, { last }: RawResponses): void {
  if (last) write(io, last.text)
}

/** A terminal gets nothing that could move its cursor; a pipe gets every byte. */
function write(io: Io, text: string): void {
  writeBytes(io, `${io.out.isTerminal ? text.split('\n').map(sanitizeText).join('\n') : text}\n`)
}
