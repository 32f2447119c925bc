import type { DatabaseSync } from 'node:sqlite'
import { nativeAddress } from '../../domain/address.ts'
import { tokenAmount } from '../../domain/amount.ts'
import { bitcoinNetwork, btc } from '../../domain/bitcoin.ts'
import { canonicalJson } from '../../domain/text/canonical-json.ts'
import { journalWrites } from './audited-state-changes.ts'
import { operationSeal } from './event-chain.ts'
import { type JournalQueries, queriesOf, sha256 } from './journal-db.ts'
import type { Row } from './rows.ts'

/** What the table kept of a quote under the key of a person: the quote as it was received. */
type KeptQuote = {
  raw?: {
    id?: string | null
    quoteId?: string | null
    provider?: string
    tokenIn?: { amount?: string }
    tokenOut?: {
      contract?: string
      chainId?: number | string
      symbol?: string
      decimals?: number | string
      amount?: string
    }
    minAmountOut?: string | null
    deadlineDate?: string | null
    destinationAddress?: string | null
  }
  destination?: string | null
}

/** What it kept of the terms of a deposit that a remote service served. */
type KeptTerms = {
  id: string
  provider: string
  expiresAt: number
  deposit: { address: string; memo: string | null }
  amountIn: string
  minAmountOut: string
  tokenOut: { chainId: number; address: string; symbol: string; decimals: number }
  recipient: string
}

const parsed = <T>({ quote }: Row): T => JSON.parse(String(quote)) as T

/**
 * The quotes of swaps from Bitcoin, which had a table of their own, become operations; what their table kept beside them (terms, and
 * the payments that ended swaps) goes to their plans and to the orders. The requests of their keys are known by their hashes only.
 */
export function moveBitcoinQuotes(db: DatabaseSync): void {
  const queries = queriesOf(db)
  db.exec(`DROP TRIGGER one_key_one_request;
    DROP TRIGGER used_order_never_update;
    UPDATE used_order SET owner = substr(owner, 7) WHERE owner GLOB 'quote *';
    CREATE TRIGGER used_order_never_update BEFORE UPDATE ON used_order
    BEGIN SELECT RAISE(ABORT, 'used_order: what is written stays'); END;`)
  const rows = queries.all('SELECT * FROM bitcoin_quote ORDER BY at, idem_key')
  const named = (start: string) => rows.filter(({ idem_key }) => String(idem_key).startsWith(start))
  const terms = named('deposit of ')
  const termsOf = (id: string) => terms.find(({ idem_key }) => idem_key === `deposit of ${id}`)
  const moved = new Set<string>()
  // No idempotency key has a space.
  for (const row of rows.filter(({ idem_key }) => !String(idem_key).includes(' '))) {
    const kept = parsed<KeptQuote>(row)
    const id = kept.raw?.id ?? kept.raw?.quoteId ?? ''
    const own = termsOf(id)
    moved.add(id)
    record(queries, row, { id, idemKey: String(row.idem_key), kept, terms: own && parsed<KeptTerms>(own) })
  }
  for (const row of terms) {
    const own = parsed<KeptTerms>(row)
    if (!moved.has(own.id)) record(queries, row, { id: own.id, idemKey: own.id, kept: {}, terms: own })
  }
  for (const row of named('payment '))
    queries.run(
      'INSERT OR IGNORE INTO used_order VALUES (?, ?, ?)',
      String(row.idem_key),
      parsed<{ quoteId: string }>(row).quoteId,
      row.at!,
    )
  db.exec('DROP TABLE bitcoin_quote')
}

type Swap = { id: string; idemKey: string; kept: KeptQuote; terms: KeptTerms | undefined }

function record(
  queries: JournalQueries,
  { at, request_hash }: Row,
  { id: quoteId, idemKey, kept, terms }: Swap,
): void {
  const { one, put } = queries
  const { raw, destination } = kept
  const isTaken = (id: string) => id === '' || one('SELECT 1 FROM operation WHERE id = ?', id) !== undefined
  const id = isTaken(quoteId) ? `${quoteId}-${sha256(idemKey).slice(0, 8)}` : quoteId
  const order = one('SELECT id FROM used_order WHERE owner = ?', quoteId)
  // A second key of the same quote names it too; its address names the first.
  const known = terms?.deposit.address ?? (order && String(order.id).replace(/^[^:]*:/, '')) ?? null
  const address = id === quoteId ? known : null
  const amount = terms?.amountIn ?? raw?.tokenIn?.amount ?? '0'
  const minimum = terms?.minAmountOut ?? raw?.minAmountOut ?? '0'
  const recipient = terms?.recipient ?? destination ?? raw?.destinationAddress ?? nativeAddress
  const out = terms?.tokenOut ?? {
    chainId: Number(raw?.tokenOut?.chainId),
    address: raw?.tokenOut?.contract ?? nativeAddress,
    symbol: raw?.tokenOut?.symbol ?? '',
    decimals: Number(raw?.tokenOut?.decimals),
  }
  const until = terms?.expiresAt ?? (Date.parse(raw?.deadlineDate ?? '') || Number(at))
  put('operation', {
    ...{
      id,
      idem_key: idemKey,
      request: 'null',
      request_hash: request_hash!,
      kind: 'swap',
      wallet: recipient,
    },
    plan: canonicalJson({
      intents: [
        {
          ...{ kind: 'swap', provider: terms?.provider ?? raw?.provider ?? '', wallet: recipient, recipient },
          ...{ exact: 'in', amountIn: amount, amountOut: minimum, tokenIn: btc, tokenOut: out },
        },
        null,
      ],
      about: {
        ...{ type: 'CROSSCHAIN_SWAP', strategyId: null, strategySlug: null, receiver: recipient },
        amounts: {
          in: tokenAmount(BigInt(amount), btc),
          out: tokenAmount(BigInt(raw?.tokenOut?.amount ?? minimum), out),
        },
      },
      ...{ quoteId, planHash: '', assurance: 'L2', nonce: null, expiresAt: new Date(until).toISOString() },
      terms: { allow: [], allowTokens: [] },
      deposit: { quote: kept, ...(terms && { swap: terms }) },
    }),
    ...{ created: at!, updated: at! },
  })
  put('leg', {
    ...{ operation: id, leg: 0, chain_id: bitcoinNetwork.chainId },
    ...{
      deposit_address: address,
      deposit_memo: terms?.deposit.memo ?? null,
      deposit_amount: amount,
      deposit_until: until,
    },
  })
  put('leg', {
    ...{ operation: id, leg: 1, chain_id: out.chainId },
    ...{ arrival_token: out.address, arrival_minimum: minimum, arrival_recipient: recipient },
  })
  const { note } = journalWrites({ ...queries, write: (work) => work(), close: () => undefined }, () =>
    Number(at),
  )
  note(id, null, '', 'OPEN', 'planned', { kind: 'planned', ref: operationSeal(queries, id) })
}
