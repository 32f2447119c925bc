import type { Hex } from '../domain/address.ts'
import type { JournalDb } from './journal-db.ts'
import type { Elsewhere, Journal } from './journal-words.ts'

/** How long it is not asked again what nodes did not show, in ms: they may have more of the past by then. */
const unshownFor = 24 * 3_600_000

/** What the journal remembers of nonces that it has nothing of: what used them never changes, and costs many questions to find out. */
export function journalElsewhere(
  { all, one, run, write }: JournalDb,
  clock: () => number,
): Pick<Journal, 'elsewhere' | 'noteElsewhere' | 'lastBlockBelow'> {
  return {
    elsewhere: (chainId, wallet, nodes) => {
      const rows = all(
        "SELECT * FROM elsewhere WHERE chain_id = ? AND wallet = ? AND nodes = ? AND (said <> 'unshown' OR at > ?)",
        chainId,
        wallet,
        nodes,
        clock() - unshownFor,
      )
      return new Map(
        rows.map(({ nonce, said, hash, target, data, value }): [number, Elsewhere] => [
          Number(nonce),
          said === 'used'
            ? {
                is: 'used',
                hash: hash as Hex,
                to: target as Hex | null,
                input: data as Hex,
                value: value as string,
              }
            : { is: said as 'authorised' | 'unshown' },
        ]),
      )
    },
    noteElsewhere: (chainId, wallet, nodes, found) =>
      write(() => {
        for (const [nonce, seen] of found) {
          const call = seen.is === 'used' ? seen : null
          run(
            'INSERT OR REPLACE INTO elsewhere VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
            chainId,
            wallet,
            nonce,
            nodes,
            seen.is,
            call?.hash ?? null,
            call?.to ?? null,
            call?.input ?? null,
            call?.value ?? null,
            clock(),
          )
        }
      }),
    lastBlockBelow: (chainId, wallet, nonce) =>
      Number(
        one(
          `SELECT coalesce(max(block_number), 0) AS last FROM step WHERE chain_id = ? AND wallet = ? AND nonce < ?
           AND state IN ('FINAL_OK', 'FINAL_REVERTED', 'CANCELLED')`,
          chainId,
          wallet,
          nonce,
        )?.last,
      ),
  }
}
