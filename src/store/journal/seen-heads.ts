import type { Hex } from '../../domain/address.ts'
import type { JournalDb } from './database.ts'
import type { HeadJournal } from './types.ts'

/**
 * How long it is held against a node that a higher block was seen, in ms. One wrong answer may have named that block; and who is behind for
 * longer than this is known by the age of its newest block.
 */
export const headRetentionMs = 10 * 60_000

/** The newest block of each chain that a signature was made on. */
export function journalHeads({ one, run, write }: JournalDb, clock: () => number): HeadJournal {
  return {
    highestHead: (chainId) => {
      const row = one('SELECT * FROM head WHERE chain_id = ?', chainId)
      return row && { number: Number(row.number), hash: String(row.hash) as Hex, seen: Number(row.seen) }
    },
    recordHead: (chainId, number, hash) =>
      write(() =>
        run(
          `INSERT INTO head VALUES (?, ?, ?, ?) ON CONFLICT (chain_id) DO UPDATE
           SET hash = excluded.hash, number = excluded.number, seen = excluded.seen
           WHERE excluded.number >= head.number OR abs(excluded.seen - head.seen) > ?`,
          chainId,
          number,
          hash,
          clock(),
          headRetentionMs,
        ),
      ),
  }
}
