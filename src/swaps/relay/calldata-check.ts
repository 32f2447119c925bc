import { jsonArguments } from '../../chain/strict-calldata-decoding.ts'
import { nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { displayNetwork } from '../../domain/networks.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../../protocols/calldata-verdict.ts'
import type { SwapIntent } from '../../protocols/intent.ts'
import { longestWindow } from './abi.ts'
import { decodeOrder, isSameOrder, orderIdOf, type RelayEnds } from './order.ts'
import { type RefundFault, refundFault } from './refund-terms-check.ts'

const faultCodes = {
  recipient: 'POLICY_RECIPIENT',
  count: 'POLICY_QUOTE_DRIFT',
  token: 'POLICY_QUOTE_DRIFT',
  deadline: 'POLICY_QUOTE_DRIFT',
  payer: 'POLICY_QUOTE_DRIFT',
} as const satisfies Record<RefundFault['of'], string>

/**
 * Checks a deposit at Relay against the requested transfer. The deposit contains only the order's hash; the other terms follow the call.
 * This builds the order from the intent and those terms and compares hashes: equal hashes mean that tokens, amount, recipient, chains and
 * solver are those of the intent and the catalogue.
 */
export function checkRelayCalldata(
  transaction: Pick<Transaction, 'data' | 'value'>,
  intent: SwapIntent,
  ends: RelayEnds,
  tokens: readonly Token[],
): CalldataVerdict {
  const { tokenIn, tokenOut, wallet, recipient, amountIn } = intent
  if (intent.exact === 'out') return refuse('POLICY_DECODE', 'Relay cannot swap to an exact output')
  const order = decodeOrder(transaction)
  if (!order)
    return refuse('POLICY_DECODE', 'It is not a deposit at Relay followed by the terms of its order')
  const { depositor, token, amount, id, terms } = order
  if (!sameAddress(depositor, wallet))
    return refuse('POLICY_RECIPIENT', `It deposits for ${depositor}, not for ${wallet}`)
  if (!sameAddress(token, tokenIn.address))
    return refuse('POLICY_AMOUNT', `It deposits the token ${token}, not ${tokenIn.address}`)
  const [spent, toSpend] = [formatAmount(amount, tokenIn), formatAmount(amountIn, tokenIn)]
  if (amount !== amountIn) return refuse('POLICY_AMOUNT', `It deposits ${spent}, not ${toSpend}`)
  const { minimum, deadline } = terms
  const brought = formatAmount(minimum, tokenOut)
  if (minimum < intent.amountOut)
    return refuse(
      'POLICY_MIN_OUT',
      `Its order may return only ${brought}, less than ${formatAmount(intent.amountOut, tokenOut)}`,
    )
  if (deadline > intent.deadline + longestWindow)
    return refuse(
      'POLICY_QUOTE_DRIFT',
      `Its order can be filled until ${deadline}, more than ${longestWindow} s after ${intent.deadline}`,
    )
  // A deposit that is mined just before the deadline must still be fillable.
  if (deadline < intent.deadline)
    return refuse(
      'POLICY_QUOTE_DRIFT',
      `Its order can be filled only until ${deadline}, but can be sent until ${intent.deadline}`,
    )
  const fault = refundFault(terms, { asked: intent, ends, tokens })
  if (fault) return refuse(faultCodes[fault.of], `Its order ${fault.text}`)
  const expected = orderIdOf(ends, intent, terms)
  if (!expected || !isSameOrder(id, expected))
    return refuse(
      'POLICY_QUOTE_DRIFT',
      `It deposits for the order ${id}, which differs from the requested one in token, amount, recipient, chain or solver`,
    )
  const isCoin = sameAddress(token, nativeAddress)
  return {
    bound: {
      name: isCoin ? 'depositNative' : 'depositErc20',
      args: jsonArguments({ depositor, token, amount, id, minimum, deadline }),
      text: `Deposit ${spent} at Relay for ${displayNetwork([], tokenOut.chainId).name}: at least ${brought} arrive for ${recipient}. Otherwise Relay refunds it, on either network, maybe in another token, without a promised minimum`,
      value: isCoin ? amount : 0n,
      ...(!isCoin && { spends: { token: tokenIn.address, amount } }),
    },
  }
}
