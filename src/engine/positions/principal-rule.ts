/**
 * What an owner put into one market and took out of it, in the smallest unit of the asset: the `principal` that is still in the market,
 * the profit that left it less the losses (`realised`, negative for a loss), and the highest value that `realised` ever had (`mark`, zero or above).
 */
export type Invested = { principal: bigint; realised: bigint; mark: bigint }

/** An owner that never put in anything. */
export const nothingInvested: Invested = { principal: 0n, realised: 0n, mark: 0n }

/** After a deposit or received shares: only the principal grows. */
export const afterIncoming = (invested: Invested, amount: bigint): Invested => ({
  ...invested,
  principal: invested.principal + amount,
})

/** After a withdrawal or sent shares: it returns the principal first, and only what it takes beyond the principal is profit. */
export function afterOutgoing({ principal, realised, mark }: Invested, amount: bigint): Invested {
  const profit = realised + positive(amount - principal)
  return { principal: positive(principal - amount), realised: profit, mark: larger(mark, profit) }
}

/** After the position was emptied: a principal that did not come back is a loss. */
export const afterEmptied = ({ principal, realised, mark }: Invested): Invested => ({
  principal: 0n,
  realised: realised - principal,
  mark,
})

/**
 * The part of the profit that pays the performance fee when `amount` is withdrawn, as two points of the realised profit: what is above the
 * highest realised profit so far. So the principal and the losses return first, no profit pays twice, and the fees of all withdrawals are
 * the fee on the highest point, in whatever order there were deposits, withdrawals, transfers and losses.
 */
export const payingProfit = (invested: Invested, amount: bigint): { from: bigint; to: bigint } => ({
  from: invested.mark,
  to: afterOutgoing(invested, amount).mark,
})

const positive = (amount: bigint): bigint => larger(amount, 0n)
const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other)
