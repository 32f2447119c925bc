import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { isLeaf } from '../../src/domain/command-line/commands.ts'
import { type Commands, type Document, type Ran, wordsOf } from './use-commands.ts'

type Documented = { exitCodes: number[] } & Record<
  'success' | 'plan' | 'line' | 'failure',
  ValidateFunction | null
>

/**
 * Makes a check that `--json` output matches `sluice schema` exactly, and that its exit code is documented: a missing
 * or an additional field fails the test. Text, CSV and selected fields are not checked.
 */
export function documentation(
  run: Commands['run'],
): (line: string | readonly string[], ran: Ran) => Promise<void> {
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': isTime } })
  const known = new Map<string, Documented>()
  const documented = async (command: string): Promise<Documented> => {
    const before = known.get(command)
    if (before) return before
    const { exit, json } = await run(`schema ${command} --json`)
    expect({ command, exit }).toEqual({ command, exit: 0 })
    const compiled = (schema: object | null) => schema && ajv.compile(schema)
    const { success, plan, line, failure } = json.output
    const made = {
      exitCodes: json.exitCodes.map(({ code }: Document) => code),
      success: compiled(success),
      plan: compiled(plan),
      line: compiled(line),
      failure: compiled(failure),
    }
    known.set(command, made)
    return made
  }
  return async (line, { exit, out }) => {
    const words = wordsOf(line)
    const isJson = words.includes('--json') && !words.includes('--fields') && !words.includes('--raw')
    const command = commandOf(words)
    const about = await documented(command)
    expect(about.exitCodes, `${command} may end with ${exit}`).toContain(exit)
    if (!isJson) return
    const watches = command === 'action watch' || words.includes('--watch')
    const which = watches ? 'line' : exit !== 0 ? 'failure' : words.includes('--dry-run') ? 'plan' : 'success'
    for (const text of watches ? out.trimEnd().split('\n') : [out]) {
      const document: Document = JSON.parse(text)
      const part = which === 'line' && 'error' in document ? 'failure' : which
      const check = about[part]
      expect(check, `${command} has a ${part}`).not.toBeNull()
      check!(document)
      expect({ line: words.join(' '), part, errors: check!.errors ?? [] }).toEqual({
        line: words.join(' '),
        part,
        errors: [],
      })
    }
  }
}

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)

/** The words of a command line that name its command: the longest beginning that does. */
export const commandOf = (line: readonly string[]): string =>
  [3, 2, 1].map((words) => line.slice(0, words).join(' ')).find(isLeaf) ?? line.slice(0, 2).join(' ')
