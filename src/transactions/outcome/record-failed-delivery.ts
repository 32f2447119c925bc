import type { OperationJournal } from '../../store/journal/journal-interface.ts'
import type { Operation } from '../../store/journal/operation-types.ts'
import type { Refund, UnderDelivery, Unfilled } from './delivery-result.ts'

/** Ends an operation whose order can no longer be filled: nothing was taken. */
export function failUnfilled(journal: OperationJournal, id: string, unfilled: Unfilled): Operation {
  if (journal.find(id)!.state === 'PARTIAL') journal.settle(id, 'EXECUTING', 'resumed')
  const why = unfilled.why === 'expired' ? 'the order was not filled in time' : 'the order was cancelled'
  journal.settle(id, 'FAILED', why, 25, { unfilled })
  return journal.find(id)!
}

/** Ends an operation whose bridge delivered less than the agreed minimum; no more will arrive by itself. */
export function failUnderDelivered(journal: OperationJournal, id: string, short: UnderDelivery): Operation {
  const { state, kind } = journal.find(id)!
  if (state === 'PARTIAL') journal.settle(id, 'EXECUTING', 'resumed')
  const result = { short, ...(kind === 'swap' && { out: short.brought }) }
  const who = short.by ?? 'bridge'
  journal.settle(id, 'FAILED', `the ${who} brought less than was agreed, in ${short.hash}`, 25, result)
  return journal.find(id)!
}

/** Ends an operation whose transfer was refunded: nothing will arrive. */
export function failRefunded(journal: OperationJournal, id: string, refund: Refund): Operation {
  if (journal.find(id)!.state === 'PARTIAL') journal.settle(id, 'EXECUTING', 'resumed')
  journal.settle(id, 'FAILED', `the ${refund.by ?? 'bridge'} paid it back, in ${refund.hash}`, 25, { refund })
  return journal.find(id)!
}
