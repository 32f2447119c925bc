import type { Offer } from './provider.ts'

/** The slippage to request when an offer's transaction is built: half of it, so that the price may move by the other half. */
export const halfSlippage = ({
  amountOut,
  minAmountOut,
}: Pick<Offer, 'amountOut' | 'minAmountOut'>): number =>
  Number(((amountOut - minAmountOut) * 10_000n) / amountOut) / 20_000

/**
 * The slippage to request from a service, in basis points. Services round differently; one basis point less keeps their minimum above ours.
 */
export const requestedSlippageBps = (slippage: number): number =>
  Math.max(Math.floor(slippage * 10_000 + 1e-6) - 1, 0)
