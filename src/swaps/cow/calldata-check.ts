import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { momentText } from '../../domain/text/time-spans.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../../protocols/calldata-verdict.ts'
import type { SwapIntent } from '../../protocols/intent.ts'
import { preSignatureAbi as abi, orderWindow } from './abi.ts'
import type { CowConstants } from './constants-schema.ts'
import { isSameUid, orderOf, partsOfUid, uidOf } from './order.ts'

/**
 * Checks an order's pre-signature against the requested swap. The call contains only the order's uid, so this builds the order from the
 * intent and compares uids: equal uids mean equal tokens, amounts, recipient, fee and all other fields.
 */
export function checkCowCalldata(
  { data }: Pick<Transaction, 'data'>,
  intent: SwapIntent,
  { chainId, settlement, vaultRelayer }: CowConstants,
): CalldataVerdict {
  const { tokenIn, tokenOut, wallet, recipient, amountIn, amountOut, exact } = intent
  const call = strictDecode(abi, data)
  if (!call)
    return refuse('POLICY_DECODE', 'It is not a call of setPreSignature of the settlement of CoW Protocol')
  const [uid, signed] = call.args
  const parts = partsOfUid(uid)
  if (!signed || !parts) return refuse('POLICY_DECODE', 'It does not sign an order')
  if ([tokenIn, tokenOut].some(({ address }) => sameAddress(address, nativeAddress)))
    return refuse('POLICY_DECODE', 'An order of CoW Protocol is between tokens, not of the native coin')
  if (!sameAddress(parts.owner, wallet))
    return refuse('POLICY_RECIPIENT', `It signs an order of ${parts.owner}, not of ${wallet}`)
  const { validTo } = parts
  if (validTo > intent.deadline + orderWindow)
    return refuse(
      'POLICY_QUOTE_DRIFT',
      `It can be filled until ${validTo}, more than ${orderWindow} s after ${intent.deadline}`,
    )
  // An order that is signed just before the deadline must still be fillable.
  if (validTo < intent.deadline)
    return refuse(
      'POLICY_QUOTE_DRIFT',
      `It can be filled only until ${validTo}, but can be sent until ${intent.deadline}`,
    )
  const order = orderOf(intent, intent, { recipient, validTo })
  if (!isSameUid(uid, uidOf({ chainId, settlement }, order, wallet)))
    return refuse(
      'POLICY_QUOTE_DRIFT',
      `It signs the order ${uid}, which differs from the requested one in token, amount, recipient or fee`,
    )
  const [spent, brought] = [formatAmount(amountIn, tokenIn), formatAmount(amountOut, tokenOut)]
  return {
    bound: {
      name: 'setPreSignature',
      args: jsonArguments({ orderUid: uid, signed, validTo }),
      text: `Place an order with CoW Protocol: ${exact === 'in' ? '' : 'at most '}${spent} for ${exact === 'in' ? 'at least ' : ''}${brought}, for ${recipient}. It is filled until ${momentText(validTo * 1_000)}, or not at all`,
      value: 0n,
      spends: { token: tokenIn.address, amount: amountIn, by: vaultRelayer },
    },
  }
}
