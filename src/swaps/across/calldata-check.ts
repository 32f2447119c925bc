import { jsonArguments } from '../../chain/strict-calldata-decoding.ts'
import { formatAmount } from '../../domain/amount.ts'
import { displayNetwork } from '../../domain/networks.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../../protocols/calldata-verdict.ts'
import type { SwapIntent } from '../../protocols/intent.ts'
import { anyRelayer, exclusivityFault, fillWindow } from './abi.ts'
import { depositTerms, isWordOf, type SpokeDepositTerms } from './deposit-terms.ts'

/**
 * Checks a deposit of Across against the requested transfer. An unfilled deposit is refunded to its depositor, so the depositor must be the
 * wallet. The deposit carries no message and no native coin.
 */
export function checkAcrossCalldata({ data }: Transaction, intent: SwapIntent): CalldataVerdict {
  const terms = depositTerms(data)
  if (!terms) return refuse('POLICY_DECODE', 'It is not a call of deposit of SpokePool')
  const { exclusiveRelayer, exclusivityParameter } = terms
  if (exclusiveRelayer !== anyRelayer && exclusivityParameter === 0)
    return refuse('POLICY_QUOTE_DRIFT', `It names the relayer ${exclusiveRelayer} without an exclusivity`)
  return checkDepositCalldata(terms, intent, { name: 'deposit', window: fillWindow })
}

/**
 * Checks the terms of a deposit. `name` is the function that makes it. `window` is how long after the quote's deadline it may be filled, in
 * seconds. `kept` is the fee that the call takes from the input before the deposit. One relayer may have some minutes of exclusivity: that
 * only delays the fill, and an unfilled deposit is refunded.
 */
export function checkDepositCalldata(
  terms: SpokeDepositTerms,
  intent: SwapIntent,
  { name, window, kept = 0n }: { name: string; window: number; kept?: bigint },
): CalldataVerdict {
  const { tokenIn, tokenOut, wallet } = intent
  const { depositor, recipient, inputToken, outputToken, destinationChainId, fillDeadline, message } = terms
  const { inputAmount: amountIn, outputAmount: amountOut } = terms
  if (!isWordOf(inputToken, tokenIn.address))
    return refuse('POLICY_AMOUNT', `It deposits the token ${inputToken}, not ${tokenIn.address}`)
  // The zero word would let the relayer choose the token; no token has that address.
  if (!isWordOf(outputToken, tokenOut.address))
    return refuse('POLICY_QUOTE_DRIFT', `It requests the token ${outputToken}, not ${tokenOut.address}`)
  if (destinationChainId !== BigInt(tokenOut.chainId))
    return refuse('POLICY_CHAIN', `It sends to chain ${destinationChainId}, not to ${tokenOut.chainId}`)
  if (!isWordOf(recipient, intent.recipient))
    return refuse('POLICY_RECIPIENT', `It pays out to ${recipient}, not to ${intent.recipient}`)
  if (!isWordOf(depositor, wallet))
    return refuse(
      'POLICY_RECIPIENT',
      `A deposit that expires would be paid back to ${depositor}, not to ${wallet}`,
    )
  if (message !== '0x')
    return refuse('POLICY_QUOTE_DRIFT', 'It carries a message, with which the recipient would be called')
  if (intent.exact === 'in' ? amountIn !== intent.amountIn : amountIn > intent.amountIn)
    return refuse(
      'POLICY_AMOUNT',
      `It deposits ${formatAmount(amountIn, tokenIn)}, not ${formatAmount(intent.amountIn, tokenIn)}`,
    )
  if (amountOut < intent.amountOut)
    return refuse(
      'POLICY_MIN_OUT',
      `It requests ${formatAmount(amountOut, tokenOut)}, less than ${formatAmount(intent.amountOut, tokenOut)}`,
    )
  const exclusive = exclusivityFault(terms)
  if (exclusive) return refuse('POLICY_QUOTE_DRIFT', `It ${exclusive}`)
  if (fillDeadline > intent.deadline + window)
    return refuse(
      'POLICY_QUOTE_DRIFT',
      `It can be filled until ${fillDeadline}, more than ${window} s after ${intent.deadline}`,
    )
  // A deposit that is mined just before the deadline must still be fillable.
  if (fillDeadline < intent.deadline)
    return refuse(
      'POLICY_QUOTE_DRIFT',
      `It can be filled only until ${fillDeadline}, but can be sent until ${intent.deadline}`,
    )
  return {
    bound: {
      name,
      args: jsonArguments(terms),
      text: `Deposit ${formatAmount(amountIn - kept, tokenIn)} for ${displayNetwork([], tokenOut.chainId).name}${kept > 0n ? ` after a fee of ${formatAmount(kept, tokenIn)}` : ''}, ${formatAmount(amountOut, tokenOut)} arrive for ${intent.recipient}, or it is paid back here`,
      value: 0n,
      spends: { token: tokenIn.address, amount: amountIn },
    },
  }
}
