import type { Address } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../../protocols/calldata-verdict.ts'
import type { SwapIntent } from '../../protocols/intent.ts'
import { checkPoolSwapCalldata, nativeCoinMismatch } from '../pool-swap-calldata-check.ts'
import type { UniswapV2Constants } from './constants-schema.ts'
import { decodeSwap } from './decode.ts'

/** Checks a call of UniswapV2Router02 against the requested swap. `exchange` is its name in texts, `wrapped` the wrapped native coin. */
export function checkUniswapV2Calldata(
  transaction: Transaction,
  intent: SwapIntent,
  {
    via,
    exchange,
    wrapped,
  }: Pick<UniswapV2Constants, 'via'> & { exchange: string; wrapped: Address | undefined },
): CalldataVerdict {
  const swap = decodeSwap(transaction)
  if (!swap) return refuse('POLICY_DECODE', 'It is not a swap of UniswapV2Router02')
  const mismatch = nativeCoinMismatch(swap, intent)
  if (mismatch) return mismatch
  return checkPoolSwapCalldata(swap, intent, {
    exchange,
    via,
    wrapped,
    shownPath: swap.tokens.join(' '),
  })
}
