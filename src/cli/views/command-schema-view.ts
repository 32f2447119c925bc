import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { CommandSchema } from '../schema/commands.ts'
import type { Stream } from '../terminal/io-types.ts'
import { fieldTable } from '../terminal/table.ts'

/** The schema of a command, for people. */
export function schemaPage(one: CommandSchema, to: Stream): string {
  const { paint } = to
  const own = one.flags.filter(({ group }) => group !== 'Global')
  const part = (title: string, rows: readonly (readonly [string, string])[]) =>
    rows.length === 0 ? [] : ['', paint.bold(title), fieldTable(rows, to)]
  return [
    paint.bold(one.usage),
    one.description,
    '',
    one.signs ? paint.yellow(`Can sign${one.output.plan ? '; never with --dry-run' : ''}.`) : 'Never signs.',
    ...part(
      'Arguments',
      one.arguments.map(({ name, type, description, choices, required, repeatable }) => [
        `${name}${repeatable ? '...' : ''}`,
        `${typed(type, choices)}${required ? '' : ', optional'}: ${description}`,
      ]),
    ),
    ...part(
      'Flags',
      own.map((flag) => [flag.name, `${typed(flag.type, flag.choices)}${marks(flag)}: ${flag.description}`]),
    ),
    ...part(
      'Prints with --json',
      [
        ['success', shapesOf(one.output.success).join('; or ')] as const,
        ['--dry-run', shapesOf(one.output.plan).join('; or ')] as const,
        ['per line', shapesOf(one.output.line).join('; or ')] as const,
        ['failure', shapesOf(one.output.failure).join('; or ')] as const,
      ].filter(([, text]) => text !== ''),
    ),
    ...part(
      'Environment',
      one.environment.map(({ name, meaning }) => [name, meaning]),
    ),
    ...part(
      'Exit codes',
      one.exitCodes.map(({ code, meaning }) => [String(code), meaning]),
    ),
    '',
    paint.dim(`The whole JSON Schema: sluice schema ${sanitizeText(one.command)} --json`),
  ].join('\n')
}

const typed = (type: string, choices: readonly string[] | null): string => choices?.join('|') ?? type

/** The attributes of a flag, in a word. */
const marks = ({ required, repeatable, default: usual }: CommandSchema['flags'][number]): string =>
  `${required ? ', required' : ''}${repeatable ? ', repeatable' : ''}${usual === null ? '' : `, ${usual} by default`}`

/** The names of the fields of a document, a line for each shape that it can have. */
export function shapesOf(schema: Record<string, unknown> | null): string[] {
  if (!schema) return []
  const either = (schema.anyOf ?? [schema]) as { properties?: Record<string, unknown> }[]
  return [...new Set(either.map(({ properties = {} }) => Object.keys(properties).join(', ')))]
}
