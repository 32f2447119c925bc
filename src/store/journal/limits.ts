import type { Address, Hex } from '../../domain/address.ts'
import type { JournalDb } from './database.ts'
import type { CodePinJournal, LimitHold, LimitJournal } from './journal-interface.ts'

const dayMs = 86_400_000

/** The journal's amounts held against limits, and its code pins. */
export function journalLimits(
  { all, one, run, put, write }: JournalDb,
  clock: () => number,
): LimitJournal & CodePinJournal {
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
    codePin: (chainId, address) => {
      const row = one('SELECT * FROM pin WHERE chain_id = ? AND address = ?', chainId, address.toLowerCase())
      return (
        row && {
          codeHash: row.code_hash as Hex,
          implementation: row.implementation as Address | null,
          implementationHash: row.implementation_hash as Hex | null,
        }
      )
    },
    pinCode: (chainId, address, { codeHash, implementation, implementationHash }, again = false) =>
      write(() =>
        run(
          `INSERT INTO pin VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (chain_id, address) DO ${
            again
              ? 'UPDATE SET code_hash = excluded.code_hash, implementation = excluded.implementation, implementation_hash = excluded.implementation_hash, at = excluded.at'
              : 'NOTHING'
          }`,
          chainId,
          address.toLowerCase(),
          codeHash,
          implementation,
          implementationHash,
          clock(),
        ),
      ),
  }
}
