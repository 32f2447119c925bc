import { type Fees, fallbackTip, maxTipFactor, maxUnprovenTip } from '../../chain/fees.ts'
import type { Attempt } from '../../store/journal/operation.ts'
import { demandedFees, needsImmediateBump, sendErrorOf } from '../send-errors.ts'

/** How long a transaction may wait for a block: both must be over before its fee is raised. */
export type BumpDelay = { blocks: number; ms: number }

/** As long as it takes before a fee is raised, where nobody says otherwise. */
export const defaultBumpDelay: BumpDelay = { blocks: 3, ms: 30_000 }

/** How often the fee of one step is raised at most. */
const mostBumps = 5

/** An eighth more, rounded up, and more in any case: geth asks for a tenth, several other nodes for an eighth. */
const raised = (fee: bigint): bigint => larger((fee * 9n + 7n) / 8n, fee + 1n)

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/**
 * The fees of a replacement: an eighth above the dearest attempt in both fields, and what a node named
 * that refused one, unless that is many times of all that was ever paid; or the market where that is higher, or twice what a node refused and named no other. `undefined` when the cap leaves no room for
 * a replacement that nodes accept.
 */
export function replacementFees(
  before: readonly Paid[],
  market: Fees,
  cap: bigint | undefined,
): Fees | undefined {
  const believed = larger(maxTipFactor * larger(dearest(before, feeOf), market.maxFeePerGas), maxUnprovenTip)
  const namedBy = (paid: Paid): Fees | undefined => {
    const fees = demandedFees(paid)
    return fees && fees.maxFeePerGas <= believed ? fees : undefined
  }
  const named = before.flatMap((paid) => namedBy(paid) ?? [])
  const least = larger(raised(dearest(before, feeOf)), dearest(named, feeOf))
  const leastTip = larger(raised(dearest(before, tipOf)), dearest(named, tipOf))
  const cheap = before.filter((paid) => sendErrorOf(paid)?.is === 'cheap' && namedBy(paid) === undefined)
  // Twice nothing is nothing; where little is allowed for a unit, a quarter of that is much of a tip.
  const some = cap !== undefined && cap / 4n < fallbackTip ? cap / 4n : fallbackTip
  const twice = cheap.length === 0 ? 0n : larger(2n * dearest(cheap, tipOf), some)
  const usualTip = larger(market.maxPriorityFeePerGas, twice)
  // A tip that is not allowed does not hold up a replacement that would do with less.
  const isTooDear = cap !== undefined && usualTip > cap
  const maxPriorityFeePerGas = isTooDear ? leastTip : larger(leastTip, usualTip)
  // The base fee has as much room beside a higher tip as beside that of the market.
  const more = larger(maxPriorityFeePerGas - market.maxPriorityFeePerGas, 0n)
  const usual = larger(
    market.maxFeePerGas + (named.length + cheap.length > 0 ? more : 0n),
    2n * dearest(cheap, feeOf),
  )
  const wanted = larger(larger(least, usual), maxPriorityFeePerGas)
  if (cap === undefined || wanted <= cap) return { maxFeePerGas: wanted, maxPriorityFeePerGas }
  return least <= cap && maxPriorityFeePerGas <= cap ? { maxFeePerGas: cap, maxPriorityFeePerGas } : undefined
}

type Paid = Fees & Partial<Pick<Attempt, 'lastAnswer'>>

const feeOf = ({ maxFeePerGas }: Fees): bigint => maxFeePerGas
const tipOf = ({ maxPriorityFeePerGas }: Fees): bigint => maxPriorityFeePerGas
const dearest = (all: readonly Fees[], of: (fees: Fees) => bigint): bigint => all.map(of).reduce(larger, 0n)

/** Whether a transaction is to be cancelled: the newest replacement says what is wanted, as a higher fee takes a cancel back. */
export const isCancelling = (attempts: readonly Attempt[]): boolean =>
  attempts.findLast(({ kind }) => kind !== 'run')?.kind === 'cancel'

/** The attempts of a step in the order in which they are sent: the newest first, and of one that is to be cancelled only what cancels it. */
export const inSendingOrder = (attempts: readonly Attempt[]): Attempt[] => {
  const newest = attempts.toReversed()
  return isCancelling(attempts) ? newest.filter(({ kind }) => kind === 'cancel') : newest
}

/** Whether a pool has another transaction under the nonce, which is none of ours: the only attempt was refused as too cheap to replace it. It is outbid only when the person says so. */
export const isBehindForeign = (attempts: readonly Attempt[]): boolean =>
  attempts.length === 1 && sendErrorOf(attempts[0])?.is === 'under'

/** What is to be done about a transaction that waits, `isLate` where its deadline has passed: nothing, a higher fee, or a transaction that takes its place and does nothing. */
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
  return bumps < mostBumps ? (cancelling ? 'cancel' : 'bump') : 'wait'
}
