import { z } from 'zod'
import { subtractSlippage } from '../../domain/slippage.ts'
import { numbersAsText } from '../../http/strict-json.ts'
import { finality } from './abi.ts'

/** A speed of the bridge. */
export type Speed = keyof typeof finality

/** The share that a bridge keeps of an amount: `parts` of each `of`. */
export type FeeRate = { parts: bigint; of: bigint }

const Tiers = z.array(
  z.object({
    finalityThreshold: z.string(),
    minimumFee: z.string(),
    // What its delivery costs, in the smallest unit of the token, by how soon it gets into a block.
    forwardFee: z
      .object({ high: z.string().regex(/^\d{1,30}$/) })
      .optional()
      .catch(undefined),
  }),
)

/** The price of a speed: a share of the amount, and for its delivery by Circle so much in the smallest unit; `undefined` without delivery. */
export type Price = { rate: FeeRate; forwarding: bigint | undefined }

/** The price of a speed, from the answer of the attestation service; `undefined` if it states none, or one that takes everything. */
export function priceIn(text: string, speed: Speed): Price | undefined {
  const tiers = Tiers.safeParse(numbersAsText(text)).data
  const tier = tiers?.find(({ finalityThreshold }) => finalityThreshold === String(finality[speed]))
  const rate = tier && ofBps(tier.minimumFee)
  // A transfer that costs its whole amount delivers nothing.
  if (!rate || rate.parts >= rate.of) return undefined
  // Circle's own kit allows for the dearest delivery as well: one that is not paid for is not delivered.
  return { rate, forwarding: tier.forwardFee && BigInt(tier.forwardFee.high) }
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

/** The fee of an amount, rounded up to its smallest unit. */
export const feeOf = (amount: bigint, { parts, of }: FeeRate): bigint => (amount * parts + of - 1n) / of

/** The fee with the tenth above it that Circle's own kit allows, so that one that has risen a little does not make a fast transfer slow. */
export const withHeadroom = (fee: bigint): bigint => fee + fee / 10n

/**
 * The most that the bridge may keep: the fee with its headroom and what its delivery costs, but never more than may slip. Where what arrives
 * is exact, or spent to the last unit (`isSpent`), no more than both.
 */
export function mostFee(
  { exact, isSpent, slippage }: { exact: 'in' | 'out'; isSpent: boolean; slippage: number },
  amountIn: bigint,
  { fee, forwarding }: { fee: bigint; forwarding: bigint },
): bigint {
  if (exact === 'out' || isSpent) return fee + forwarding
  const slips = amountIn - subtractSlippage(amountIn - fee - forwarding, slippage)
  return [withHeadroom(fee) + forwarding, slips].reduce((a, b) => (a < b ? a : b))
}

/** The smallest input that brings at least `out` after the fee. */
export function grossUp(out: bigint, rate: FeeRate): bigint {
  let amountIn = (out * rate.of) / (rate.of - rate.parts)
  while (amountIn - feeOf(amountIn, rate) < out) amountIn += 1n
  return amountIn
}
