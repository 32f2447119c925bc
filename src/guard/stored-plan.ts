import { z } from 'zod'
import { type Address, EvmAddress } from '../domain/address.ts'
import { type TokenAmount, Units } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import type { Catalog, StrategyEntry } from '../protocols/catalog-types.ts'
import type { Intent, ServiceFee } from '../protocols/intent.ts'
import { feesOf, mostFees } from '../protocols/intent-fees.ts'
import type { TermsJson } from './user-terms.ts'

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
  .array(
    z.strictObject({ to: EvmAddress, amount: Units, of: Units, isInside: z.literal(true).exactOptional() }),
  )
  .min(1)
  .max(mostFees)

/** Decodes fees, including the single one of an older version; throws if malformed. */
function decodeFees({ fee, fees = fee === undefined ? undefined : [fee] }: Loose): {
  fees?: readonly ServiceFee[]
} {
  if (fees === undefined) return {}
  const read = Fees.safeParse(fees)
  if (read.success) return { fees: read.data }
  throw new AppError('POLICY_TAMPER', 'The fee of this operation cannot be read')
}

/** Decodes an intent of the journal, with its strategy from the catalogue. */
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

/** The summary of an operation for its report. `amounts` are printed amounts. */
export type OperationSummary = {
  type: string
  strategyId: string | null
  strategySlug: string | null
  receiver: Address
  amounts: { in: TokenAmount | null; out: TokenAmount | null }
  /**
   * A queued withdrawal: its duration in seconds if known, the command that claims it, and, if it lapses, the claim window in
   * seconds and the command after it.
   */
  queued?: { seconds: number | null; next: string; window?: { seconds: number | null; back: string } }
}

/**
 * The gas bound of a leg in wei: a unit, and in total if known. It applies to the steps from `from` on; earlier ones belong to an
 * older plan.
 */
export type StoredFeeBound = { feeCap: string; maxCost: string | null; from: number }

/** What the journal stores of a plan beside its steps: intents, summary, quote and terms. */
export type StoredPlan = {
  intents: (Loose | null)[]
  about: OperationSummary
  quoteId: string | null
  /** The earlier quotes of the operation, newest first. */
  quotesBefore?: readonly string[]
  planHash: string
  assurance: string
  nonce: number | null
  expiresAt: string | null
  terms: TermsJson
  /** The wallet's nonce on the first chain at planning; missing in older plans. */
  walletNonce?: number
  /** The gas bound of each leg as the person saw it; missing in older plans. */
  bounds?: Readonly<Record<number, StoredFeeBound>>
  /** The first step of each leg that was planned again; earlier steps belong to an older plan. */
  since?: Readonly<Record<number, number>>
  /** The original intent of a leg of which only the fee payment was planned again: its intent is that payment. */
  acted?: Readonly<Record<number, Loose>>
}

/** The intent of a leg's action. */
export const actionIntent = ({ acted, intents }: StoredPlan, leg: number): Loose | null | undefined =>
  acted?.[leg] ?? intents[leg]

/** The quotes of an operation, newest first; older plans may have none. */
export const quoteIds = (plan: Pick<StoredPlan, 'quoteId' | 'quotesBefore'>): string[] =>
  [plan.quoteId ?? '', ...(plan.quotesBefore ?? [])].filter((id) => id !== '')
