import { withTimeout } from '../../chain/rpc/timeouts.ts'
import { bitcoinHash } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import { isTransactionHash, operationNamed } from '../../planning/named-operation.ts'
import { reopenContradicted } from '../../transactions/confirmation/reorganisations.ts'
import { isFinished, isPaidElsewhere } from '../../transactions/steps/operation-state.ts'
import type { Cli } from '../command-run-types.ts'
import { settleOperation } from './record-chain-results.ts'

/** The operation of the journal of this machine that a typed word names, if it holds one; see `operationNamed`. */
export const findOperation = ({ journal }: ExecutionContext, typed: string): JournalOperation | undefined =>
  operationNamed(journal, typed)

/** How many swaps a look-up asks about, the newest. */
const mostAsked = 10

/**
 * The same, where the status of a swap may be asked for: the hash of a payment that nobody has seen here yet, or of its payout, names
 * the swap that waits for it.
 */
export const lookUpOperation = async (
  cli: Cli,
  context: ExecutionContext,
  typed: string,
): Promise<JournalOperation | undefined> =>
  findOperation(context, typed) ?? (await findByPayment(cli, context, typed))

/** Whether a text is the hash of a transaction, on Bitcoin or on a network. */
export const isHash = (text: string): boolean => isTransactionHash(text) || bitcoinHash(text) !== undefined

/** The swap from Bitcoin that a hash pays or pays out, by the status of each that is open; `undefined` for what is no hash. */
export async function findByPayment(
  cli: Cli,
  context: ExecutionContext,
  typed: string,
): Promise<JournalOperation | undefined> {
  const { journal } = context
  if (!isHash(typed)) return undefined
  const open = journal.openDeposits(mostAsked).flatMap((id) => journal.find(id) ?? [])
  await withTimeout(Promise.all(open.map((operation) => settleOperation(cli, context, operation))))
  return findOperation(context, typed)
}

/** Finds an operation and reopens it if the chain contradicts the journal. */
export async function findUpdated(
  cli: Cli,
  context: ExecutionContext,
  id: string,
): Promise<JournalOperation | undefined> {
  const operation = await lookUpOperation(cli, context, id)
  const wrong = operation && (await reopenContradicted(context, operation.id))
  if (!wrong) return operation
  // The transaction that was found may be final; then nothing is left to resume.
  const now = requireOperation(context, operation.id)
  const seen = wrong === 'found' ? await settleOperation(cli, context, now) : now
  const goOn = isFinished(seen) ? '' : advice` To resume: ${sluice('action resume', operation.id)}`
  cli.notice(
    wrong === 'found'
      ? advice`The transaction is on chain again, so its nonce is not lost.${goOn}`
      : advice`A deep reorganisation removed a final transaction from the chain.${goOn}`,
  )
  return seen
}

/**
 * The operation of the journal of this machine that a typed word names, whose transactions this machine signs; ACTION_NOT_FOUND without one,
 * USAGE for one that signs nothing.
 */
export function requireOperation(context: ExecutionContext, id: string): JournalOperation {
  const operation = findOperation(context, id)
  if (operation && isPaidElsewhere(operation))
    throw new AppError(
      'USAGE',
      `Action ${operation.id} is a swap from Bitcoin, of which nothing is signed here: there is nothing to resume, replace, close or revoke. If it is not paid, it expires`,
      { next: sluice('swap status', operation.id, { '--watch': true }) },
    )
  if (operation) return operation
  throw new AppError(
    'ACTION_NOT_FOUND',
    `There is no action "${sanitizeText(id)}" in the journal of this machine`,
    {
      next: isTransactionHash(id)
        ? sluice('action explain', id)
        : advice`To list its actions: ${sluice('action list')}. For an action of another machine: ${sluice('action explain', id)}`,
    },
  )
}
