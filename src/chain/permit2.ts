import { encodeFunctionData, parseAbi } from 'viem/utils'
import type { Address, Hex } from '../domain/address.ts'
import type { Permit2Payment, Transaction } from '../domain/transaction-types.ts'
import { strictDecode } from './strict-calldata-decoding.ts'

/** The approval at Permit2, of its own call and without a signature (Permit2.json of `@uniswap/permit2-sdk` 1.4.0). */
export const permit2Abi = parseAbi([
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
])

/** Lets `spender` take up to `amount` of a token through Permit2 until a time. Permit2 itself needs an allowance of the token. */
export const approveThrough = (call: {
  chainId: number
  token: Address
  spender: Address
  amount: bigint
  through: Permit2Payment
}): Transaction => ({
  to: call.through.permit2,
  data: encodeFunctionData({
    abi: permit2Abi,
    functionName: 'approve',
    args: [call.token, call.spender, call.amount, Number(call.through.until)],
  }),
  value: 0n,
  chainId: call.chainId,
})

/** Decodes such an approval; `undefined` if it is none. `until` is in Unix seconds. */
export function decodeApproveThrough(
  data: Hex,
): { token: Address; spender: Address; amount: bigint; until: bigint } | undefined {
  const call = strictDecode(permit2Abi, data)
  if (!call) return undefined
  const [token, spender, amount, until] = call.args
  return { token, spender, amount, until: BigInt(until) }
}
