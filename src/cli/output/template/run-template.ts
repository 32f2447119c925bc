import { AppError } from '../../../domain/errors.ts'
import { sanitizeText } from '../../../domain/text/terminal-sanitizing.ts'
import type { Stream } from '../../terminal/io-types.ts'
import { displayWidth } from '../../terminal/text-wrap.ts'
import type { Shaped } from '../document-writer.ts'
import { parseTemplate } from './parse-template.ts'
import { functions, isTrue, printedValue, type Running } from './template-functions.ts'
import type { Expression, TemplateNode } from './template-nodes.ts'

/** Compiles the template of `--template`; USAGE if its syntax is wrong. `now` is the time in epoch milliseconds, for `timeago`. */
export function compileTemplate(source: string, now: () => number): (json: string, to: Stream) => Shaped {
  const nodes = parseTemplate(source)
  return (json, to) => {
    // The text of the template itself is the user's; foreign strings cannot move the cursor of a terminal.
    const data: unknown = JSON.parse(json, (_, value: unknown) =>
      typeof value === 'string' && to.isTerminal ? value.split('\n').map(sanitizeText).join('\n') : value,
    )
    const rows: string[][] = []
    let text = ''
    const flush = () => aligned(rows.splice(0), to)
    const running: Running = { to, now: now(), row: (cells) => void rows.push(cells), flush }
    run(nodes, { dot: data, names: new Map([['$', data]]) }, running, (part) => {
      text += part
    })
    text += flush()
    return { text }
  }
}

/** The value of `.`, and the variables of a block inside those of the blocks around it. */
type Scope = { dot: unknown; names: Map<string, unknown>; around?: Scope }
type Ended = 'break' | 'continue' | undefined

/** The variables among which a name is: the innermost. */
const holderOf = (scope: Scope, name: string): Map<string, unknown> =>
  scope.names.has(name) || !scope.around ? scope.names : holderOf(scope.around, name)

function run(
  nodes: readonly TemplateNode[],
  scope: Scope,
  running: Running,
  write: (text: string) => void,
): Ended {
  const block = (
    part: readonly TemplateNode[],
    dot: unknown,
    names: readonly (readonly [string, unknown])[] = [],
  ) => run(part, { dot, names: new Map(names), around: scope }, running, write)
  for (const node of nodes) {
    if (node.kind === 'break' || node.kind === 'continue') return node.kind
    if (node.kind === 'text') write(node.text)
    else if (node.kind === 'print') write(printedValue(evaluate(node.value, scope, running)))
    else if (node.kind === 'set') {
      const value = evaluate(node.value, scope, running)
      ;(node.isNew ? scope.names : holderOf(scope, node.name)).set(node.name, value)
    } else if (node.kind === 'range') {
      const items = itemsOf(evaluate(node.value, scope, running))
      for (const [key, item] of items) {
        const own = node.names.length > 1 ? [key, item] : [item]
        const names = node.names.map((name, at) => [name, own[at]] as const)
        if (block(node.body, item, names) === 'break') break
      }
      const ended = items.length === 0 ? block(node.otherwise, scope.dot) : undefined
      if (ended) return ended
    } else {
      const value = evaluate(node.value, scope, running)
      const isWith = node.kind === 'with'
      const names = isWith && node.name !== undefined ? [[node.name, value] as const] : []
      const ended = isTrue(value)
        ? block(node.body, isWith ? value : scope.dot, names)
        : block(node.otherwise, scope.dot, names)
      if (ended) return ended
    }
  }
  return undefined
}

/** The items of a list, or the values of an object in the order of its keys, each with its index or key. */
function itemsOf(value: unknown): (readonly [string | number, unknown])[] {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) return value.map((item, at) => [at, item] as const)
  if (typeof value === 'object')
    return Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  throw new AppError('OUTPUT_FAILED', `--template: range over ${printedValue(value)}, which is no list`)
}

function evaluate(expression: Expression, scope: Scope, running: Running): unknown {
  switch (expression.kind) {
    case 'literal':
      return expression.value
    case 'dot':
      return scope.dot
    case 'variable':
      return holderOf(scope, expression.name).get(expression.name)
    case 'field':
      return expression.path.reduce(fieldOf, evaluate(expression.of, scope, running))
    case 'call': {
      const { name, args } = expression
      // The logical functions evaluate no more than they need, as Go's do.
      if (name === 'and' || name === 'or') {
        let value: unknown
        for (const arg of args) {
          value = evaluate(arg, scope, running)
          if (isTrue(value) === (name === 'or')) return value
        }
        return value
      }
      const values = args.map((arg) => evaluate(arg, scope, running))
      try {
        return functions[name]!.call(values, running)
      } catch (error) {
        if (error instanceof AppError) throw error
        throw new AppError('OUTPUT_FAILED', `--template: ${name}: ${(error as Error).message}`)
      }
    }
  }
}

/** The field of an object; `undefined` if it has none. */
function fieldOf(value: unknown, name: string): unknown {
  if (value === undefined || value === null) return value
  if (typeof value !== 'object' || Array.isArray(value))
    throw new AppError('OUTPUT_FAILED', `--template: .${name} of ${printedValue(value)}, which has no fields`)
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
}

/** The rows of `tablerow`: aligned on a terminal, with tabs between the cells elsewhere. */
function aligned(rows: readonly (readonly string[])[], { isTerminal }: Stream): string {
  if (rows.length === 0) return ''
  const widths = Array.from({ length: Math.max(...rows.map(({ length }) => length)) }, (_, at) =>
    Math.max(...rows.map((row) => widthOf(row[at] ?? ''))),
  )
  const line = (row: readonly string[]) =>
    isTerminal
      ? row
          .map((cell, at) => (at === row.length - 1 ? cell : cell + ' '.repeat(widths[at]! - widthOf(cell))))
          .join('  ')
      : row.join('\t')
  return `${rows.map(line).join('\n')}\n`
}

/** The columns that a cell takes, without its colours. */
const widthOf = (cell: string): number =>
  displayWidth(cell.replace(/\u001b\[[0-9;]*m|\u001b\]8;;[^\u0007]*\u0007/g, ''))
