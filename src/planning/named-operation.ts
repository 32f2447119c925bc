import type { Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { advice, sluice } from '../domain/text/next-step.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import { quoteIds, type StoredPlan } from '../guard/stored-plan.ts'
import type { DepositJournal, OperationJournal } from '../store/journal/journal-interface.ts'
import type { Operation } from '../store/journal/operation-types.ts'

/** Whether a text is the hash of a transaction; ids never look like one. */
export const isTransactionHash = (text: string): text is Hex => /^0x[0-9a-fA-F]{64}$/.test(text)

/** Whether a text may be the beginning of an id: at least four characters of one. */
export const isIdStart = (text: string): boolean => /^[A-Za-z0-9_-]{4,64}$/.test(text)

/** The most candidates that the error for an ambiguous beginning names. */
export const mostCandidates = 5

/** The error for a beginning that several ids have; each candidate with what it is. */
export function ambiguousIdError(
  typed: string,
  candidates: readonly string[],
  does = 'begins several IDs',
): AppError {
  const more = candidates.length > mostCandidates ? ', and others' : ''
  const named = candidates.slice(0, mostCandidates)
  return new AppError(
    'USAGE',
    `"${sanitizeText(typed)}" ${does}: ${named.map(sanitizeText).join(', ')}${more}`,
    {
      details: { candidates: named },
      next: advice`Type more of it, or a whole one: ${sluice('action list')}`,
    },
  )
}

type Named = OperationJournal & Pick<DepositJournal, 'operationsOfDeposit'>

/**
 * The operation of the journal that a word names whole: by its id, its idempotency key, the hash of one of its transactions, of its
 * deposit or of its delivery, the address of its deposit, or a quote that it was planned with. USAGE for an address of several deposits.
 */
export const operationNamedWhole = (journal: Named, typed: string): Operation | undefined =>
  journal.find(typed) ??
  journal.findByIdempotencyKey(typed) ??
  (isTransactionHash(typed)
    ? operationOfHash(journal, typed)
    : (operationOfDeposit(journal, typed) ?? operationOfQuote(journal, typed)))

/**
 * The operation of the journal that a typed word names: whole, as above, else by the beginning of its id, if no other id
 * begins so; USAGE with the candidates otherwise. Every command and the signing process use it for an id on the command line.
 */
export function operationNamed(journal: Named, typed: string): Operation | undefined {
  const whole = operationNamedWhole(journal, typed)
  if (whole || !isIdStart(typed)) return whole
  const ids = journal.idsBeginning(typed, mostCandidates + 1)
  if (ids.length > 1) throw ambiguousIdError(typed, ids)
  return ids[0] === undefined ? undefined : journal.find(ids[0])
}

function operationOfHash(journal: OperationJournal, hash: Hex): Operation | undefined {
  const id = journal.operationOfHash(hash)
  return id === undefined ? undefined : journal.find(id)
}

function operationOfDeposit(journal: Named, typed: string): Operation | undefined {
  const [id, ...others] = journal.operationsOfDeposit(typed)
  if (id !== undefined && others.length > 0)
    throw ambiguousIdError(typed, [id, ...others], 'is the deposit address of several actions')
  return id === undefined ? undefined : journal.find(id)
}

const operationOfQuote = (journal: OperationJournal, quoteId: string): Operation | undefined =>
  journal.list({}, () => undefined).find(({ plan }) => plan && quoteIds(plan as StoredPlan).includes(quoteId))
