import type { Address } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { refuse, type Verdict } from '../../protocols/binding-verdict.ts'
import type { UniswapV2Constants } from '../../protocols/catalog-types.ts'
import type { SwapIntent } from '../../protocols/intent.ts'
import { bindPoolSwap, wrongCoin } from '../pool-swap-binding.ts'
import { decodeSwap } from './decode.ts'

/** Binds a call of UniswapV2Router02 to the swap on one chain that was asked for. `wrapped` is the wrapped native coin. */
export function bindUniswapV2(
  transaction: Transaction,
  intent: SwapIntent,
  { via }: UniswapV2Constants,
  wrapped: Address | undefined,
): Verdict {
  const swap = decodeSwap(transaction)
  if (!swap) return refuse('POLICY_DECODE', 'It is not a swap of UniswapV2Router02')
  const wrong = wrongCoin(swap, intent)
  if (wrong) return wrong
  return bindPoolSwap(swap, intent, {
    exchange: 'Uniswap v2',
    via,
    wrapped,
    shownPath: swap.tokens.join(' '),
  })
}
