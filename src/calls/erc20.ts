import { encodeFunctionData, parseAbi } from 'viem/utils'

import { type Address, nativeAddress, sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import type { Intent } from '../domain/intent.ts'
import type { Transaction } from '../domain/transaction.ts'
import { printed, refuse, strictDecode, type Verdict } from './decode.ts'

/** ERC-20, as EIP-20 gives it. */
export const erc20Abi = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function balanceOf(address account) view returns (uint256)',
  'function decimals() view returns (uint8)',
  'function symbol() view returns (string)',
  'function totalSupply() view returns (uint256)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
])

const writes = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
])

/** Lets `spender` take up to `amount` of a token from the sender. */
export const approve = (call: {
  chainId: number
  token: Address
  spender: Address
  amount: bigint
}): Transaction => ({
  to: call.token,
  data: encodeFunctionData({ abi: writes, functionName: 'approve', args: [call.spender, call.amount] }),
  value: 0n,
  chainId: call.chainId,
})

/** Sends a token, or the native coin where the token is the zero address. */
export const transfer = (call: {
  chainId: number
  token: Address
  to: Address
  amount: bigint
}): Transaction =>
  sameAddress(call.token, nativeAddress)
    ? { to: call.to, data: '0x', value: call.amount, chainId: call.chainId }
    : {
        to: call.token,
        data: encodeFunctionData({ abi: writes, functionName: 'transfer', args: [call.to, call.amount] }),
        value: 0n,
        chainId: call.chainId,
      }

/** An approval read back from calldata, or `undefined` if it is none. */
export function decodeApprove(data: `0x${string}`): { spender: Address; amount: bigint } | undefined {
  const call = strictDecode(writes, data)
  return call?.functionName === 'approve' ? { spender: call.args[0], amount: call.args[1] } : undefined
}

/** Whom a plain transfer pays how much, of a token or of the native coin; `undefined` where it is none. */
export function decodeTransfer({
  to,
  data,
  value,
}: Transaction): { to: Address; amount: bigint } | undefined {
  if (data === '0x') return { to, amount: value }
  const call = strictDecode(writes, data)
  return call?.functionName === 'transfer' ? { to: call.args[0], amount: call.args[1] } : undefined
}

/** Binds the end of an allowance to what was asked: this token, this spender, nothing left. */
export function bindRevoke(
  { data }: Transaction,
  { token, spender }: Extract<Intent, { kind: 'revoke' }>,
): Verdict {
  const approval = decodeApprove(data)
  if (!approval) return refuse('POLICY_DECODE', 'It is not a clean call of approve(address,uint256)')
  if (!sameAddress(approval.spender, spender))
    return refuse(
      'POLICY_SPENDER',
      `It approves ${approval.spender}, and ${spender} was to lose its allowance`,
    )
  if (approval.amount !== 0n)
    return refuse('POLICY_ALLOWANCE', `It approves ${approval.amount}, and nothing was to be left`)
  const text = `Take the allowance of ${spender} for ${token.symbol} back`
  return { bound: { name: 'approve', args: printed(approval), text, value: 0n } }
}

/** Binds a transfer to what was asked: this token, this recipient, this amount. */
export function bindTransfer(
  { to, data }: Transaction,
  intent: Extract<Intent, { kind: 'transfer' }>,
): Verdict {
  const { token, recipient, amount } = intent
  const text = `Send ${formatAmount(amount, token)} to ${recipient}`
  if (sameAddress(token.address, nativeAddress)) {
    if (!sameAddress(to, recipient))
      return refuse('POLICY_RECIPIENT', `It sends to ${to}, not to ${recipient}`)
    if (data !== '0x') return refuse('POLICY_DECODE', 'A transfer of the native coin carries no calldata')
    return { bound: { name: 'transfer', args: printed({ to, amount }), text, value: amount } }
  }
  const call = strictDecode(writes, data)
  if (call?.functionName !== 'transfer')
    return refuse('POLICY_DECODE', 'It is not a call of transfer(address,uint256)')
  if (!sameAddress(call.args[0], recipient))
    return refuse('POLICY_RECIPIENT', `It sends to ${call.args[0]}, not to ${recipient}`)
  if (call.args[1] !== amount) return refuse('POLICY_AMOUNT', `It sends ${call.args[1]}, not ${amount}`)
  return {
    bound: { name: 'transfer', args: printed({ to: call.args[0], amount: call.args[1] }), text, value: 0n },
  }
}
