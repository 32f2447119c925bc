import type { Speed } from './transfer-fees.ts'

/**
 * How many seconds an attestation takes on average by the domain of the burn, fast and standard; where Circle names a span, its middle
 * (source: developers.circle.com/cctp/concepts/finality-and-block-confirmations, November 2026).
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

/** How much faster a fast transfer from a domain is, in seconds; `null` is unknown. */
export function savedBy(domain: number): number | null {
  const wait = waits[domain]
  return wait ? wait.standard - wait.fast : null
}

/** How many seconds a transfer from a domain takes at a speed; `null` is unknown. */
export const waitOf = (domain: number, speed: Speed): number | null => waits[domain]?.[speed] ?? null
