import type { journalWrites } from './audited-state-changes.ts'
import type { JournalDb } from './journal-db.ts'
import type { DeliveryJournal, NonceJournal, OperationJournal } from './journal-interface.ts'

/** The journal's look-ups by key, hash and nonce. */
export function journalLookups(
  { all, one }: JournalDb,
  { load }: ReturnType<typeof journalWrites>,
): Pick<OperationJournal, 'findByIdempotencyKey' | 'operationOfHash' | 'idsBeginning'> &
  Pick<DeliveryJournal, 'countDeliveries'> &
  Pick<NonceJournal, 'nextNonce' | 'nonceHolder' | 'firstRepeatable'> {
  return {
    findByIdempotencyKey: (idemKey) => {
      const row =
        one("SELECT * FROM operation WHERE idem_key = ? AND state <> 'DROPPED'", idemKey) ??
        one('SELECT * FROM operation WHERE idem_key = ? ORDER BY created DESC, id DESC LIMIT 1', idemKey)
      return row && load(row)
    },
    operationOfHash: (hash) => {
      const row =
        one('SELECT operation FROM attempt WHERE hash = ?', hash.toLowerCase()) ??
        one('SELECT operation FROM leg WHERE lower(arrival_hash) = ?', hash.toLowerCase())
      return row && String(row.operation)
    },
    idsBeginning: (start, most) => {
      const text =
        "SELECT id, state = 'DROPPED' AS dropped FROM operation WHERE substr(id, 1, ?) = ? ORDER BY dropped, created DESC, id DESC LIMIT ?"
      const rows = all(text, start.length, start, most)
      return rows.filter(({ dropped }) => dropped === rows[0]!.dropped).map(({ id }) => String(id))
    },
    countDeliveries: (hash, exceptId) =>
      Number(
        one(
          'SELECT count(*) AS n FROM leg WHERE lower(arrival_hash) = ? AND operation <> ?',
          hash.toLowerCase(),
          exceptId,
        )?.n,
      ),
    nextNonce: (chainId, wallet) =>
      Number(
        one(
          "SELECT coalesce(max(nonce) + 1, 0) AS next FROM step WHERE chain_id = ? AND wallet = ? AND state <> 'SUPERSEDED'",
          chainId,
          wallet,
        )?.next,
      ),
    nonceHolder: (chainId, wallet, nonce) => {
      const row = one(
        "SELECT operation, idx FROM step WHERE chain_id = ? AND wallet = ? AND nonce = ? AND state <> 'SUPERSEDED'",
        chainId,
        wallet,
        nonce,
      )
      return row && { operation: String(row.operation), index: Number(row.idx) }
    },
    firstRepeatable: (chainId, wallet, from, below) => {
      const row = one(
        `SELECT operation, nonce, state = 'SUPERSEDED' AS lost FROM step WHERE chain_id = ? AND wallet = ? AND nonce >= ? AND nonce < ?
         AND state IN ('CANCELLED', 'FINAL_REVERTED', 'SUPERSEDED') ORDER BY nonce, lost LIMIT 1`,
        chainId,
        wallet,
        from,
        below,
      )
      return (
        row && { operation: String(row.operation), nonce: Number(row.nonce), isLost: Number(row.lost) === 1 }
      )
    },
  }
}
