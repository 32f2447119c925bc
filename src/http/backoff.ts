import { setTimeout as sleep } from 'node:timers/promises'
import { type AppError, errorRow } from '../domain/errors.ts'

/** How long a `Retry-After` asks us to wait, in ms: seconds or an HTTP date, at least 1 s and at most `mostMs`; `undefined` if there is none to be read. */
export function retryAfterMs(header: string | undefined, now: number, mostMs = 120_000): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  // A date has a name of a month or a day in it; what V8 would make of `-5` or `1e9` is no date.
  const wanted = /^[0-9]+(\.[0-9]+)?$/.test(text)
    ? Number(text) * 1000
    : /[A-Za-z]{3}/.test(text)
      ? Date.parse(text) - now
      : Number.NaN
  if (Number.isNaN(wanted)) return undefined
  return Math.min(mostMs, Math.max(1_000, wanted))
}

/** The wait before try number `n` (from 1): doubling from 50 ms to 2 s, half of it by chance. */
export const backoffMs = (n: number, random: () => number = Math.random): number => {
  const most = Math.min(2_000, 50 * 2 ** (n - 1))
  return most / 2 + random() * (most / 2)
}

/** Waits, or throws what the signal was aborted with. */
export const wait = async (ms: number, signal?: AbortSignal): Promise<void> => {
  await sleep(ms, undefined, signal ? { signal } : {})
}

/**
 * Whether the same request may succeed when it is made again: what its code says, but for what stays as it is – an answer that is not
 * one of this service, and a certificate that is not trusted.
 */
export const isWorthAgain = ({ code, details }: Pick<AppError, 'code' | 'details'>): boolean =>
  errorRow(code).retryable === true && code !== 'SERVICE_BAD_RESPONSE' && details?.fault !== 'certificate'
