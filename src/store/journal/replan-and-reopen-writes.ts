import { canonicalJson } from '../../domain/text/canonical-json.ts'
import type { journalWrites } from './audited-state-changes.ts'
import { operationSeal } from './event-chain.ts'
import type { JournalDb } from './journal-db.ts'
import type { OperationJournal, ReorgJournal } from './journal-interface.ts'
import type { JournalEvent } from './operation-types.ts'
import { columnsOf } from './rows.ts'
import { takeOrderInside } from './used-orders.ts'

/** Whether a reorganisation ever removed a final step of an operation. */
export const wasReopened = (events: readonly JournalEvent[]): boolean =>
  events.some(({ kind }) => kind === 'reopened')

/**
 * The journal's changes that reopen an operation: a new plan for unsigned steps, steps whose blocks left the chain, and nonces that
 * were not lost.
 */
export function journalReopening(
  db: JournalDb,
  { note, stateOf, find, step, release, settle }: ReturnType<typeof journalWrites>,
  clock: () => number,
): Pick<OperationJournal, 'replan'> & ReorgJournal {
  const { all, one, run, put, write } = db
  return {
    replan: (id, leg, { plan, steps, orders = [], why }) =>
      write(() => {
        for (const order of orders) takeOrderInside(db, clock, order, id)
        const { wallet, state } = find(id)!
        for (const { idx } of all(
          "SELECT idx FROM step WHERE operation = ? AND leg = ? AND state = 'RESERVED'",
          id,
          leg,
        ))
          release(id, Number(idx), 'planned anew')
        run("DELETE FROM step WHERE operation = ? AND leg = ? AND state = 'PLANNED'", id, leg)
        let idx = Number(one('SELECT coalesce(max(idx) + 1, 0) AS n FROM step WHERE operation = ?', id)?.n)
        for (const { role, text, transaction } of steps)
          put('step', { operation: id, idx: idx++, leg, wallet, role, text, ...columnsOf(transaction) })
        run('UPDATE operation SET plan = ? WHERE id = ?', canonicalJson(plan), id)
        note(id, null, state, state, `planned anew, ${why}`, {
          kind: 'replanned',
          ref: operationSeal(db, id),
        })
      }),
    reopenSteps: (id, indexes, why) =>
      write(() => {
        for (const index of indexes)
          if (/^FINAL|^CANCELLED/.test(stateOf(id, index)))
            for (const becomes of ['INCLUDED', 'BROADCAST'] as const) step(id, index, becomes, why)
        run(
          `UPDATE step SET final_hash = NULL, block_number = NULL, block_hash = NULL, gas_used = NULL, gas_price = NULL
           WHERE operation = ? AND state = 'BROADCAST'`,
          id,
        )
        const { state, exit } = find(id)!
        if (state !== 'CANCELLED' || exit === 24)
          settle(id, 'EXECUTING', `re-opened: ${why}`, undefined, undefined, { kind: 'reopened', ref: null })
      }),
    reclaimNonces: (id, indexes, why) =>
      write(() => {
        const isLost = indexes.every((index) => stateOf(id, index) === 'SUPERSEDED')
        if (!isLost || find(id)?.state !== 'ATTENTION') return false
        for (const index of indexes) step(id, index, 'BROADCAST', why)
        settle(id, 'EXECUTING', why)
        return true
      }),
  }
}
