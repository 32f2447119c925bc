import { spanText } from './text/time-spans.ts'

/**
 * Why a service refuses a request. `no-route`: no liquidity, or a pair that it does not serve. `amount-low`, `amount-high`: the amount. `wallet`: the
 * wallet, the recipient, the balance or the allowance. `expired`: its quote no longer holds. `key`: the API key. `limit`: too many requests.
 * `maintenance`: not in service for now. `fault`: its own failure. `request`: anything else that it refuses, also by an unknown code.
 * `unusable`: no refusal by its status, but of another shape or for another swap.
 */
export type RefusalMeaning =
  | 'no-route'
  | 'amount-low'
  | 'amount-high'
  | 'wallet'
  | 'expired'
  | 'key'
  | 'limit'
  | 'maintenance'
  | 'fault'
  | 'request'
  | 'unusable'

/** What a meaning is for the caller: its error code, whether the same request may succeed later, and what to do. */
type MeaningRow = {
  code: 'NO_ROUTE_FOUND' | 'QUOTE_GENERATION_FAILED' | 'QUOTE_EXPIRED' | 'PROVIDER_API_ERROR'
  isTemporary: boolean
  hint: string
}

/** The meanings of refusals. Only a limit, maintenance and a fault pass by themselves. */
export const refusalMeanings: Readonly<Record<RefusalMeaning, MeaningRow>> = {
  'no-route': {
    code: 'NO_ROUTE_FOUND',
    isTemporary: false,
    hint: 'Try another amount or pair, or omit --provider: sluice swap quote --help',
  },
  'amount-low': { code: 'QUOTE_GENERATION_FAILED', isTemporary: false, hint: 'Try a larger amount.' },
  'amount-high': { code: 'QUOTE_GENERATION_FAILED', isTemporary: false, hint: 'Try a smaller amount.' },
  wallet: {
    code: 'QUOTE_GENERATION_FAILED',
    isTemporary: false,
    hint: 'Check the balance, the allowance and the recipient, or choose another provider: sluice wallet show',
  },
  expired: {
    code: 'QUOTE_EXPIRED',
    isTemporary: false,
    hint: 'Get a new quote with the same flags: sluice swap quote --help',
  },
  key: {
    code: 'PROVIDER_API_ERROR',
    isTemporary: false,
    hint: 'Check the API key of this provider and where it comes from: sluice config list --show-origin',
  },
  limit: {
    code: 'PROVIDER_API_ERROR',
    isTemporary: true,
    hint: 'Wait 30 seconds, then run the same command again.',
  },
  maintenance: {
    code: 'PROVIDER_API_ERROR',
    isTemporary: true,
    hint: 'Try again later, or choose another provider: sluice swap quote --help',
  },
  fault: {
    code: 'PROVIDER_API_ERROR',
    isTemporary: true,
    hint: 'Wait 30 seconds, then run the same command again.',
  },
  request: {
    code: 'PROVIDER_API_ERROR',
    isTemporary: false,
    hint: 'The same request will be refused again. Choose another provider: sluice swap quote --help',
  },
  unusable: {
    code: 'PROVIDER_API_ERROR',
    isTemporary: false,
    hint: 'Choose another provider: sluice swap quote --help',
  },
}

type Details = Readonly<Record<string, unknown>> | undefined

/** The row of the refusal that an error's details name; `undefined` for other errors. */
export function refusalOf(details: Details): MeaningRow | undefined {
  const { refusal } = details ?? {}
  return typeof refusal === 'string' && Object.hasOwn(refusalMeanings, refusal)
    ? refusalMeanings[refusal as RefusalMeaning]
    : undefined
}

/** What to do about the refusal that an error's details name; a limit says how long to wait. */
export function refusalHint(details: Details): string | undefined {
  const { refusal, retryAfterSeconds: seconds } = details ?? {}
  if (refusal === 'limit' && typeof seconds === 'number')
    return `Wait ${waitText(seconds)}, then run the same command again.`
  return refusalOf(details)?.hint
}

/** A wait in words, which is never shorter than the wait. */
export const waitText = (seconds: number): string => spanText(1_000 * seconds, Math.ceil)
