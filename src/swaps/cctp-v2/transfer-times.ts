import type { Speed } from './transfer-fees.ts'

/**
 * Average attestation times in seconds by the burn's domain; the middle of Circle's ranges (source:
 * developers.circle.com/cctp/concepts/finality-and-block-confirmations, November 2026).
 */
const waits: Readonly<Record<number, Record<Speed, number>>> = {
  0: { fast: 20, standard: 960 },
  1: { fast: 8, standard: 8 },
  2: { fast: 8, standard: 960 },
  3: { fast: 8, standard: 960 },
  6: { fast: 8, standard: 960 },
  7: { fast: 8, standard: 8 },
  10: { fast: 8, standard: 960 },
  11: { fast: 8, standard: 68_400 },
  13: { fast: 8, standard: 8 },
}

/** The time that a fast transfer from a domain saves, in seconds; `null` if unknown. */
export function fastSavingSeconds(domain: number): number | null {
  const wait = waits[domain]
  return wait ? wait.standard - wait.fast : null
}

/** The duration of a transfer from a domain at a speed, in seconds; `null` if unknown. */
export const transferSeconds = (domain: number, speed: Speed): number | null => waits[domain]?.[speed] ?? null
