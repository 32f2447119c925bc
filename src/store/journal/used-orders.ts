import { orderUsedError } from '../../domain/used-order-and-expired-quote-errors.ts'
import type { JournalDb } from './journal-db.ts'
import type { OrderJournal } from './journal-interface.ts'

/** Takes an order for an owner, inside a transaction of the journal; ORDER_USED if it belongs to another. */
export function takeOrderInside(
  { one, put }: JournalDb,
  clock: () => number,
  order: string,
  owner: string,
): void {
  const taken = one('SELECT owner FROM used_order WHERE id = ?', order)
  if (taken && taken.owner !== owner) throw orderUsedError(order, String(taken.owner))
  if (!taken) put('used_order', { id: order, owner, at: clock() })
}

/** The journal's orders. */
export const journalOrders = (db: JournalDb, clock: () => number): OrderJournal => ({
  ownerOfOrder: (order) => {
    const row = db.one('SELECT owner FROM used_order WHERE id = ?', order)
    return row && String(row.owner)
  },
  takeOrder: (order, owner) => db.write(() => takeOrderInside(db, clock, order, owner)),
})
