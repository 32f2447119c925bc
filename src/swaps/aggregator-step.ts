import { type Address, type Hex, nativeAddress, sameAddress } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { Token } from '../domain/token.ts'
import type { CallWithAllowance } from '../protocols/market-adapter.ts'
import type { SwapDescription } from './aggregator-calldata-check.ts'
import type { Offer, Route, SwapProvider } from './provider.ts'
import { unusableResponseError } from './provider-api.ts'
import { differingFields } from './service-answers/asked-fields.ts'

/** Common fields of an aggregator: same-chain swaps with an exact input, complete in one transaction. */
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
 * Makes a step of the call that an aggregator's service returned. It calls the known router, not the address in the response. `swap` is the
 * decoded call. PROVIDER_API_ERROR for another swap; QUOTE_EXPIRED if its minimum is lower than that of the offer.
 */
export function aggregatorStep(
  { from, tokenIn }: Route,
  { amountIn, minAmountOut }: Offer,
  written: { data: Hex; swap: SwapDescription | undefined; to: Address; status: number },
  { provider, label, router }: { provider: string; label: string; router: Address },
): CallWithAllowance {
  const { data, swap, to, status } = written
  const other = differingFields({ to: [router, to], amount: [amountIn, swap?.amount] })
  if (!swap || other)
    throw unusableResponseError(
      provider,
      `${label} returned another swap than it quoted: ${swap ? other : 'its call is not that of the router'}`,
      status,
    )
  if (swap.minReturnAmount < minAmountOut)
    throw new AppError('QUOTE_EXPIRED', `${label} no longer promises the minimum that it quoted`)
  return payingStep({ chainId: from.chainId, to: router, data }, tokenIn, amountIn)
}

/** The step of a call that spends a token of its sender; the native coin is sent as the call's value. */
export function payingStep(
  call: { chainId: number; to: Address; data: Hex },
  { address: token }: Pick<Token, 'address'>,
  amount: bigint,
): CallWithAllowance {
  const isCoin = sameAddress(token, nativeAddress)
  return {
    transaction: { ...call, value: isCoin ? amount : 0n },
    ...(!isCoin && { needs: { token, spender: call.to, amount } }),
  }
}
