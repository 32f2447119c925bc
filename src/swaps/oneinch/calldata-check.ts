import { strictDecode } from '../../chain/strict-calldata-decoding.ts'
import type { Hex } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../../protocols/calldata-verdict.ts'
import type { SwapIntent } from '../../protocols/intent.ts'
import { checkAggregatorSwapCalldata } from '../aggregator-calldata-check.ts'
import { aggregationRouterAbi } from './abi.ts'

/** The length, in hex digits, of the 4-byte suffix that the service appends to a call; the router ignores it. */
const markLength = 8

/** The terms of a `swap` call; `undefined` for other calls. */
export function decodeOneInchSwap(data: Hex) {
  const isMarked = (data.length - '0x12345678'.length) % 64 === markLength
  return strictDecode(aggregationRouterAbi, isMarked ? (data.slice(0, -markLength) as Hex) : data)?.args[1]
}

/**
 * Checks a router call against the requested swap. The executor is not checked: the router takes at most the input, and reverts if it gets
 * less than the minimum for the recipient. Other functions of the router have their terms in pools or nested calls, and are refused.
 */
export function checkOneInchCalldata(
  { data }: Pick<Transaction, 'data'>,
  intent: SwapIntent,
): CalldataVerdict {
  const swap = decodeOneInchSwap(data)
  const odd = () =>
    swap?.flags === 0n
      ? undefined
      : refuse('POLICY_DECODE', 'It allows a partial fill, or has another option that was not requested')
  return checkAggregatorSwapCalldata(swap, intent, { label: '1inch', odd })
}
