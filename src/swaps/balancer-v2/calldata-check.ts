import { type Address, sameAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../../protocols/calldata-verdict.ts'
import type { SwapIntent } from '../../protocols/intent.ts'
import { checkPoolSwapCalldata, nativeCoinMismatch } from '../pool-swap-calldata-check.ts'
import type { BalancerV2Constants } from './constants-schema.ts'
import { decodeSwap } from './decode.ts'
import { isListed, pathText } from './pool-paths.ts'

/** Checks a Vault call of Balancer v2 against the requested swap. `wrapped` is the wrapped native coin. */
export function checkBalancerV2Calldata(
  transaction: Transaction,
  intent: SwapIntent,
  { pools }: BalancerV2Constants,
  wrapped: Address | undefined,
): CalldataVerdict {
  const swap = decodeSwap(transaction, wrapped)
  if (!swap)
    return refuse(
      'POLICY_DECODE',
      'It is not exactly one swap of the Vault of Balancer v2 along a path of pools, with tokens as input and output',
    )
  const mismatch = nativeCoinMismatch(swap, intent)
  if (mismatch) return mismatch
  if (!sameAddress(swap.sender, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It spends tokens of ${swap.sender}, not of ${intent.wallet}`)
  const verdict = checkPoolSwapCalldata(swap, intent, {
    exchange: 'Balancer v2',
    via: pools.flatMap(({ tokens }) => tokens),
    wrapped,
    shownPath: pathText(swap.path),
  })
  if ('bound' in verdict && !isListed({ pools }, swap.path))
    return refuse(
      'POLICY_QUOTE_DRIFT',
      'The path goes through a pool that is not on the list with its tokens',
    )
  return verdict
}
