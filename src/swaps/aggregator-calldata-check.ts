import { jsonArguments } from '../chain/strict-calldata-decoding.ts'
import { type Address, nativeAddress, sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import type { Token } from '../domain/token.ts'
import { type CalldataVerdict, refuse } from '../protocols/calldata-verdict.ts'
import type { SwapIntent } from '../protocols/intent.ts'

/** Address that aggregator routers use for the native coin. */
export const nativeMark = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

/** The address that an aggregator router uses for a token. */
export const routerToken = ({ address }: Pick<Token, 'address'>): Address =>
  sameAddress(address, nativeAddress) ? nativeMark : address

/** The swap parameters in a call of an aggregator router, without the data for its executor. Amounts are in the smallest unit. */
export type SwapDescription = {
  srcToken: Address
  dstToken: Address
  dstReceiver: Address
  amount: bigint
  minReturnAmount: bigint
  flags: bigint
}

/**
 * Checks a router call against the requested swap. The router must enforce its description. `swap` is `undefined` for a call that is not a
 * swap. `label` is the aggregator's name; `odd` refuses other parts of the call. The path of the tokens is not checked.
 */
export function checkAggregatorSwapCalldata(
  swap: SwapDescription | undefined,
  intent: SwapIntent,
  { label, odd }: { label: string; odd: () => CalldataVerdict | undefined },
): CalldataVerdict {
  const { tokenIn, tokenOut } = intent
  if (!swap) return refuse('POLICY_DECODE', `It is not a call of swap of the router of ${label}`)
  if (intent.exact === 'out') return refuse('POLICY_DECODE', `${label} cannot swap to an exact output`)
  const { srcToken, dstToken, dstReceiver, amount, minReturnAmount, flags } = swap
  if (!sameAddress(srcToken, routerToken(tokenIn)) || !sameAddress(dstToken, routerToken(tokenOut)))
    return refuse(
      'POLICY_QUOTE_DRIFT',
      `It swaps ${srcToken} to ${dstToken}, not ${tokenIn.symbol} to ${tokenOut.symbol}`,
    )
  if (!sameAddress(dstReceiver, intent.recipient))
    return refuse('POLICY_RECIPIENT', `It pays out to ${dstReceiver}, not to ${intent.recipient}`)
  const [spent, toSpend] = [formatAmount(amount, tokenIn), formatAmount(intent.amountIn, tokenIn)]
  if (amount !== intent.amountIn) return refuse('POLICY_AMOUNT', `It spends ${spent}, not ${toSpend}`)
  const refused = odd()
  if (refused) return refused
  const [brought, toBring] = [
    formatAmount(minReturnAmount, tokenOut),
    formatAmount(intent.amountOut, tokenOut),
  ]
  if (minReturnAmount < intent.amountOut)
    return refuse('POLICY_MIN_OUT', `It may return only ${brought}, less than ${toBring}`)
  const isNativeIn = sameAddress(tokenIn.address, nativeAddress)
  return {
    bound: {
      name: 'swap',
      args: jsonArguments({ srcToken, dstToken, dstReceiver, amount, minReturnAmount, flags }),
      text: `Swap ${spent} for at least ${brought} on ${label}`,
      value: isNativeIn ? amount : 0n,
      ...(!isNativeIn && { spends: { token: tokenIn.address, amount } }),
    },
  }
}
