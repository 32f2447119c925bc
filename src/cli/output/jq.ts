import { createRequire } from 'node:module'
import { AppError } from '../../domain/errors.ts'
import { escapeJsonText, sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { Stream } from '../terminal/io-types.ts'
import type { Shape } from './document-writer.ts'

const load = createRequire(import.meta.url)

/**
 * Compiles the expression of `--jq` (jq 1.8, of the package `jq-wasm`): USAGE with the words of jq if it is wrong. The expression sees neither
 * the files nor the environment of this machine.
 */
export async function compileJq(expression: string): Promise<Shape> {
  const { loadJq } = load('jq-wasm/inline') as typeof import('jq-wasm/inline')
  const jq = await loadJq()
  // jq would take an expression with a leading dash for an option.
  const program = /^\s*$/.test(expression) ? '.' : expression.replace(/^-/, ' -')
  // Without input the expression is only compiled.
  const compiled = jq.raw('', program, ['-c'])
  if (compiled.exitCode !== 0)
    throw new AppError('USAGE', `--jq: ${wordsOf(compiled.stderr)}`, {
      hint: "For example: --jq '.items[] | .slug'. The language: https://jqlang.org/manual/",
    })
  return (json, to) => {
    const { stdout, stderr, exitCode } = jq.raw(json, program, ['-c'])
    if (exitCode !== 0)
      throw new AppError('OUTPUT_FAILED', `--jq: ${wordsOf(stderr) || `jq ended with ${exitCode}`}`)
    const text =
      stdout === ''
        ? ''
        : `${stdout
            .split('\n')
            .map((line) => printed(line, to))
            .join('\n')}\n`
    return { text, ...(stderr && { aside: stderr }) }
  }
}

/** A value as `gh` prints it: a string raw, `null` as an empty line, anything else as JSON. A terminal gets nothing that could move its cursor. */
function printed(json: string, { isTerminal }: Stream): string {
  if (json === 'null') return ''
  const isText = json.startsWith('"')
  if (!isText && !/^[[{]/.test(json)) return json
  const value: unknown = JSON.parse(json)
  if (isText) {
    const text = value as string
    return isTerminal ? text.split('\n').map(sanitizeText).join('\n') : text
  }
  // Numbers beyond 2^53 are exact only as jq wrote them.
  return escapeJsonText(isTerminal ? JSON.stringify(value, null, 2) : json)
}

/** What jq says, without its name, its input file, the count of errors and the expression again. */
const wordsOf = (stderr: string): string =>
  stderr
    .split('\n')
    .filter((line) => !/^ {4}|^jq: \d+ compile errors?$/.test(line))
    .map((line) =>
      line
        .replace(/^jq: error( \(at \/dev\/stdin:\d+\))?:? ?/, '')
        .replace(/:$/, '')
        .trim(),
    )
    .filter(Boolean)
    .join(': ')
