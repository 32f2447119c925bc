import { encodeFunctionData } from 'viem/utils'

import { decodeApprove, erc20Abi } from '../../calls/erc20.ts'
import type { Address } from '../../domain/address.ts'
import { type TokenAmount, tokenAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/network-named.ts'
import { tokenAt } from '../../domain/token.ts'
import type { Operation, Step } from '../../store/operation.ts'
import type { Ground } from '../ground.ts'

/** What a contract may still take from the wallet of an operation that approved it. */
export type AllowanceLeft = { network: string; token: Address; spender: Address; amount: TokenAmount }

/** The allowances that an operation gave and that are not used up, as the chain has them now. A chain that is silent says nothing. */
export async function allowancesLeft(ground: Ground, operation: Operation): Promise<AllowanceLeft[]> {
  const approvals = operation.steps.filter(
    ({ role, state }) => role === 'approve' && state !== 'PLANNED' && state !== 'RESERVED',
  )
  const left = await Promise.all(approvals.map((step) => leftOf(ground, step)))
  return left.filter((one) => one !== undefined)
}

async function leftOf(
  { rpc, catalog }: Ground,
  { wallet, transaction }: Step,
): Promise<AllowanceLeft | undefined> {
  const approval = decodeApprove(transaction.data)
  const token = tokenAt(catalog.tokens, transaction.chainId, transaction.to)
  if (!approval || !token) return undefined
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'allowance',
    args: [wallet, approval.spender],
  })
  const answer = await rpc(transaction.chainId)
    .request<string>('eth_call', [{ to: token.address, data }, 'latest'])
    .catch((error: unknown) => {
      if (error instanceof AppError && error.code.startsWith('RPC_')) return '0x0'
      throw error
    })
  const amount = BigInt(answer)
  if (amount === 0n) return undefined
  const network = networkNamed(catalog.networks, transaction.chainId).name
  return { network, token: token.address, spender: approval.spender, amount: tokenAmount(amount, token) }
}
