import { z } from 'zod'
import { type Address, EvmAddress } from '../domain/address.ts'
import { type TokenAmount, Units } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import type { Catalog, StrategyEntry } from '../protocols/catalog.ts'
import type { Intent, ServiceFee } from '../protocols/intent.ts'
import { feesOf, mostFees } from '../protocols/service-fee.ts'
import type { TermsJson } from './terms.ts'

type Loose = Record<string, unknown> & { kind: Intent['kind'] }

/** An intent as JSON for the journal: amounts as text, a strategy by its slug. */
export function encodeIntent(intent: Intent): Loose {
  const flat = 'strategy' in intent ? { ...intent, strategy: intent.strategy.slug } : intent
  const fees = feesOf(intent)
  return { ...worded(flat), ...(fees.length > 0 && { fees: fees.map(worded) }) } as Loose
}

const worded = (flat: object) =>
  Object.fromEntries(
    Object.entries(flat).map(([name, value]) => [name, typeof value === 'bigint' ? value.toString() : value]),
  )

const Fees = z
  .array(z.strictObject({ to: EvmAddress, amount: Units, of: Units }))
  .min(1)
  .max(mostFees)

/** Fees as they were written, an older version wrote the one that there was; what is none was not written by this program. */
function decodeFees({ fee, fees = fee === undefined ? undefined : [fee] }: Loose): {
  fees?: readonly ServiceFee[]
} {
  if (fees === undefined) return {}
  const read = Fees.safeParse(fees)
  if (read.success) return { fees: read.data }
  throw new AppError('POLICY_TAMPER', 'The fee of this operation cannot be read')
}

/** An intent out of the journal, with its strategy out of the catalogue. */
export function decodeIntent(json: Loose, catalog: Catalog): Intent {
  const amounts = Object.fromEntries(
    ['amount', 'shares', 'units', 'least', 'amountIn', 'amountOut'].flatMap((name) =>
      typeof json[name] === 'string' ? [[name, BigInt(json[name])]] : [],
    ),
  )
  const strategy = typeof json.strategy === 'string' ? { strategy: entryOf(catalog, json.strategy) } : {}
  const { fee: _, ...rest } = json
  return { ...rest, ...amounts, ...strategy, ...decodeFees(json) } as unknown as Intent
}

function entryOf({ strategies }: Catalog, slug: string): StrategyEntry {
  const found = strategies.find((entry) => entry.slug === slug)
  if (found) return found
  throw new AppError(
    'STRATEGY_NOT_FOUND',
    `The strategy ${slug} of this operation is not in the catalogue any more`,
  )
}

/** What an operation is, in the words that it is reported with. `amounts` are printed amounts. */
export type OperationSummary = {
  type: string
  strategyId: string | null
  strategySlug: string | null
  receiver: Address
  amounts: { in: TokenAmount | null; out: TokenAmount | null }
  /** That a withdrawal is queued: how long that takes in seconds, as far as it is known, and the command that takes what comes of it; for how many seconds it does, and what gives back what was let pass, where that lapses. */
  queued?: { seconds: number | null; next: string; window?: { seconds: number | null; back: string } }
}

/** The most that the gas of a leg may cost, in wei: a unit, and in all where that is known. It is for the steps of its leg from `from` on: those before belong to an older plan. */
export type StoredFeeBound = { feeCap: string; maxCost: string | null; from: number }

/** What the journal keeps of a plan beside its steps: what each leg is for, what the whole is, the quote that brings its funds, and the terms by which it was checked. */
export type StoredPlan = {
  intents: (Loose | null)[]
  about: OperationSummary
  quoteId: string | null
  /** The quotes that were planned with before it, newest first. */
  quotesBefore?: readonly string[]
  planHash: string
  assurance: string
  nonce: number | null
  expiresAt: string | null
  terms: TermsJson
  /** How many transactions the wallet had on the first chain when it was planned; an older plan does not say. */
  walletNonce?: number
  /** The most that the gas of each leg may cost, as the person saw it; an older plan has none. */
  bounds?: Readonly<Record<number, StoredFeeBound>>
  /** The first step of each leg that was planned anew: what stands before it belongs to an older plan. */
  since?: Readonly<Record<number, number>>
  /** What a leg was for of which only the payment of the service was planned anew: its intent is that payment then. */
  acted?: Readonly<Record<number, Loose>>
}

/** What the action of a leg was for, by the journal. */
export const actionIntent = ({ acted, intents }: StoredPlan, leg: number): Loose | null | undefined =>
  acted?.[leg] ?? intents[leg]

/** The quotes that an operation was planned with, newest first; the older shape may have no name for one. */
export const quoteIds = (plan: Pick<StoredPlan, 'quoteId' | 'quotesBefore'>): string[] =>
  [plan.quoteId ?? '', ...(plan.quotesBefore ?? [])].filter((id) => id !== '')
