import { strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../../protocols/calldata-verdict.ts'
import type { FeePayment } from '../../protocols/fee-payments.ts'
import type { SwapIntent } from '../../protocols/intent.ts'
import { withFeesPaidInCall } from '../add-fees-to-verdict.ts'
import { pathText, type SwapPath, unpackPath } from '../fee-tier-paths.ts'
import { checkPoolSwapCalldata } from '../pool-swap-calldata-check.ts'
import { coinPaymentsAbi, feePaymentsAbi, innerSwapsAbi, multicallAbi, routerItself } from './abi.ts'
import type { UniswapV3Constants } from './constants-schema.ts'

type Swap = {
  exact: 'in' | 'out'
  path: SwapPath
  recipient: Address
  amountIn: bigint
  amountOut: bigint
  priceLimit: bigint
}

/** Decodes a swap inside a multicall; its path goes from the first token to the last. */
function decodeSwap(data: Hex): Swap | undefined {
  const call = strictDecode(innerSwapsAbi, data)
  if (!call) return undefined
  const [params] = call.args
  const exact = 'amountInMaximum' in params ? 'out' : 'in'
  const path =
    'path' in params
      ? unpackPath(params.path, exact)
      : { tokens: [params.tokenIn, params.tokenOut], fees: [params.fee] }
  if (!path) return undefined
  const amounts =
    'amountInMaximum' in params
      ? { amountIn: params.amountInMaximum, amountOut: params.amountOut }
      : { amountIn: params.amountIn, amountOut: params.amountOutMinimum }
  const priceLimit = 'sqrtPriceLimitX96' in params ? params.sqrtPriceLimitX96 : 0n
  return { exact, path, recipient: params.recipient, priceLimit, ...amounts }
}

/**
 * Decodes the fee payments after a swap: each pulls an exact amount from the sender and sends it to a collector. `undefined` for any other
 * call, token, amount or order.
 */
function decodeFees(calls: readonly Hex[], token: Address): FeePayment[] | undefined {
  const fees: FeePayment[] = []
  for (let at = 0; at < calls.length; at += 2) {
    const [pull, sweep] = calls.slice(at, at + 2).map((data) => strictDecode(feePaymentsAbi, data))
    if (pull?.functionName !== 'pull' || sweep?.functionName !== 'sweepToken') return undefined
    const [[taken, amount], [given, least, to]] = [pull.args, sweep.args]
    if (!sameAddress(taken, token) || !sameAddress(given, token) || least !== amount) return undefined
    fees.push({ to, amount })
  }
  return fees
}

/** Decodes the swap of a SwapRouter02 call; `undefined` for other calls. */
export const decodeRouterSwap = (data: Hex): Omit<Swap, 'priceLimit'> | undefined =>
  decodeSwap(strictDecode(multicallAbi, data)?.args[1][0] ?? '0x')

/** Checks a call of SwapRouter02, or of a fork's router, against the requested swap. `exchange` is the name in the text. */
export function checkUniswapV3Calldata(
  { data }: Transaction,
  intent: SwapIntent,
  {
    exchange,
    via,
    feeTiers,
    wrapped,
  }: Pick<UniswapV3Constants, 'via' | 'feeTiers'> & {
    exchange: string
    wrapped: Address | undefined
  },
): CalldataVerdict {
  const { tokenIn, tokenOut } = intent
  const [isNativeIn, isNativeOut] = [tokenIn, tokenOut].map(({ address }) =>
    sameAddress(address, nativeAddress),
  )
  const call = strictDecode(multicallAbi, data)
  if (!call) return refuse('POLICY_DECODE', 'It is not a call of multicall(uint256,bytes[]) of SwapRouter02')
  const [deadline, calls] = call.args
  const [only, ...others] = calls
  const swap = only === undefined ? undefined : decodeSwap(only)
  const needsRefund = isNativeIn && swap?.exact === 'out'
  // The order after the swap: the coin for the recipient, the unused coin, the fees.
  const coinCalls = Number(isNativeOut) + Number(needsRefund)
  const paid =
    isNativeIn && others.length > coinCalls ? undefined : decodeFees(others.slice(coinCalls), tokenIn.address)
  if (!swap || !paid || others.length < coinCalls)
    return refuse('POLICY_DECODE', 'The multicall is not exactly one swap of SwapRouter02')
  const after = others.slice(0, coinCalls).map((data) => strictDecode(coinPaymentsAbi, data))
  const unwrap = isNativeOut ? after[0] : undefined
  if (isNativeOut && unwrap?.functionName !== 'unwrapWETH9')
    return refuse('POLICY_DECODE', 'The swap for the native coin is not followed by its unwrapping')
  if (needsRefund && after.at(-1)?.functionName !== 'refundETH')
    return refuse('POLICY_DECODE', 'The unused coin is not paid back')
  const [least, recipient] =
    unwrap?.functionName === 'unwrapWETH9' ? unwrap.args : [swap.amountOut, swap.recipient]
  if (isNativeOut && !sameAddress(swap.recipient, routerItself))
    return refuse('POLICY_RECIPIENT', `The wrapped coin goes to ${swap.recipient}, not to the router`)
  const { tokens, fees } = swap.path
  if (fees.some((fee) => !feeTiers.includes(fee)))
    return refuse('POLICY_QUOTE_DRIFT', 'The path goes through a fee tier that is not on the list')
  if (swap.priceLimit !== 0n)
    return refuse('POLICY_QUOTE_DRIFT', 'It has a price limit, which could spend only a part')
  // Both the swap and the unwrapping have a minimum; the lower one counts.
  const amountOut = least < swap.amountOut ? least : swap.amountOut
  const verdict = checkPoolSwapCalldata({ ...swap, tokens, amountOut, recipient, deadline }, intent, {
    exchange,
    via,
    wrapped,
    shownPath: pathText(swap.path),
  })
  return withFeesPaidInCall(verdict, paid, intent)
}
