import { AppError } from '../../domain/errors.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import { reopenContradicted } from '../../transactions/reorganisations.ts'
import { isFinished } from '../../transactions/run-state.ts'
import type { Cli } from '../command-run-types.ts'
import { settleOperation } from './record-chain-results.ts'

/** The operation of an id, a quote id or an idempotency key in the journal of this machine, if it holds one. */
export const findOperation = ({ journal }: ExecutionContext, id: string): JournalOperation | undefined =>
  journal.find(id) ?? journal.findByIdempotencyKey(id)

/** Finds an operation and reopens it if the chain contradicts the journal. */
export async function findUpdated(
  cli: Cli,
  context: ExecutionContext,
  id: string,
): Promise<JournalOperation | undefined> {
  const operation = findOperation(context, id)
  const wrong = operation && (await reopenContradicted(context, operation.id))
  if (!wrong) return operation
  // The transaction that was found may be final; then nothing is left to resume.
  const now = requireOperation(context, operation.id)
  const seen = wrong === 'found' ? await settleOperation(cli, context, now) : now
  const goOn = isFinished(seen) ? '' : ` To resume: sluice action resume ${operation.id}`
  cli.notice(
    wrong === 'found'
      ? `The transaction is on chain again, so its nonce is not lost.${goOn}`
      : `A deep reorganisation removed a final transaction from the chain.${goOn}`,
  )
  return seen
}

/** The operation of an id, a quote id or an idempotency key in the journal of this machine; ACTION_NOT_FOUND otherwise. */
export function requireOperation(context: ExecutionContext, id: string): JournalOperation {
  const operation = findOperation(context, id)
  if (operation) return operation
  throw new AppError('ACTION_NOT_FOUND', `No action "${sanitizeText(id)}" in the journal of this machine`)
}
