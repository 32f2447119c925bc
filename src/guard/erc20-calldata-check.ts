import { decodeApprove, erc20Writes } from '../chain/erc20.ts'
import { jsonArguments, strictDecode } from '../chain/strict-calldata-decoding.ts'
import { nativeAddress, sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../protocols/calldata-verdict.ts'
import type { IntentOf } from '../protocols/intent.ts'

/** Checks a revocation against its intent: token, spender, zero. */
export function checkRevokeCalldata(
  { data }: Transaction,
  { token, spender }: IntentOf<'revoke'>,
): CalldataVerdict {
  const approval = decodeApprove(data)
  if (!approval) return refuse('POLICY_DECODE', 'It is not an exact call of approve(address,uint256)')
  if (!sameAddress(approval.spender, spender))
    return refuse('POLICY_SPENDER', `It changes the allowance of ${approval.spender}, not of ${spender}`)
  if (approval.amount !== 0n) return refuse('POLICY_ALLOWANCE', `It approves ${approval.amount}, not 0`)
  const text = `Take the allowance of ${spender} for ${token.symbol} back`
  return { bound: { name: 'approve', args: jsonArguments(approval), text, value: 0n } }
}

/** Checks a transfer against its intent: token, recipient, amount. */
export function checkTransferCalldata(
  { to, data }: Transaction,
  intent: IntentOf<'transfer'>,
): CalldataVerdict {
  const { token, recipient, amount } = intent
  const text = `Send ${formatAmount(amount, token)} to ${recipient}`
  if (sameAddress(token.address, nativeAddress)) {
    if (!sameAddress(to, recipient))
      return refuse('POLICY_RECIPIENT', `It sends to ${to}, not to ${recipient}`)
    if (data !== '0x') return refuse('POLICY_DECODE', 'A transfer of the native coin must have no calldata')
    return { bound: { name: 'transfer', args: jsonArguments({ to, amount }), text, value: amount } }
  }
  const call = strictDecode(erc20Writes, data)
  if (call?.functionName !== 'transfer')
    return refuse('POLICY_DECODE', 'It is not a call of transfer(address,uint256)')
  if (!sameAddress(call.args[0], recipient))
    return refuse('POLICY_RECIPIENT', `It sends to ${call.args[0]}, not to ${recipient}`)
  if (call.args[1] !== amount) return refuse('POLICY_AMOUNT', `It sends ${call.args[1]}, not ${amount}`)
  return {
    bound: {
      name: 'transfer',
      args: jsonArguments({ to: call.args[0], amount: call.args[1] }),
      text,
      value: 0n,
    },
  }
}
