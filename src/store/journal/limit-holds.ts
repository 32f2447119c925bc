import type { Address } from '../../domain/address.ts'
import type { JournalDb } from './journal-db.ts'
import type { LimitHold, LimitJournal } from './journal-interface.ts'

const dayMs = 86_400_000

/** The journal's amounts held against limits. */
export function journalLimitHolds({ all, one, put, write }: JournalDb, clock: () => number): LimitJournal {
  /**
   * The amount that other operations of a wallet hold. Dropped operations hold nothing, nor do entries more than a day in the
   * future, left by a wrong clock.
   */
  const held: LimitJournal['heldAmount'] = (wallet, asset, since, exceptId) =>
    all(
      `SELECT amount FROM hold JOIN operation ON operation.id = hold.operation
       WHERE asset = ? AND at BETWEEN ? AND ? AND operation.id <> ? AND operation.state <> 'DROPPED' AND operation.wallet = ?`,
      asset,
      since,
      clock() + dayMs,
      exceptId,
      wallet,
    ).reduce((sum, { amount }) => sum + BigInt(String(amount)), 0n)
  const heldByOthers = (id: string, { asset, since }: LimitHold): bigint =>
    held(String(one('SELECT wallet FROM operation WHERE id = ?', id)?.wallet) as Address, asset, since, id)

  return {
    heldAmount: held,
    holdAmounts: (id, rows) =>
      write(() => {
        for (const row of rows) {
          const held = heldByOthers(id, row)
          if (row.limit !== null && held + row.amount > row.limit) return { row, held }
        }
        for (const { asset, amount } of rows)
          if (!one('SELECT 1 FROM hold WHERE operation = ? AND asset = ?', id, asset))
            put('hold', { operation: id, asset, amount: amount.toString(), at: clock() })
        return undefined
      }),
  }
}
