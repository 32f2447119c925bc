import type { Address, Hex } from '../../domain/address.ts'
import type { JournalDb } from './journal-db.ts'
import type { CodePinJournal } from './journal-interface.ts'

/** The journal's pins: the code of each contract that this machine trusted at its first use. */
export const journalCodePins = ({ one, run, write }: JournalDb, clock: () => number): CodePinJournal => ({
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
})
