import type { Hex } from '../../domain/address.ts'
import { headRetentionMs } from '../../domain/networks.ts'
import type { JournalDb } from './database.ts'
import type { HeadJournal } from './journal-interface.ts'

/** The newest recorded block of each chain. */
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
