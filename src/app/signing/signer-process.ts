import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { AppError, isErrorCode } from '../../domain/errors.ts'
import { escaped } from '../../domain/text.ts'
import type { SigningService } from '../../signing/protocol.ts'

/** What the signer answers with: a value, or an error in words. */
export type SignerLine = {
  id: number
  value?: unknown
  error?: { code: string; message: string; details?: Record<string, unknown>; hint?: string }
}

/** How long a process whose pipe broke has to end, in ms. */
const endMs = 2_000

/** The desk in the signer's process: questions go down its stdin, one JSON line each, and answers come up its stdout. */
export function deskOf(child: ChildProcess): SigningService {
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
  // The pipe breaks a moment before it is known how the process ended.
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
      // Some characters end a line for who reads it, and stand in JSON as they are.
      stdin.write(`${escaped(JSON.stringify({ id, ask: question }))}\n`)
    })
  return ask as SigningService
}

/** Why it is gone. A signal of the terminal ends it only while it begins, before it has signed anything: then that interrupts us. */
const endOf = ({ signalCode }: ChildProcess): AppError =>
  signalCode === 'SIGINT' || signalCode === 'SIGTERM' || signalCode === 'SIGHUP'
    ? new AppError('INTERRUPTED', 'Interrupted. This command signed nothing.')
    : new AppError('KEY_SOURCE', 'The signing process ended')

const errorFrom = ({ code, message, details, hint }: NonNullable<SignerLine['error']>): AppError =>
  new AppError(isErrorCode(code) ? code : 'BUG', message, {
    ...(details && { details }),
    ...(hint !== undefined && { hint }),
  })
