import { amountCsv } from '../../cli/output/field-names.ts'
import type { Column } from '../../cli/output/view-types.ts'
import type { refusalRows } from '../../cli/signing-flow/quotes/quote-with-balance.ts'
import { amountShown, decimal, dollars, percent } from '../../cli/terminal/format.ts'
import type { quoteJson } from '../../cli/views/json-documents.ts'
import type { TokenAmount } from '../../domain/amount.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { spanText } from '../../domain/text/time-spans.ts'
import type { SwapProof } from '../../swaps/definition.ts'

/** One provider in a comparison: its quote, or why it has none; `lost` says why it is not the best. */
export type Compared = {
  provider: string
  rank: number | null
  quote: ReturnType<typeof quoteJson> | null
  gross: TokenAmount | null
  net: TokenAmount | null
  netUsd: string | null
  /** The fees by kind: included in the gross amount, or paid to a collector in a separate step. */
  fees: readonly unknown[] | null
  gasCostUsd: string | null
  priceImpact: number | null
  durationSeconds: number | null
  /** By what each term is proved, in words for a deposit on Bitcoin. */
  proof: SwapProof | string | null
  lost: string | null
  /** Why executing it will be refused. */
  refusals: ReturnType<typeof refusalRows>
  error: { code: string; message: string } | null
}

/** The columns of `swap quote --compare`. */
export const comparedColumns: readonly Column<Compared>[] = [
  {
    title: 'PROVIDER',
    field: 'provider',
    csv: { provider: ({ provider }) => provider },
    text: ({ provider, rank }, paint) =>
      rank === 1 ? paint.green(sanitizeText(provider)) : sanitizeText(provider),
  },
  {
    title: 'GROSS',
    field: 'gross',
    csv: amountCsv('gross', ({ gross }) => gross),
    align: 'right',
    text: ({ gross }, _, places) => amountShown(gross, places),
  },
  {
    title: 'NET',
    field: 'net',
    csv: amountCsv('net', ({ net }) => net),
    align: 'right',
    text: ({ net, quote }, _, places) => (net || !quote ? amountShown(net, places) : 'not known'),
  },
  {
    title: 'NET USD',
    field: 'netUsd',
    csv: { netUsd: ({ netUsd }) => netUsd },
    align: 'right',
    drop: 1,
    text: ({ netUsd }) => dollars(netUsd),
  },
  {
    title: 'FEES',
    field: 'fees',
    csv: { fees: ({ fees }) => feesOf(fees, (text) => text).join('; ') },
    drop: 2,
    text: ({ fees }) => feesOf(fees, decimal).join(', ') || '-',
  },
  {
    title: 'GAS',
    field: 'gasCostUsd',
    csv: { gasCostUsd: ({ gasCostUsd }) => gasCostUsd },
    align: 'right',
    drop: 3,
    text: ({ gasCostUsd }) => dollars(gasCostUsd),
  },
  {
    title: 'IMPACT',
    field: 'priceImpact',
    csv: { priceImpact: ({ priceImpact }) => priceImpact },
    align: 'right',
    drop: 4,
    text: ({ priceImpact }) => percent(priceImpact),
  },
  {
    title: 'TIME',
    field: 'durationSeconds',
    csv: { durationSeconds: ({ durationSeconds }) => durationSeconds },
    align: 'right',
    drop: 5,
    text: ({ durationSeconds, quote }) => (quote ? timeShown(durationSeconds) : '-'),
  },
  {
    title: 'PROVED',
    field: 'proof',
    csv: { proof: ({ proof }) => (proof === null ? null : provedShown(proof)) },
    drop: 6,
    text: ({ proof, quote }) => (quote ? provedShown(proof) : '-'),
  },
  {
    title: 'NOTE',
    field: 'lost',
    csv: { lost: ({ lost }) => lost },
    drop: 0.5,
    text: ({ lost, rank }, paint) => (rank === 1 ? paint.green('best') : paint.dim(sanitizeText(lost ?? ''))),
  },
]

/** The fees of a quote with their kinds: `0.5 USDC network`. */
const feesOf = (fees: readonly unknown[] | null, written: (amount: string) => string): string[] =>
  (fees ?? []).flatMap((fee) => {
    const { kind, amount } = (fee ?? {}) as { kind?: unknown; amount?: Partial<TokenAmount> }
    if (amount?.formatted === undefined || !/[1-9]/.test(amount.formatted)) return []
    return [
      sanitizeText(
        `${written(amount.formatted)} ${amount.symbol ?? ''} ${typeof kind === 'string' ? kind : ''}`.trim(),
      ),
    ]
  })

const timeShown = (seconds: number | null): string =>
  seconds === null ? 'not known' : seconds === 0 ? '1 block' : spanText(1_000 * seconds)

/** What of the terms is proved by the calldata, in words; a deposit on Bitcoin has words of its own. */
function provedShown(proof: SwapProof | string | null): string {
  if (!proof) return 'not known'
  if (typeof proof === 'string') return proof
  const simulated = termsBy(proof, 'simulation')
  const not = termsBy(proof, 'none')
  if (not.length === Object.keys(proof).length) return 'nothing'
  const but = not.length === 0 ? 'all' : `all but ${not.join(', ')}`
  return simulated.length === 0 ? but : `${but} (${simulated.join(', ')} by simulation)`
}

const termsBy = (proof: SwapProof, how: SwapProof['minimum']): string[] =>
  Object.entries(proof).flatMap(([term, by]) => (by === how ? [term] : []))
