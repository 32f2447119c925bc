import { jsonArguments } from '../chain/strict-calldata-decoding.ts'
import { type Address, nativeAddress, sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import { type CalldataVerdict, refuse } from '../protocols/calldata-verdict.ts'
import type { SwapIntent } from '../protocols/intent.ts'

/**
 * A pool swap, decoded from its call; `tokens` go from the first token of the path to the last. Exact input: `amountOut` is the minimum.
 * Exact output: `amountIn` is the maximum. `deadline` is in Unix seconds.
 */
export type DecodedSwap = {
  exact: 'in' | 'out'
  tokens: readonly Address[]
  amountIn: bigint
  amountOut: bigint
  recipient: Address
  deadline: bigint
}

/** Refuses a swap that uses the native coin instead of the requested token, or a token instead of the coin. */
export function nativeCoinMismatch(
  swap: { isNativeIn: boolean; isNativeOut: boolean },
  { tokenIn, tokenOut }: SwapIntent,
): CalldataVerdict | undefined {
  const isCoin = ({ address }: { address: Address }) => sameAddress(address, nativeAddress)
  return swap.isNativeIn !== isCoin(tokenIn) || swap.isNativeOut !== isCoin(tokenOut)
    ? refuse(
        'POLICY_DECODE',
        'It takes or pays the native coin instead of the requested token, or the reverse',
      )
    : undefined
}

/**
 * Checks a decoded swap against the requested one: tokens, path through tokens of `via` only, recipient, amounts and deadline. `exchange`
 * is the name in the text, `shownPath` the path as text, `wrapped` the wrapped native coin.
 */
export function checkPoolSwapCalldata(
  swap: DecodedSwap,
  intent: SwapIntent,
  {
    exchange,
    via,
    wrapped,
    shownPath,
  }: { exchange: string; via: readonly Address[]; wrapped: Address | undefined; shownPath: string },
): CalldataVerdict {
  const { tokenIn, tokenOut } = intent
  const { tokens, recipient, deadline, amountIn, amountOut } = swap
  const isNativeIn = sameAddress(tokenIn.address, nativeAddress)
  if (deadline > BigInt(intent.deadline))
    return refuse('POLICY_QUOTE_DRIFT', `It may execute until ${deadline}, later than ${intent.deadline}`)
  if (swap.exact !== intent.exact)
    return refuse(
      'POLICY_DECODE',
      'It fixes the wrong side of the swap: input instead of output, or the reverse',
    )
  const [first, last] = [tokens[0], tokens[tokens.length - 1]]
  const [wantedIn, wantedOut] = [tokenIn, tokenOut].map(({ address }) =>
    sameAddress(address, nativeAddress) ? wrapped : address,
  )
  const isAsked =
    first && last && wantedIn && wantedOut && sameAddress(first, wantedIn) && sameAddress(last, wantedOut)
  if (!isAsked)
    return refuse(
      'POLICY_QUOTE_DRIFT',
      `It swaps ${first} to ${last}, not ${tokenIn.symbol} to ${tokenOut.symbol}`,
    )
  const middle = tokens.slice(1, -1)
  if (middle.length > 1 || middle.some((token) => !via.some((known) => sameAddress(known, token))))
    return refuse('POLICY_QUOTE_DRIFT', 'The path goes through a token that is not on the list')
  if (!sameAddress(recipient, intent.recipient))
    return refuse('POLICY_RECIPIENT', `It pays out to ${recipient}, not to ${intent.recipient}`)
  const [spent, brought] = [formatAmount(amountIn, tokenIn), formatAmount(amountOut, tokenOut)]
  const [toSpend, toBring] = [
    formatAmount(intent.amountIn, tokenIn),
    formatAmount(intent.amountOut, tokenOut),
  ]
  const isExactIn = intent.exact === 'in'
  if (isExactIn && amountIn !== intent.amountIn)
    return refuse('POLICY_AMOUNT', `It spends ${spent}, not ${toSpend}`)
  if (isExactIn && amountOut < intent.amountOut)
    return refuse('POLICY_MIN_OUT', `It may return only ${brought}, less than ${toBring}`)
  if (!isExactIn && amountOut !== intent.amountOut)
    return refuse('POLICY_AMOUNT', `It returns ${brought}, not ${toBring}`)
  if (!isExactIn && amountIn > intent.amountIn)
    return refuse('POLICY_AMOUNT', `It may spend ${spent}, more than ${toSpend}`)
  return {
    bound: {
      name: 'swap',
      args: jsonArguments({
        exact: swap.exact,
        path: shownPath,
        recipient,
        [isExactIn ? 'amountIn' : 'amountInMaximum']: amountIn,
        [isExactIn ? 'amountOutMinimum' : 'amountOut']: amountOut,
        deadline,
      }),
      text: `Swap ${isExactIn ? '' : 'at most '}${spent} for ${isExactIn ? 'at least ' : ''}${brought} on ${exchange}`,
      value: isNativeIn ? amountIn : 0n,
      ...(!isNativeIn && { spends: { token: tokenIn.address, amount: amountIn } }),
    },
  }
}
