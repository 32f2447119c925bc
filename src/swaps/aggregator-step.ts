import { type Address, type Hex, nativeAddress, sameAddress } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { Token } from '../domain/token.ts'
import type { Step } from '../protocols/step.ts'
import type { Description } from './aggregator-calldata-check.ts'
import type { Offer, Route, SwapProvider } from './provider.ts'
import { badAnswer } from './provider-api.ts'

/** What an aggregator is that swaps on some chains, exact input only, within its transaction. */
export const aggregatorProvider = (
  name: string,
  isOn: (chainId: number) => boolean,
): Pick<SwapProvider, 'name' | 'asksService' | 'exact' | 'supports' | 'status'> => ({
  name,
  asksService: true,
  exact: ['in'],
  supports: ({ from, to, tokenIn, tokenOut }) =>
    from.chainId === to.chainId && isOn(from.chainId) && !sameAddress(tokenIn.address, tokenOut.address),
  status: async (_route, _offer, origin) => ({ status: 'fulfilled', destination: origin }),
})

/**
 * The transaction of a call that the service of an aggregator wrote: to the router that is known, not the one it names. `swap` is what the
 * call says. PROVIDER_API_ERROR for a call of something else, QUOTE_EXPIRED if it promises less than the offer.
 */
export function aggregatorStep(
  { from, tokenIn }: Route,
  { amountIn, minAmountOut }: Offer,
  written: { data: Hex; swap: Description | undefined; to: Address; status: number },
  { provider, label, router }: { provider: string; label: string; router: Address },
): Step {
  const { data, swap, to, status } = written
  if (!swap || !sameAddress(to, router) || swap.amount !== amountIn)
    throw badAnswer(provider, `${label} answered with another swap than it quoted`, status)
  if (swap.minReturnAmount < minAmountOut)
    throw new AppError('QUOTE_EXPIRED', `${label} no longer promises the minimum that it quoted`)
  return payingStep({ chainId: from.chainId, to: router, data }, tokenIn, amountIn)
}

/** The step of a call that takes an amount of a token from its sender, or is sent it where it is the native coin. */
export function payingStep(
  call: { chainId: number; to: Address; data: Hex },
  { address: token }: Pick<Token, 'address'>,
  amount: bigint,
): Step {
  const isCoin = sameAddress(token, nativeAddress)
  return {
    transaction: { ...call, value: isCoin ? amount : 0n },
    ...(!isCoin && { needs: { token, spender: call.to, amount } }),
  }
}

/** The slippage that is left where a service is asked anew at the transaction of an offer: half of it is for what the price has moved since. */
export const halfSlippage = ({
  amountOut,
  minAmountOut,
}: Pick<Offer, 'amountOut' | 'minAmountOut'>): number =>
  Number(((amountOut - minAmountOut) * 10_000n) / amountOut) / 20_000

/** A slippage in basis points as a service is asked for it: it rounds in its own way, and one less keeps its minimum above ours. */
export const askedSlippageBps = (slippage: number): number =>
  Math.max(Math.floor(slippage * 10_000 + 1e-6) - 1, 0)
