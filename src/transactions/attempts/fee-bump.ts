import { bumpedFee, maxBumps } from '../../chain/fee-bumps.ts'
import { fallbackTip, type GasFees, maxTipFactor, maxUnprovenTip } from '../../chain/gas-fees.ts'
import type { Attempt } from '../../store/journal/operation-types.ts'
import type { BumpDelay } from '../run.ts'
import { needsImmediateBump, sendErrorOf } from '../steps/send-errors.ts'

/** The default delay before a bump. */
export const defaultBumpDelay: BumpDelay = { blocks: 3, ms: 30_000 }

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/**
 * Computes the fees of a replacement: the largest of `bumpedFee` of the highest attempt in both fields, the fee that
 * a refusing node named (unless it is many times everything paid so far), the market, and twice the refused fee if
 * the node named none. `undefined` if the cap leaves no room for a replacement that nodes accept.
 */
export function replacementFees(
  before: readonly Paid[],
  market: GasFees,
  cap: bigint | undefined,
): GasFees | undefined {
  const believed = larger(
    maxTipFactor * larger(highestFee(before, feeOf), market.maxFeePerGas),
    maxUnprovenTip,
  )
  const namedBy = (paid: Paid): GasFees | undefined => {
    const fees = paid.lastAnswer?.demands
    return fees && fees.maxFeePerGas <= believed ? fees : undefined
  }
  const named = before.flatMap((paid) => namedBy(paid) ?? [])
  const least = larger(bumpedFee(highestFee(before, feeOf)), highestFee(named, feeOf))
  const leastTip = larger(bumpedFee(highestFee(before, tipOf)), highestFee(named, tipOf))
  const cheap = before.filter((paid) => sendErrorOf(paid)?.is === 'cheap' && namedBy(paid) === undefined)
  // Twice a zero tip is zero, so use a minimum. With a low cap, a quarter of it is already a high tip.
  const some = cap !== undefined && cap / 4n < fallbackTip ? cap / 4n : fallbackTip
  const twice = cheap.length === 0 ? 0n : larger(2n * highestFee(cheap, tipOf), some)
  const usualTip = larger(market.maxPriorityFeePerGas, twice)
  // If the usual tip is above the cap, a replacement with the minimum tip may still work.
  const isTooDear = cap !== undefined && usualTip > cap
  const maxPriorityFeePerGas = isTooDear ? leastTip : larger(leastTip, usualTip)
  // A higher tip leaves the same room for the base fee as the market tip.
  const more = larger(maxPriorityFeePerGas - market.maxPriorityFeePerGas, 0n)
  const usual = larger(
    market.maxFeePerGas + (named.length + cheap.length > 0 ? more : 0n),
    2n * highestFee(cheap, feeOf),
  )
  const wanted = larger(larger(least, usual), maxPriorityFeePerGas)
  if (cap === undefined || wanted <= cap) return { maxFeePerGas: wanted, maxPriorityFeePerGas }
  return least <= cap && maxPriorityFeePerGas <= cap ? { maxFeePerGas: cap, maxPriorityFeePerGas } : undefined
}

type Paid = GasFees & Partial<Pick<Attempt, 'lastAnswer'>>

const feeOf = ({ maxFeePerGas }: GasFees): bigint => maxFeePerGas
const tipOf = ({ maxPriorityFeePerGas }: GasFees): bigint => maxPriorityFeePerGas
const highestFee = (all: readonly GasFees[], of: (fees: GasFees) => bigint): bigint =>
  all.map(of).reduce(larger, 0n)

/** Whether a step is being cancelled. The newest replacement decides, since a bump reverses a cancellation. */
export const isCancelling = (attempts: readonly Attempt[]): boolean =>
  attempts.findLast(({ kind }) => kind !== 'run')?.kind === 'cancel'

/**
 * Returns the attempts of a step in sending order: newest first; only the cancellations if the step is being
 * cancelled.
 */
export const inSendingOrder = (attempts: readonly Attempt[]): Attempt[] => {
  const newest = attempts.toReversed()
  return isCancelling(attempts) ? newest.filter(({ kind }) => kind === 'cancel') : newest
}

/**
 * Whether the pool holds a foreign transaction at the nonce: the only attempt was refused as too cheap to replace it.
 * It is outbid only on request.
 */
export const isBehindForeign = (attempts: readonly Attempt[]): boolean =>
  attempts.length === 1 && sendErrorOf(attempts[0])?.is === 'under'

/** Decides about a pending transaction: wait, bump the fee, or cancel. `isLate` means that its deadline has passed. */
export function replacementDecision(
  attempts: readonly Attempt[],
  waited: { ms: number; blocks: number },
  patience: BumpDelay,
  isLate: boolean,
): 'wait' | 'bump' | 'cancel' {
  const cancelling = isCancelling(attempts)
  if (isBehindForeign(attempts)) return 'wait'
  if (isLate && !cancelling) return 'cancel'
  const isOver = waited.ms >= patience.ms && waited.blocks >= patience.blocks
  if (!isOver && !needsImmediateBump(inSendingOrder(attempts)[0])) return 'wait'
  const bumps = attempts.filter(({ kind }) => kind !== 'run').length
  return bumps < maxBumps ? (cancelling ? 'cancel' : 'bump') : 'wait'
}
