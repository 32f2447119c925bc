import { Worker } from 'node:worker_threads'
import { AppError } from '../../domain/errors.ts'
import { advice, sameWith } from '../../domain/text/next-step.ts'
import { escapeJsonText, sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { Stream } from '../terminal/io-types.ts'
import type { Shaping } from './document-writer.ts'

/** The longest time that the expression of `--jq` may take for one document, in ms: a useful one takes far less than a second. */
const mostMs = 10_000

/** How long a document may take, in ms, and what aborts when the time of the command is over. */
type Limits = { limitMs?: number; timeOver?: AbortSignal | undefined }

/** What jq answers about one document. */
type Answer = ReturnType<Awaited<ReturnType<typeof import('jq-wasm/inline')['loadJq']>>['raw']>

/** jq in a thread of its own, because only that can be ended: nothing else ends an expression that goes on for ever. The build keeps the package in a file. */
const source = `
const { parentPort, workerData } = require('node:worker_threads')
const from = require('node:module').createRequire(workerData)
const load = from
const jqOf = () => {
  try {
    return from('./jq-packages.cjs')['jq-wasm/inline']()
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error
    return load('jq-wasm/inline')
  }
}
const jq = jqOf().loadJq()
parentPort.on('message', async ({ json, program }) => {
  const { stdout, stderr, exitCode } = (await jq).raw(json, program, ['-c'])
  parentPort.postMessage({ stdout, stderr, exitCode })
})
`

/**
 * Compiles the expression of `--jq` (jq 1.8, of the package `jq-wasm`): USAGE with the words of jq if it is wrong. The expression sees neither
 * the files nor the environment of this machine. OUTPUT_FAILED for a document that it does not shape in time: by `limitMs`, and by the end of
 * the command's time.
 */
export async function compileJq(
  expression: string,
  { limitMs = mostMs, timeOver }: Limits = {},
): Promise<Shaping> {
  // jq would take an expression with a leading dash for an option.
  const program = /^\s*$/.test(expression) ? '.' : expression.replace(/^-/, ' -')
  const ask = openJq(program, { limitMs, timeOver })
  // Without input the expression is only compiled.
  const compiled = await ask.ask('')
  if (compiled.exitCode !== 0) {
    ask.end()
    throw new AppError('USAGE', `--jq: ${wordsOf(compiled.stderr)}`, {
      next: advice`For the whole document: ${sameWith({ '--jq': '.' })}. The language: https://jqlang.org/manual/`,
    })
  }
  return {
    pending: [],
    end: ask.end,
    shape: async (json, to) => {
      const { stdout, stderr, exitCode } = await ask.ask(json)
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
    },
  }
}

/** Opens the thread of jq. It answers in the order of the questions; after a failure it is closed, and all questions fail. */
function openJq(
  program: string,
  { limitMs, timeOver }: Limits & { limitMs: number },
): { ask: (json: string) => Promise<Answer>; end: () => void } {
  const worker = new Worker(source, { eval: true, workerData: import.meta.url, env: {}, execArgv: [] })
  const asked: { resolve: (answer: Answer) => void; reject: (error: unknown) => void }[] = []
  let failure: unknown
  const fail = (error: unknown) => {
    failure ??= error
    for (const { reject } of asked.splice(0)) reject(failure)
    void worker.terminate()
  }
  worker.on('message', (answer: Answer) => asked.shift()?.resolve(answer))
  worker.on('error', fail)
  worker.on('exit', () => fail(new AppError('OUTPUT_FAILED', '--jq: jq ended before it had answered')))
  worker.unref()
  const tooLong = (of: string) =>
    new AppError('OUTPUT_FAILED', `--jq: the expression did not end within ${of}, and was stopped`)
  return {
    end: () => void worker.terminate(),
    ask: async (json) => {
      if (failure !== undefined) throw failure
      // While it works, it keeps the process alive, and the time of the command counts.
      worker.ref()
      const onTimeOver = () => fail(tooLong('the time limit of the command'))
      const timer = setTimeout(() => fail(tooLong(`${limitMs / 1_000} s`)), limitMs)
      if (timeOver?.aborted) onTimeOver()
      timeOver?.addEventListener('abort', onTimeOver, { once: true })
      try {
        return await new Promise<Answer>((resolve, reject) => {
          if (failure !== undefined) return reject(failure)
          asked.push({ resolve, reject })
          worker.postMessage({ json, program })
        })
      } finally {
        clearTimeout(timer)
        timeOver?.removeEventListener('abort', onTimeOver)
        if (asked.length === 0) worker.unref()
      }
    },
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
