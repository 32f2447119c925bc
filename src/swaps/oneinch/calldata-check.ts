import { strictDecode } from '../../chain/calldata.ts'
import type { Hex } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { refuse, type Verdict } from '../../protocols/calldata-verdict.ts'
import type { SwapIntent } from '../../protocols/intent.ts'
import { checkAggregatorSwapCalldata } from '../aggregator-calldata-check.ts'
import { aggregationRouterAbi } from './abi.ts'

/** The mark of 4 bytes that the service puts behind a call, which the router does not read, in characters of hex. */
const markLength = 8

/** The terms of a call of `swap`; `undefined` for another call. */
export function decodeOneInchSwap(data: Hex) {
  const isMarked = (data.length - '0x12345678'.length) % 64 === markLength
  return strictDecode(aggregationRouterAbi, isMarked ? (data.slice(0, -markLength) as Hex) : data)?.args[1]
}

/**
 * Checks a call of the router against the swap that was asked for. What its executor does is not read: the router takes no more than the input,
 * and reverts if what it gets for the recipient is less than the minimum. Its other functions have their terms in pools or nested calls.
 */
export function checkOneInchCalldata({ data }: Pick<Transaction, 'data'>, intent: SwapIntent): Verdict {
  const swap = decodeOneInchSwap(data)
  const odd = () =>
    swap?.flags === 0n
      ? undefined
      : refuse('POLICY_DECODE', 'It may fill a part only, or has another option that was not requested')
  return checkAggregatorSwapCalldata(swap, intent, { label: '1inch', odd })
}
