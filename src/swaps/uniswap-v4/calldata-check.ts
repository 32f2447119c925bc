import { nativeAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../../protocols/calldata-verdict.ts'
import type { SwapIntent } from '../../protocols/intent.ts'
import { withFeesPaidInCall } from '../add-fees-to-verdict.ts'
import { pathText } from '../fee-tier-paths.ts'
import { checkPoolSwapCalldata } from '../pool-swap-calldata-check.ts'
import type { UniswapV4Constants } from './constants-schema.ts'
import { decodeSwap } from './decode.ts'

/** Checks a call of the Universal Router against the requested swap; tokens are paid through Permit2. */
export function checkUniswapV4Calldata(
  transaction: Transaction,
  intent: SwapIntent,
  { via, permit2 }: UniswapV4Constants,
): CalldataVerdict {
  const swap = decodeSwap(transaction)
  if (!swap)
    return refuse(
      'POLICY_DECODE',
      'It is not exactly one swap of Uniswap v4 in pools without hooks, with its payment and its payout',
    )
  const verdict = checkPoolSwapCalldata(swap, intent, {
    exchange: 'Uniswap v4',
    via: [nativeAddress, ...via],
    // The pools hold the native coin itself.
    wrapped: nativeAddress,
    shownPath: pathText(swap.path),
  })
  const paying = withFeesPaidInCall(verdict, swap.fees, intent)
  if ('violation' in paying || !paying.bound.spends) return paying
  const spends = { ...paying.bound.spends, through: { permit2, until: swap.deadline } }
  return { bound: { ...paying.bound, spends } }
}
