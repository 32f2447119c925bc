import { jsonArguments } from '../../chain/calldata.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { unlessSame } from '../../domain/swap-amounts.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { UniswapV2Constants } from '../../protocols/catalog.ts'
import type { Intent } from '../../protocols/intent.ts'
import { refuse, type Verdict } from '../../protocols/verdict.ts'
import { decodeSwap } from './decode.ts'

/** Binds a call of UniswapV2Router02 to the swap on one chain that was asked for. `wrapped` is the wrapped native coin. */
export function bindUniswapV2(
  transaction: Transaction,
  intent: Extract<Intent, { kind: 'swap' }>,
  { via }: UniswapV2Constants,
  wrapped: Address | undefined,
): Verdict {
  const { tokenIn, tokenOut } = intent
  const [isNativeIn, isNativeOut] = [tokenIn, tokenOut].map(({ address }) =>
    sameAddress(address, nativeAddress),
  )
  const swap = decodeSwap(transaction)
  if (!swap) return refuse('POLICY_DECODE', 'It is not a swap of UniswapV2Router02')
  const { path, recipient, deadline, amountIn, amountOut } = swap
  if (swap.isNativeIn !== isNativeIn || swap.isNativeOut !== isNativeOut)
    return refuse(
      'POLICY_DECODE',
      'It takes or pays the native coin where a token was asked for, or a token in its place',
    )
  if (swap.exact !== intent.exact) return refuse('POLICY_DECODE', 'It fixes the other side of the swap')
  if (deadline > BigInt(intent.deadline))
    return refuse('POLICY_QUOTE_DRIFT', `It may execute until ${deadline}, later than ${intent.deadline}`)
  const [first, last] = [path[0], path[path.length - 1]]
  const [wantedIn, wantedOut] = [
    isNativeIn ? wrapped : tokenIn.address,
    isNativeOut ? wrapped : tokenOut.address,
  ]
  if (
    !first ||
    !last ||
    !wantedIn ||
    !wantedOut ||
    !sameAddress(first, wantedIn) ||
    !sameAddress(last, wantedOut)
  )
    return refuse(
      'POLICY_QUOTE_DRIFT',
      `It swaps ${first} to ${last}, not ${tokenIn.symbol} to ${tokenOut.symbol}`,
    )
  const middle = path.slice(1, -1)
  if (middle.length > 1 || middle.some((token) => !via.some((known) => sameAddress(known, token))))
    return refuse('POLICY_QUOTE_DRIFT', 'The path goes through a token that is not on the list')
  if (!sameAddress(recipient, intent.recipient))
    return refuse('POLICY_RECIPIENT', `It pays out to ${recipient}, not to ${intent.recipient}`)
  const [spent, brought] = [formatAmount(amountIn, tokenIn), formatAmount(amountOut, tokenOut)]
  const [toSpend, toBring] = [
    formatAmount(intent.amountIn, tokenIn),
    formatAmount(intent.amountOut, tokenOut),
  ]
  if (intent.exact === 'in') {
    if (amountIn !== intent.amountIn) return refuse('POLICY_AMOUNT', `It spends ${spent}, not ${toSpend}`)
    if (amountOut < intent.amountOut)
      return refuse('POLICY_MIN_OUT', `It may bring only ${brought}, less than ${toBring}`)
  } else {
    if (amountOut !== intent.amountOut) return refuse('POLICY_AMOUNT', `It brings ${brought}, not ${toBring}`)
    if (amountIn > intent.amountIn)
      return refuse('POLICY_AMOUNT', `It may spend ${spent}, more than ${toSpend}`)
  }
  const isExactIn = intent.exact === 'in'
  const accepted = isExactIn
    ? unlessSame(amountOut, intent.amountOut, tokenOut)
    : unlessSame(amountIn, intent.amountIn, tokenIn)
  return {
    bound: {
      name: 'swap',
      args: jsonArguments({
        exact: swap.exact,
        path: path.join(' '),
        recipient,
        [isExactIn ? 'amountIn' : 'amountInMaximum']: amountIn,
        [isExactIn ? 'amountOutMinimum' : 'amountOut']: amountOut,
        deadline,
      }),
      text: `Swap ${isExactIn ? '' : 'at most '}${spent} for ${isExactIn ? 'at least ' : ''}${brought} on Uniswap v2${accepted}`,
      value: isNativeIn ? amountIn : 0n,
      ...(!isNativeIn && { spends: { token: tokenIn.address, amount: amountIn } }),
    },
  }
}
