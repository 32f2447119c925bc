import { setTimeout as sleep } from 'node:timers/promises'
import { type AppError, errorRow } from '../domain/errors.ts'
import { refusalOf } from '../domain/refusal-meanings.ts'
import { currentWaits } from './waits.ts'

/**
 * Parses a `Retry-After` header to ms: seconds or an HTTP date, at least 1 s and at most `mostMs`; `undefined` if it is missing or
 * malformed.
 */
export function retryAfterMs(header: string | undefined, now: number, mostMs = 120_000): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  // A date contains the name of a month or day; V8 would also parse `-5` or `1e9`.
  const wanted = /^[0-9]+(\.[0-9]+)?$/.test(text)
    ? Number(text) * 1000
    : /[A-Za-z]{3}/.test(text)
      ? Date.parse(text) - now
      : Number.NaN
  if (Number.isNaN(wanted)) return undefined
  return Math.min(mostMs, Math.max(1_000, wanted))
}

/** The wait before retry `n` (from 1), in ms: it doubles from 50 ms to 2 s, and half of it is random. */
export const backoffMs = (n: number, random: () => number = Math.random): number => {
  const most = Math.min(2_000, 50 * 2 ** (n - 1))
  return most / 2 + random() * (most / 2)
}

/** Waits, or throws the signal's abort reason. The end of the time of a command ends the wait: what follows has none left. */
export const wait = async (ms: number, signal?: AbortSignal): Promise<void> => {
  const over = currentWaits()?.signal
  const signals = [signal, over].filter((one) => one !== undefined)
  await sleep(ms, undefined, signals.length > 0 ? { signal: AbortSignal.any(signals) } : {}).catch(
    (error: unknown) => {
      if (signal?.aborted || !over?.aborted) throw error
    },
  )
}

/**
 * Whether the same request may succeed later, by its error code; false for an invalid response, an untrusted certificate, and what a
 * service refuses for good.
 */
export const isRetryable = ({ code, details }: Pick<AppError, 'code' | 'details'>): boolean =>
  refusalOf(details)?.isTemporary !== false &&
  errorRow(code).retryable === true &&
  code !== 'SERVICE_BAD_RESPONSE' &&
  details?.fault !== 'certificate'
