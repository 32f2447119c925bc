import type { Address } from '../domain/address.ts'
import type { TokenAmount } from '../domain/amount.ts'
import type { Intent } from '../protocols/intent.ts'
import type { TermsJson } from './user-limits-and-exemptions.ts'

/** The summary of an operation for its report. `amounts` are printed amounts. */
export type OperationSummary = {
  type: string
  strategyId: string | null
  strategySlug: string | null
  receiver: Address
  amounts: { in: TokenAmount | null; out: TokenAmount | null }
  /**
   * A queued withdrawal: its duration in seconds if known, the command that claims it, the amount requested (`null` for everything;
   * missing in older plans), and, if it lapses, the claim window in seconds and the command after it.
   */
  queued?: {
    seconds: number | null
    next: string
    amount?: TokenAmount | null
    window?: { seconds: number | null; back: string }
  }
}

/**
 * The gas bound of a leg in wei: a unit, and in total if known. It applies to the steps from `from` on; earlier ones belong to an
 * older plan.
 */
export type StoredFeeBound = { feeCap: string; maxCost: string | null; from: number }

/** What the journal stores of a plan beside its steps: intents, summary, quote and terms. */
export type StoredPlan = {
  intents: (IntentJson | null)[]
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
  acted?: Readonly<Record<number, IntentJson>>
  /** Of a swap that begins with a payment on Bitcoin. */
  deposit?: StoredDeposit
}

/**
 * What a swap from Bitcoin keeps of its quote: as it was received and asked for, and with a remote service the terms by which this machine
 * checks the swap itself.
 */
export type StoredDeposit = {
  quote: { raw?: unknown; slippage?: number | null; destination?: Address | null }
  swap?: object
}

/** The intent of a leg's action. */
export const actionIntent = ({ acted, intents }: StoredPlan, leg: number): IntentJson | null | undefined =>
  acted?.[leg] ?? intents[leg]

/** The quotes of an operation, newest first; older plans may have none. */
export const quoteIds = (plan: Pick<StoredPlan, 'quoteId' | 'quotesBefore'>): string[] =>
  [plan.quoteId ?? '', ...(plan.quotesBefore ?? [])].filter((id) => id !== '')

/** An intent as JSON: amounts as text, a strategy by its slug. */
export type IntentJson = Record<string, unknown> & { kind: Intent['kind'] }
