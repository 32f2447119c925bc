import { CommanderError } from 'commander'
import type { CommandLine } from '../domain/command-line/read-command-line.ts'
import { AppError, errorRow, impliesUnsigned } from '../domain/errors.ts'
import { sluice } from '../domain/text/next-step.ts'
import { usageError } from './options/usage-errors.ts'
import type { CommandContext, SignedOperation } from './program-context-types.ts'

/**
 * Turns a failure into an error of the table. If the operation of the command line has signed
 * transactions, the exit code is 20 or higher; JOURNAL_UNREADABLE if the journal cannot tell.
 */
export async function reportedError(
  error: unknown,
  line: CommandLine,
  program: Pick<CommandContext, 'signedOperation'>,
): Promise<AppError> {
  const found = known(error, line)
  if (!impliesUnsigned(found.code)) return found
  let signed: SignedOperation | undefined
  try {
    signed = await program.signedOperation(line)
  } catch (cause) {
    if (cause instanceof AppError && !impliesUnsigned(cause.code)) return cause
    return new AppError(
      'JOURNAL_UNREADABLE',
      `A transaction may be signed, and the journal cannot tell: ${wordsOf(cause)}. Earlier error: ${found.message}`,
      { cause },
    )
  }
  if (!signed) return found
  const { id, state } = signed.operation
  try {
    // A usage error or a tampered plan does not concern a finished operation, nor does a failure of another
    // operation.
    const about = found.details?.operation ?? found.details?.id ?? id
    const isRefused = [2, 4].includes(errorRow(found.code).exit) && found.code !== 'OUTPUT_FAILED'
    const isWrong = isRefused || found.code === 'POLICY_TAMPER'
    if (state === 'DONE' && (isWrong || about !== id)) return found
    return (await import('./errors-after-signing.ts')).afterSigning(found, signed)
  } catch (cause) {
    return new AppError(
      'PENDING',
      `A transaction of ${id} is signed, but this command failed: ${wordsOf(cause)}`,
      {
        cause,
        details: { operation: id, cause: found.code },
        next: sluice('action resume', id),
      },
    )
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A failure as an error of the table. */
function known(error: unknown, line: CommandLine): AppError {
  if (error instanceof AppError) return error
  if (error instanceof CommanderError) return usageError(error)
  if (error instanceof Error && error.name === 'AbortError') return commandInterruptedError(line, error)
  return new AppError('BUG', `Internal error: ${wordsOf(error)}`, { cause: error })
}

/** The error of a command line that a signal ended before anything was signed. */
export const commandInterruptedError = (
  { command }: Pick<CommandLine, 'command'>,
  cause?: unknown,
): AppError =>
  new AppError(
    'INTERRUPTED',
    command === 'demo'
      ? 'Interrupted. Earlier steps of the demo are done, with play money of the sandbox.'
      : 'Interrupted. This command signed nothing.',
    { cause },
  )
