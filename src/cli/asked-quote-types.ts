import type { Quote } from '../api/quote.ts'
import type { Address } from '../domain/address.ts'

/**
 * A quote with the parts of its request that it does not contain: the exact side, the slippage (`null`:
 * default) and the recipient (`null`: the signer).
 */
export type AskedQuote = {
  quote: Quote
  exact: 'in' | 'out'
  slippage: number | null
  destination: Address | null
  /** The requested bridge speed; missing in older records. */
  speed?: 'fast' | 'standard' | null
  /** Whether its provider was asked for by name; missing in older records. */
  isNamed?: boolean
}

/** The quotes of this machine, saved so that they can be executed by ID; with their profile and a description for completion. */
export type ReceivedQuotes = {
  save: (asked: AskedQuote, seen: { profile: string; about: string }) => Promise<void>
  find: (id: string) => Promise<AskedQuote | undefined>
  /** The ids that begin with a text, newest first; enough of them to name candidates. */
  idsBeginning: (start: string) => Promise<string[]>
  /** The quotes that a profile received in the last day, newest first. */
  ofProfile: (profile: string) => Promise<Quote[]>
}
