import { z } from 'zod'
import { subtractSlippage } from '../../domain/slippage.ts'
import { numbersAsText } from '../../http/strict-json.ts'
import { finality } from './abi.ts'

/** A transfer speed of the bridge. */
export type Speed = keyof typeof finality

/** A fee as a fraction of an amount: `parts` / `of`. */
export type FeeRate = { parts: bigint; of: bigint }

const Tiers = z.array(
  z.object({
    finalityThreshold: z.string(),
    minimumFee: z.string(),
    // The delivery fees by priority, in the smallest unit of the token.
    forwardFee: z
      .object({ high: z.string().regex(/^\d{1,30}$/) })
      .optional()
      .catch(undefined),
  }),
)

/**
 * The price of a speed: a fraction of the amount, and the delivery fee of Circle in the smallest unit; `undefined` if it does not deliver.
 */
export type SpeedPrice = { rate: FeeRate; forwarding: bigint | undefined }

/** Parses the price of a speed from the service's response; `undefined` without one, or if the fee is the whole amount. */
export function priceIn(text: string, speed: Speed): SpeedPrice | undefined {
  const tiers = Tiers.safeParse(numbersAsText(text)).data
  const tier = tiers?.find(({ finalityThreshold }) => finalityThreshold === String(finality[speed]))
  const rate = tier && ofBps(tier.minimumFee)
  // A fee of the whole amount would deliver nothing.
  if (!rate || rate.parts >= rate.of) return undefined
  // Circle's own kit also allows for the highest delivery fee; an underpaid delivery does not happen.
  return { rate, forwarding: tier.forwardFee && BigInt(tier.forwardFee.high) }
}

/** Parses decimal basis points, such as 1.3, exactly. */
function ofBps(text: string): FeeRate | undefined {
  const [, whole, fraction = '', exponent = '0'] =
    /^(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const shift = Number(exponent) - fraction.length
  const [up, down] = [10n ** BigInt(Math.max(shift, 0)), 10n ** BigInt(Math.max(-shift, 0))]
  return { parts: BigInt(whole + fraction) * up, of: 10_000n * down }
}

/** The fee of an amount, rounded up to the smallest unit. */
export const feeOf = (amount: bigint, { parts, of }: FeeRate): bigint => (amount * parts + of - 1n) / of

/** Adds the 10 % that Circle's own kit allows, so that a small rise of the fee does not turn a fast transfer into a slow one. */
export const withHeadroom = (fee: bigint): bigint => fee + fee / 10n

/**
 * The highest fee that the bridge may take: the fee with headroom plus the delivery fee, limited by the slippage. For an exact output or
 * `isSpent`, there is no headroom.
 */
export function maxBridgeFee(
  { exact, isSpent, slippage }: { exact: 'in' | 'out'; isSpent: boolean; slippage: number },
  amountIn: bigint,
  { fee, forwarding }: { fee: bigint; forwarding: bigint },
): bigint {
  if (exact === 'out' || isSpent) return fee + forwarding
  const slips = amountIn - subtractSlippage(amountIn - fee - forwarding, slippage)
  return [withHeadroom(fee) + forwarding, slips].reduce((a, b) => (a < b ? a : b))
}

/** The smallest input that leaves at least `out` after the fee. */
export function grossUp(out: bigint, rate: FeeRate): bigint {
  let amountIn = (out * rate.of) / (rate.of - rate.parts)
  while (amountIn - feeOf(amountIn, rate) < out) amountIn += 1n
  return amountIn
}
