import type { Hex } from '../../domain/address.ts'
import type { Exit } from '../../domain/error-table.ts'
import type { journalWrites } from './audited-state-changes.ts'
import type { JournalDb } from './journal-db.ts'
import type { DepositJournal } from './journal-interface.ts'

/**
 * What was seen of a payment that an operation waits for: the transaction that paid it, whether it is known to be paid at all, what paid it
 * out, and how it ended.
 */
export type SeenDeposit = {
  hash: string | null
  isPaid: boolean
  delivery: Hex | null
  end?: { becomes: 'DONE' | 'FAILED'; why: string; exit: Exit; result: unknown }
}

/** The operations whose deposit may still be paid or paid out. A late payment opens one that ended unpaid, which is exit 4. */
const openDeposit = `SELECT operation.id FROM leg JOIN operation ON operation.id = leg.operation
  WHERE deposit_amount NOT NULL AND (state IN ('OPEN', 'EXECUTING') OR (state = 'FAILED' AND exit = 4))`

/** The payments from other chains that operations wait for, which are signed elsewhere. */
export function journalDeposits(
  { all, one, run, write }: JournalDb,
  { note, settle }: ReturnType<typeof journalWrites>,
): DepositJournal {
  const legOf = (id: string) => one('SELECT * FROM leg WHERE operation = ? AND deposit_amount NOT NULL', id)
  const recordPayment = (id: string, hash: string) => {
    const leg = legOf(id)
    if (!leg || leg.deposit_hash === hash) return
    run('UPDATE leg SET deposit_hash = ? WHERE operation = ? AND leg = ?', hash, id, leg.leg!)
    note(id, null, `leg ${leg.leg} unpaid`, `leg ${leg.leg} paid`, hash)
  }
  const recordPayout = (id: string, hash: Hex) => {
    const leg = one(
      'SELECT leg FROM leg WHERE operation = ? AND arrival_hash IS NULL AND arrival_token NOT NULL',
      id,
    )
    if (!leg) return
    run('UPDATE leg SET arrival_hash = ? WHERE operation = ? AND leg = ?', hash, id, leg.leg!)
    note(id, null, `leg ${leg.leg} waiting`, `leg ${leg.leg} ready`, hash)
  }
  return {
    operationsOfDeposit: (text) =>
      all(
        `SELECT DISTINCT operation.id, operation.created FROM leg JOIN operation ON operation.id = leg.operation
         WHERE lower(deposit_hash) = lower(?1) OR deposit_address = ?1 ORDER BY operation.created DESC`,
        text,
      ).map(({ id }) => String(id)),
    openDeposits: (most) =>
      all(`${openDeposit} ORDER BY operation.created DESC, operation.id DESC LIMIT ?`, most).map(({ id }) =>
        String(id),
      ),
    recordDeposit: (id, { hash, isPaid, delivery, end }) =>
      write(() => {
        if (!one(`${openDeposit} AND operation.id = ?`, id)) return
        if (hash !== null) recordPayment(id, hash)
        if (isPaid) settle(id, 'EXECUTING', 'the deposit is paid')
        if (!end) return
        if (delivery !== null) recordPayout(id, delivery)
        settle(id, end.becomes, end.why, end.exit, end.result)
      }),
  }
}
