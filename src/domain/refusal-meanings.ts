import { type Advice, advice, sluice } from './text/next-step.ts'
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
  next: Advice
}

/** The meanings of refusals. Only a limit, maintenance and a fault pass by themselves. */
export const refusalMeanings: Readonly<Record<RefusalMeaning, MeaningRow>> = {
  'no-route': {
    code: 'NO_ROUTE_FOUND',
    isTemporary: false,
    next: advice`Try another amount, pair or provider: ${sluice('swap quote', { '--help': true })}`,
  },
  'amount-low': { code: 'QUOTE_GENERATION_FAILED', isTemporary: false, next: 'Try a larger amount.' },
  'amount-high': { code: 'QUOTE_GENERATION_FAILED', isTemporary: false, next: 'Try a smaller amount.' },
  wallet: {
    code: 'QUOTE_GENERATION_FAILED',
    isTemporary: false,
    next: advice`Check the balance, the allowance and the recipient, or choose another provider: ${sluice('wallet show')}`,
  },
  expired: {
    code: 'QUOTE_EXPIRED',
    isTemporary: false,
    next: advice`Get a new quote with the same flags: ${sluice('swap quote', { '--help': true })}`,
  },
  key: {
    code: 'PROVIDER_API_ERROR',
    isTemporary: false,
    next: advice`Check the API key of this provider and where it comes from: ${sluice('config list', { '--show-origin': true })}`,
  },
  limit: {
    code: 'PROVIDER_API_ERROR',
    isTemporary: true,
    next: 'Wait 30 seconds, then run the same command again.',
  },
  maintenance: {
    code: 'PROVIDER_API_ERROR',
    isTemporary: true,
    next: advice`Try again later, or choose another provider: ${sluice('swap quote', { '--help': true })}`,
  },
  fault: {
    code: 'PROVIDER_API_ERROR',
    isTemporary: true,
    next: 'Wait 30 seconds, then run the same command again.',
  },
  request: {
    code: 'PROVIDER_API_ERROR',
    isTemporary: false,
    next: advice`The same request will be refused again. Choose another provider: ${sluice('swap quote', { '--help': true })}`,
  },
  unusable: {
    code: 'PROVIDER_API_ERROR',
    isTemporary: false,
    next: advice`Choose another provider: ${sluice('swap quote', { '--help': true })}`,
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
export function refusalAdvice(details: Details): Advice | undefined {
  const { refusal, retryAfterSeconds: seconds } = details ?? {}
  if (refusal === 'limit' && typeof seconds === 'number')
    return `Wait ${waitText(seconds)}, then run the same command again.`
  return refusalOf(details)?.next
}

/** A wait in words, which is never shorter than the wait. */
export const waitText = (seconds: number): string => spanText(1_000 * seconds, Math.ceil)
