import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { AppError, isErrorCode } from '../../domain/errors.ts'
import type { Advice } from '../../domain/text/next-step.ts'
import { escapeJsonText } from '../../domain/text/terminal-sanitizing.ts'
import type { SigningService } from '../../signing/signing-service-protocol.ts'

/** An answer of the signer: a value or an error. */
export type SignerLine = {
  id: number
  value?: unknown
  error?: { code: string; message: string; details?: Record<string, unknown>; next?: Advice }
}

/** Time in ms for a process with a broken pipe to exit. */
const endMs = 2_000

/**
 * Connects to the signing service in its process: requests go to its stdin, answers come from its stdout, one JSON
 * line each.
 */
export function signerProcessService(child: ChildProcess): SigningService {
  const { stdin, stdout } = child
  if (!stdin || !stdout) throw new AppError('BUG', 'The signing process was started without pipes')
  const waiting = new Map<number, { done: (value: unknown) => void; failed: (error: unknown) => void }>()
  let last = 0
  const gone = () => {
    for (const { failed } of waiting.values()) failed(endOf(child))
    waiting.clear()
  }
  child.once('exit', gone)
  child.once('error', gone)
  // The pipe breaks shortly before the exit status is known.
  stdin.on('error', () => setTimeout(gone, endMs).unref())
  createInterface({ input: stdout }).on('line', (line) => {
    const { id, value, error } = JSON.parse(line) as SignerLine
    const one = waiting.get(id)
    waiting.delete(id)
    if (error) one?.failed(errorFrom(error))
    else one?.done(value)
  })
  const ask = (question: unknown): Promise<unknown> =>
    new Promise((done, failed) => {
      if (child.exitCode !== null || child.signalCode !== null) return failed(endOf(child))
      const id = ++last
      waiting.set(id, { done, failed })
      // JSON does not escape some line separators, which would end the line.
      stdin.write(`${escapeJsonText(JSON.stringify({ id, ask: question }))}\n`)
    })
  return ask as SigningService
}

/** Why the signer ended. A terminal signal ends it only during its start, before it has signed anything: INTERRUPTED. */
const endOf = ({ signalCode }: ChildProcess): AppError =>
  signalCode === 'SIGINT' || signalCode === 'SIGTERM' || signalCode === 'SIGHUP'
    ? new AppError('INTERRUPTED', 'Interrupted. This command signed nothing.')
    : new AppError('KEY_SOURCE', 'The signing process ended')

const errorFrom = ({ code, message, details, next }: NonNullable<SignerLine['error']>): AppError =>
  new AppError(isErrorCode(code) ? code : 'BUG', message, {
    ...(details && { details }),
    ...(next !== undefined && { next }),
  })
