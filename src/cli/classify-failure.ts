import { CommanderError } from 'commander'
import type { CommandLine } from '../domain/command-line/read-command-line.ts'
import { AppError, errorRow, impliesUnsigned } from '../domain/errors.ts'
import { sluice } from '../domain/text/next-step.ts'
import { usageError } from './options/usage-errors.ts'
import type { CommandContext, ConcernedOperations } from './program-context-types.ts'

/**
 * Tells a failure of a command line once, as an error of the table: as caused by the time limit, where it was, and with the report of
 * the operation that the command is about. If an operation of the line has signed transactions, the exit code is 20 or higher;
 * JOURNAL_UNREADABLE if the journal cannot tell.
 */
export async function toldError(
  thrown: unknown,
  line: CommandLine,
  { concernedOperations }: Pick<CommandContext, 'concernedOperations'>,
  explained: (error: AppError) => AppError = (error) => error,
): Promise<AppError> {
  const found = explained(known(thrown, line))
  let concerned: ConcernedOperations
  try {
    concerned = await concernedOperations(line)
  } catch (cause) {
    if (!impliesUnsigned(found.code)) return found
    if (cause instanceof AppError && !impliesUnsigned(cause.code)) return cause
    return new AppError(
      'JOURNAL_UNREADABLE',
      `A transaction may be signed, and the journal cannot tell: ${wordsOf(cause)}. Earlier error: ${found.message}`,
      { cause },
    )
  }
  const { noted, signed } = concerned
  const told = noted
    ? found.with({ details: { id: noted.id, ...found.details, action: noted.report } })
    : found
  if (!signed || !impliesUnsigned(found.code)) return told
  const { id, state } = signed.operation
  // A usage error or a tampered plan does not concern a finished operation, nor does a failure of another operation.
  const about = told.details?.operation ?? told.details?.id ?? id
  const isRefused = [2, 4].includes(errorRow(found.code).exit) && found.code !== 'OUTPUT_FAILED'
  const isWrong = isRefused || found.code === 'POLICY_TAMPER'
  if (state === 'DONE' && (isWrong || about !== id)) return told
  try {
    return (await import('./errors-after-signing.ts')).afterSigning(told, signed)
  } catch (cause) {
    return new AppError(
      'PENDING',
      `A transaction of ${id} is signed, but this command failed: ${wordsOf(cause)}`,
      { cause, details: { operation: id, cause: found.code }, next: sluice('action resume', id) },
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
