import { z } from 'zod'

import { finality } from '../../calls/cctp-v2.ts'
import { numbersAsText } from '../../net/json.ts'

/** The share that a bridge keeps of an amount: `parts` of each `of`. */
export type FeeRate = { parts: bigint; of: bigint }

const Tiers = z.array(z.object({ finalityThreshold: z.string(), minimumFee: z.string() }))

/** What the attestation service takes for a speed, off its answer as it came; `undefined` where it does not say, or would take all. */
export function feeRateIn(text: string, speed: keyof typeof finality): FeeRate | undefined {
  const tiers = Tiers.safeParse(numbersAsText(text)).data
  const tier = tiers?.find(({ finalityThreshold }) => finalityThreshold === String(finality[speed]))
  const rate = tier && ofBps(tier.minimumFee)
  // Nothing ever comes of a transfer that costs all of itself.
  return rate && rate.parts < rate.of ? rate : undefined
}

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

/** The smallest input that brings at least `out` after the fee. */
export function grossUp(out: bigint, rate: FeeRate): bigint {
  let amountIn = (out * rate.of) / (rate.of - rate.parts)
  while (amountIn - feeOf(amountIn, rate) < out) amountIn += 1n
  return amountIn
}
