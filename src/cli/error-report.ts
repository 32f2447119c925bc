import { CommanderError } from 'commander'
import { AppError, errorRow, saysUnsigned } from '../domain/errors.ts'
import { interruptedError } from './cli.ts'
import { usage } from './options/usage-errors.ts'
import type { SignedOperation, World } from './world.ts'

/**
 * What went wrong; where something of the operation that the line is about is signed, as that deserves: from exit 20 on. Where the journal
 * cannot say whether something is, JOURNAL_UNREADABLE.
 */
export async function reportedError(
  error: unknown,
  argv: readonly string[],
  world: Pick<World, 'signedOperation'>,
): Promise<AppError> {
  const found = known(error, argv)
  if (!saysUnsigned(found.code)) return found
  let signed: SignedOperation | undefined
  try {
    signed = await world.signedOperation(argv)
  } catch (cause) {
    if (cause instanceof AppError && !saysUnsigned(cause.code)) return cause
    return new AppError(
      'JOURNAL_UNREADABLE',
      `A transaction may be signed, and the journal cannot tell: ${wordsOf(cause)}. Earlier error: ${found.message}`,
      { cause },
    )
  }
  if (!signed) return found
  const { id, state } = signed.operation
  try {
    // A line or a plan that is wrong by itself says nothing of what is over, nor does what became of another.
    const about = found.details?.operation ?? found.details?.id ?? id
    const isWrong = [2, 4].includes(errorRow(found.code).exit) || found.code === 'POLICY_TAMPER'
    if (state === 'DONE' && (isWrong || about !== id)) return found
    return (await import('./errors-after-signing.ts')).afterSigning(found, signed)
  } catch (cause) {
    return new AppError(
      'PENDING',
      `A transaction of ${id} is signed, but this command failed: ${wordsOf(cause)}`,
      {
        cause,
        details: { operation: id, cause: found.code },
        hint: `sluice action resume ${id}`,
      },
    )
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A failure as an error of the table. */
function known(error: unknown, argv: readonly string[]): AppError {
  if (error instanceof AppError) return error
  if (error instanceof CommanderError) return usage(error)
  if (error instanceof Error && error.name === 'AbortError') return interruptedError(argv, error)
  return new AppError('BUG', `Internal error: ${wordsOf(error)}`, { cause: error })
}
