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

/** The exit of an operation whose deposit nobody paid in time. A late payment opens it again. */
const unpaidExit: Exit = 4

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
    recordDeposit: (id, { hash, isPaid, delivery, end }) =>
      write(() => {
        const { state, exit } = one('SELECT state, exit FROM operation WHERE id = ?', id) ?? {}
        const isOpen =
          state === 'OPEN' || state === 'EXECUTING' || (state === 'FAILED' && exit === unpaidExit)
        if (!isOpen) return
        if (hash !== null) recordPayment(id, hash)
        if (isPaid) settle(id, 'EXECUTING', 'the deposit is paid')
        if (!end) return
        if (delivery !== null) recordPayout(id, delivery)
        settle(id, end.becomes, end.why, end.exit, end.result)
      }),
  }
}
