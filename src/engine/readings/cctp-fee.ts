import { z } from 'zod'

import { finality } from '../../calls/cctp-v2.ts'
import { less } from '../../domain/slippage.ts'
import { numbersAsText } from '../../net/json.ts'

/** A speed of the bridge. */
export type Speed = keyof typeof finality

/** The share that a bridge keeps of an amount: `parts` of each `of`. */
export type FeeRate = { parts: bigint; of: bigint }

const Tiers = z.array(z.object({ finalityThreshold: z.string(), minimumFee: z.string() }))

/** What the attestation service takes for a speed, off its answer as it came; `undefined` where it does not say, or would take all. */
export function feeRateIn(text: string, speed: Speed): FeeRate | undefined {
  const tiers = Tiers.safeParse(numbersAsText(text)).data
  const tier = tiers?.find(({ finalityThreshold }) => finalityThreshold === String(finality[speed]))
  const rate = tier && ofBps(tier.minimumFee)
  // Nothing ever comes of a transfer that costs all of itself.
  return rate && rate.parts < rate.of ? rate : undefined
}

/** The same for several speeds: those that it names. */
export const feeRatesIn = (text: string, speeds: readonly Speed[]): { speed: Speed; rate: FeeRate }[] =>
  speeds.flatMap((speed) => {
    const rate = feeRateIn(text, speed)
    return rate ? [{ speed, rate }] : []
  })

/** Basis points as decimal text, which may be a fraction such as 1.3, to the last digit. */
function ofBps(text: string): FeeRate | undefined {
  const [, whole, fraction = '', exponent = '0'] =
    /^(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const shift = Number(exponent) - fraction.length
  const [up, down] = [10n ** BigInt(Math.max(shift, 0)), 10n ** BigInt(Math.max(-shift, 0))]
  return { parts: BigInt(whole + fraction) * up, of: 10_000n * down }
}

/** What is kept of an amount: only a fraction of its smallest unit is rounded, up. */
export const feeOf = (amount: bigint, { parts, of }: FeeRate): bigint => (amount * parts + of - 1n) / of

/** The fee with the tenth above it that Circle's own kit allows, so that one that has risen a little does not make a fast transfer slow. */
export const withHeadroom = (fee: bigint): bigint => fee + fee / 10n

/**
 * The most that the bridge may keep: the fee with its headroom, but never more than may slip. Where what arrives is exact, or spent to the last
 * unit (`isSpent`), no more than the fee.
 */
export function mostFee(
  { exact, isSpent, slippage }: { exact: 'in' | 'out'; isSpent: boolean; slippage: number },
  amountIn: bigint,
  fee: bigint,
): bigint {
  if (exact === 'out' || isSpent) return fee
  const slips = amountIn - less(amountIn - fee, slippage)
  return [withHeadroom(fee), slips].reduce((a, b) => (a < b ? a : b))
}

/** The smallest input that brings at least `out` after the fee. */
export function grossUp(out: bigint, rate: FeeRate): bigint {
  let amountIn = (out * rate.of) / (rate.of - rate.parts)
  while (amountIn - feeOf(amountIn, rate) < out) amountIn += 1n
  return amountIn
}

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

/** How much sooner a fast transfer from a domain arrives, in seconds; `null` where nobody says. */
export function savedBy(domain: number): number | null {
  const wait = waits[domain]
  return wait ? wait.standard - wait.fast : null
}
