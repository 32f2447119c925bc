import { plain } from '../../domain/text.ts'
import type { Stream } from '../io.ts'
import { fields } from '../table.ts'
import type { CommandSchema } from './self.ts'

/** What a program needs to know of a command, for people. */
export function schemaPage(one: CommandSchema, to: Stream): string {
  const { paint } = to
  const own = one.flags.filter(({ group }) => group !== 'Global')
  const part = (title: string, rows: readonly (readonly [string, string])[]) =>
    rows.length === 0 ? [] : ['', paint.bold(title), fields(rows, to)]
  return [
    paint.bold(one.usage),
    one.description,
    '',
    one.signs
      ? paint.yellow(`It can sign${one.output.plan ? ', and never does with --dry-run' : ''}.`)
      : 'It never signs.',
    ...part(
      'Arguments',
      one.arguments.map(({ name, type, description, choices, required, repeatable }) => [
        `${name}${repeatable ? '...' : ''}`,
        `${typed(type, choices)}${required ? '' : ', may be left out'}: ${description}`,
      ]),
    ),
    ...part(
      'Flags',
      own.map((flag) => [flag.name, `${typed(flag.type, flag.choices)}${marks(flag)}: ${flag.description}`]),
    ),
    ...part(
      'Prints with --json',
      [
        ['success', shapeWords(one.output.success)] as const,
        ['--dry-run', shapeWords(one.output.plan)] as const,
        ['a line', shapeWords(one.output.line)] as const,
        ['failure', shapeWords(one.output.failure)] as const,
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
    paint.dim(`The whole JSON Schema: sluice schema ${plain(one.command)} --json`),
  ].join('\n')
}

const typed = (type: string, choices: readonly string[] | null): string => choices?.join('|') ?? type

/** What else is to be known of a flag, in a word. */
const marks = ({ required, repeatable, default: usual }: CommandSchema['flags'][number]): string =>
  `${required ? ', needed' : ''}${repeatable ? ', more than once' : ''}${usual === null ? '' : `, ${usual} by default`}`

/** The fields of a document, by their names. */
function shapeWords(schema: Record<string, unknown> | null): string {
  if (!schema) return ''
  const either = (schema.anyOf ?? [schema]) as { properties?: Record<string, unknown> }[]
  return [...new Set(either.map(({ properties = {} }) => Object.keys(properties).join(', ')))].join('; or ')
}
