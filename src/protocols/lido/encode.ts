import { type Address, nativeAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { callOf } from '../shared/contract-call.ts'
import { entranceOf, mostRequest, request, requestWrapped, stakeCoin, stakeWrapped } from './abi.ts'
import type { LidoConstants } from './constants-schema.ts'

type Place = { chainId: number; constants: LidoConstants }

/** Stakes an amount of the native coin, without a referral; the receipt goes to the sender. */
export const submit = ({ chainId, constants, amount }: Place & { amount: bigint }): Transaction => {
  const there = { chainId, to: entranceOf(constants), value: amount }
  return constants.holds === 'stETH'
    ? callOf(there, { abi: stakeCoin, functionName: 'submit', args: [nativeAddress] })
    : callOf(there, { abi: stakeWrapped, functionName: 'stakeETH', args: [nativeAddress] })
}

/** The least stETH of one request (source: WithdrawalQueue, MIN_STETH_WITHDRAWAL_AMOUNT). */
const leastRequest = 100n

/** An amount of the receipt as requests that the queue accepts: one wstETH is worth between one and two stETH. */
function requestsFor({ holds }: Pick<LidoConstants, 'holds'>, amount: bigint): bigint[] {
  if (amount < leastRequest)
    throw new AppError('VALIDATION_ERROR', `A withdrawal from Lido is for at least ${leastRequest} wei`, {
      details: { errors: [{ path: 'amount', message: `is for at least ${leastRequest} wei` }] },
    })
  const most = holds === 'stETH' ? mostRequest : mostRequest / 2n
  const parts: bigint[] = []
  for (let left = amount; left > 0n; ) {
    const rest = left - most
    // The last request may not be below the least.
    const part = rest <= 0n ? left : rest < leastRequest ? most - leastRequest : most
    parts.push(part)
    left -= part
  }
  return parts
}

/** Requests the withdrawal of an amount of the receipt on behalf of the sender. */
export function requestWithdrawals({
  chainId,
  constants,
  amount,
  owner,
}: Place & { amount: bigint; owner: Address }): Transaction {
  const args = [requestsFor(constants, amount), owner] as const
  const there = { chainId, to: constants.queue }
  return constants.holds === 'stETH'
    ? callOf(there, { abi: request, functionName: 'requestWithdrawals', args })
    : callOf(there, { abi: requestWrapped, functionName: 'requestWithdrawalsWstETH', args })
}
