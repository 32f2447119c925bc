import type { JournalDb } from './journal-db.ts'
import type { journalInside } from './journal-inside.ts'
import type { Row } from './journal-rows.ts'
import type { Journal } from './journal-words.ts'

/** How far below the chain's count nonces are looked at, and how many of them at most. */
const farthest = 4_096
const most = 32

/** What is asked of the journal about keys, hashes and nonces, without going through its operations one by one. */
export function journalLookups(
  { all, one }: JournalDb,
  { load }: ReturnType<typeof journalInside>,
): Pick<
  Journal,
  'findKey' | 'findHash' | 'servedBy' | 'nextNonce' | 'holderOf' | 'inTheAir' | 'redoable' | 'foreignNonces'
> {
  return {
    findKey: (idemKey) => {
      const row =
        one("SELECT * FROM operation WHERE idem_key = ? AND state <> 'DROPPED'", idemKey) ??
        one('SELECT * FROM operation WHERE idem_key = ? ORDER BY created DESC, id DESC LIMIT 1', idemKey)
      return row && load(row)
    },
    findHash: (hash) => {
      const row =
        one('SELECT operation FROM attempt WHERE hash = ?', hash.toLowerCase()) ??
        one('SELECT operation FROM leg WHERE lower(arrival_hash) = ?', hash.toLowerCase())
      return row && String(row.operation)
    },
    servedBy: (hash, exceptId) =>
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
    holderOf: (chainId, wallet, nonce) => {
      const row = one(
        "SELECT operation, idx FROM step WHERE chain_id = ? AND wallet = ? AND nonce = ? AND state <> 'SUPERSEDED'",
        chainId,
        wallet,
        nonce,
      )
      return row && { operation: String(row.operation), index: Number(row.idx) }
    },
    inTheAir: (chainId, wallet) =>
      all(
        "SELECT operation, idx FROM step WHERE chain_id = ? AND wallet = ? AND state IN ('SIGNED', 'BROADCAST', 'INCLUDED')",
        chainId,
        wallet,
      ).map(({ operation, idx }) => ({ operation: String(operation), index: Number(idx) })),
    redoable: (chainId, wallet, from, below) => {
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
    foreignNonces: (wallet, { to, data, value, chainId }, below) => {
      const rows = all(
        `SELECT nonce, state, lower(target) = ? AND lower(data) = ? AND value = ? AS same FROM step
         WHERE chain_id = ? AND wallet = ? AND nonce IS NOT NULL AND nonce < ?
         AND state NOT IN ('PLANNED', 'RESERVED')`,
        to.toLowerCase(),
        data.toLowerCase(),
        value.toString(),
        chainId,
        wallet,
        below,
      )
      if (rows.length === 0) return []
      const noncesOf = (rows: readonly Row[]) => rows.map(({ nonce }) => Number(nonce))
      const held = rows.filter(({ state }) => state !== 'SUPERSEDED')
      const ours = new Set(noncesOf(held))
      // What came before this journal's own last one of the same kind was known, or asked about, when that was signed. A nonce that was lost is another's.
      const since = Math.max(
        Math.min(...noncesOf(rows)),
        ...noncesOf(held.filter(({ same }) => Number(same) === 1)),
      )
      const found: number[] = []
      for (let nonce = below - 1; nonce >= Math.max(since, below - farthest) && found.length < most; nonce--)
        if (!ours.has(nonce)) found.push(nonce)
      // Used by the chain's count, and not seen in a block: by its step, or by another one with the same key.
      const open = noncesOf(held.filter(({ state }) => state === 'SIGNED' || state === 'BROADCAST'))
      return [...found, ...open.toSorted((a, b) => b - a).slice(0, most)].toSorted((a, b) => b - a)
    },
  }
}
