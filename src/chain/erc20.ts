import { encodeFunctionData, parseAbi, toEventSelector } from 'viem/utils'
import { type Address, nativeAddress, sameAddress } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import { type Call, contract } from './call.ts'
import { strictDecode } from './strict-calldata-decoding.ts'

/** The ERC-20 ABI (EIP-20). */
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

/** The reads of a token. Amounts are in its smallest unit. */
export const erc20 = {
  allowance: (token: Address, owner: Address, spender: Address): Call<bigint> =>
    contract(token, erc20Abi)('allowance', owner, spender),
  balanceOf: (token: Address, account: Address): Call<bigint> =>
    contract(token, erc20Abi)('balanceOf', account),
  totalSupply: (token: Address): Call<bigint> => contract(token, erc20Abi)('totalSupply'),
  decimals: (token: Address): Call<number> => contract(token, erc20Abi)('decimals'),
  symbol: (token: Address): Call<string> => contract(token, erc20Abi)('symbol'),
}

/** The first topic of a `Transfer` of ERC-20; a text here is hashed while the program is built. */
export const transferTopic = toEventSelector(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
)

/** The ERC-20 functions that change state: `approve` and `transfer`. */
export const erc20Writes = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
])

/** Builds an approval of up to `amount` of a token for `spender`. */
export const approve = (call: {
  chainId: number
  token: Address
  spender: Address
  amount: bigint
}): Transaction => ({
  to: call.token,
  data: encodeFunctionData({ abi: erc20Writes, functionName: 'approve', args: [call.spender, call.amount] }),
  value: 0n,
  chainId: call.chainId,
})

/** Builds a transfer of a token, or of the native coin for the zero address. */
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
        data: encodeFunctionData({
          abi: erc20Writes,
          functionName: 'transfer',
          args: [call.to, call.amount],
        }),
        value: 0n,
        chainId: call.chainId,
      }

/** Decodes an approval; `undefined` if it is none. */
export function decodeApprove(data: `0x${string}`): { spender: Address; amount: bigint } | undefined {
  const call = strictDecode(erc20Writes, data)
  return call?.functionName === 'approve' ? { spender: call.args[0], amount: call.args[1] } : undefined
}

/** The recipient and amount of a plain transfer of a token or the native coin; `undefined` if it is none. */
export function decodeTransfer({
  to,
  data,
  value,
}: Transaction): { to: Address; amount: bigint } | undefined {
  if (data === '0x') return { to, amount: value }
  const call = strictDecode(erc20Writes, data)
  return call?.functionName === 'transfer' ? { to: call.args[0], amount: call.args[1] } : undefined
}
