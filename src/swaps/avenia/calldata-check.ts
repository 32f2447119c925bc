import { erc20Writes } from '../../chain/erc20.ts'
import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../../protocols/calldata-verdict.ts'
import type { SwapIntent } from '../../protocols/intent.ts'
import type { AveniaConstants } from './constants-schema.ts'

/**
 * Checks a transfer to the desk against the requested ramp: token, exact amount and the configured account. The calldata proves neither the
 * payout nor its recipient: the desk pays the sending wallet.
 */
export function checkAveniaCalldata(
  { data }: Pick<Transaction, 'data'>,
  { tokenIn, tokenOut, amountIn, amountOut, wallet, recipient }: SwapIntent,
  { desk }: Pick<AveniaConstants, 'desk'>,
): CalldataVerdict {
  const call = strictDecode(erc20Writes, data)
  if (call?.functionName !== 'transfer')
    return refuse('POLICY_DECODE', 'It is not a call of transfer(address,uint256)')
  const [to, amount] = call.args
  if (!sameAddress(to, desk))
    return refuse('POLICY_RECIPIENT', `It sends to ${to}, but the account of the desk is ${desk}`)
  if (!sameAddress(recipient, wallet))
    return refuse('POLICY_RECIPIENT', `The desk pays out to the sender ${wallet}, not to ${recipient}`)
  const [sent, due] = [formatAmount(amount, tokenIn), formatAmount(amountIn, tokenIn)]
  if (amount !== amountIn) return refuse('POLICY_AMOUNT', `It sends ${sent}, not ${due}`)
  return {
    bound: {
      name: 'transfer',
      args: jsonArguments({ to, amount }),
      text: `Send ${sent} to the desk of Avenia, which promises to pay out ${formatAmount(amountOut, tokenOut)} to ${wallet} later`,
      value: 0n,
    },
  }
}
