import { AppError } from '../../domain/errors.ts'
import { otherKeyHint } from '../../domain/idempotency-key-of-bitcoin-swap-error.ts'
import { canonicalJson } from '../../domain/text/canonical-json.ts'
import { type JournalDb, sha256 } from './database.ts'
import type { BitcoinQuoteJournal } from './journal-interface.ts'
import type { Row } from './rows.ts'

/** The quotes of swaps from Bitcoin by their idempotency keys. Nothing is signed for such a swap, so it has no operation. */
export function journalBitcoinQuotes(
  { one, run, write }: JournalDb,
  clock: () => number,
): BitcoinQuoteJournal {
  const rowOf = (idemKey: string) => one('SELECT * FROM bitcoin_quote WHERE idem_key = ?', idemKey)
  const quoteIn = (row: Row | undefined): unknown => row && JSON.parse(String(row.quote))
  return {
    quoteOfKey: (idemKey) => quoteIn(rowOf(idemKey)),
    keepQuote: (idemKey, request, quote) => {
      const hash = sha256(canonicalJson(request))
      const row = write(() => {
        const earlier = rowOf(idemKey)
        const operation = one("SELECT id FROM operation WHERE idem_key = ? AND state <> 'DROPPED'", idemKey)
        if (operation || (earlier && earlier.request_hash !== hash))
          throw new AppError(
            'IDEMPOTENCY_KEY_REUSED',
            `The idempotency key ${idemKey} was used for another request`,
            operation ? { details: { operation: operation.id } } : { next: otherKeyHint(idemKey) },
          )
        if (!earlier && quote !== undefined)
          run('INSERT INTO bitcoin_quote VALUES (?, ?, ?, ?)', idemKey, hash, JSON.stringify(quote), clock())
        return rowOf(idemKey)
      })
      return quoteIn(row)
    },
  }
}
