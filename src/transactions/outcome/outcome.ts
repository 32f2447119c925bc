import { encodeFunctionData } from 'viem/utils'
import type { ChainClient } from '../../chain/chain-client.ts'
import { decodeApprove, erc20Abi } from '../../chain/erc20.ts'
import type { Address } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { isInFlight } from '../../domain/step-state.ts'
import { sanitizeText } from '../../domain/terminal-sanitizing.ts'
import { tokenAt } from '../../domain/token.ts'
import type { Operation, Step } from '../../store/journal/operation.ts'
import { activeSteps } from '../operations/current-steps.ts'
import type { Run } from '../run-state.ts'
import {
  isRefunded,
  isUnderDelivered,
  isUnfilled,
  refundError,
  underDeliveryError,
  unfilledError,
} from './failed-deliveries.ts'

/** An allowance of a contract. `amount` is decimal text in the smallest unit. */
type Allowance = { token: Address; spender: Address; amount: string }

/** The allowance that is left when a step after its approval failed. */
export async function remainingAllowance(
  rpc: ChainClient,
  operation: Operation,
  failed: Step,
): Promise<Allowance | undefined> {
  const approval = operation.steps.findLast(
    ({ leg, index, role, state, transaction }) =>
      leg === failed.leg &&
      index < failed.index &&
      role === 'approve' &&
      state === 'FINAL_OK' &&
      // What is allowed at Permit2 ends by itself.
      decodeApprove(transaction.data) !== undefined,
  )
  const decoded = approval && decodeApprove(approval.transaction.data)
  if (!decoded) return undefined
  const token = approval.transaction.to
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'allowance',
    args: [operation.wallet, decoded.spender],
  })
  // A node failure must not hide the revert; the approved amount is the upper bound.
  const left = await rpc.request<string>('eth_call', [{ to: token, data }, 'latest']).catch(() => undefined)
  const amount = left === undefined || left === '0x' ? decoded.amount : BigInt(left)
  return amount === 0n ? undefined : { token, spender: decoded.spender, amount: amount.toString() }
}

/** Returns or throws the outcome of a finished operation, the same as the first time. */
export function outcomeOf(operation: Operation): Operation {
  const { id, state, steps } = operation
  if (state === 'DONE') return operation
  if (state === 'CANCELLED' && operation.exit === 24)
    throw new AppError('CANCELLED', `Operation ${id} was cancelled`, {
      details: { operation: id },
      hint: `sluice action show ${id}`,
    })
  if (state === 'ATTENTION') {
    const lost = steps.findLast((step) => step.state === 'SUPERSEDED')
    throw new AppError('SUPERSEDED', `A nonce of operation ${id} was used by another transaction`, {
      details: { operation: id, index: lost?.index ?? null, nonce: lost?.nonce ?? null },
      hint: `See what it did: sluice action explain ${id}; then a new plan: sluice action replan ${id}, or close it: sluice action abandon ${id}`,
    })
  }
  if (state === 'DROPPED')
    throw new AppError('DECLINED', `Operation ${id} was given up before anything of it was signed`, {
      details: { operation: id },
      hint: 'To do it after all, type what began it again: its key is free.',
    })
  if (state === 'CANCELLED' && steps.some(isInFlight))
    throw new AppError(
      'PENDING',
      `Operation ${id} was given up, and a reorganisation took what was final of it off the chain: that is on its way again`,
      { details: { operation: id }, hint: `sluice action resume ${id}` },
    )
  if (state === 'CANCELLED' && steps.some((step) => step.role === 'action' && step.state === 'FINAL_OK'))
    throw new AppError(
      'PARTIAL',
      `Operation ${id} was given up after its funds were moved: only its rest was not signed, and will not be`,
      { details: { operation: id }, hint: `sluice action explain ${id}` },
    )
  if (state === 'CANCELLED')
    throw new AppError('PARTIAL', `Operation ${id} was given up: its rest was not signed, and will not be`, {
      details: { operation: id },
      hint: 'Begin anew with another --idempotency-key.',
    })
  if (state === 'OPEN' || state === 'EXECUTING' || state === 'PARTIAL')
    throw new AppError('PENDING', `Operation ${id} is not over, and nothing of it is left to be planned`, {
      details: { operation: id },
      hint: `sluice action resume ${id}`,
    })
  if (isRefunded(operation)) throw refundError(operation)
  if (isUnfilled(operation)) throw unfilledError(operation)
  if (isUnderDelivered(operation)) throw underDeliveryError(operation)
  const failed = activeSteps(operation).find((step) => step.state === 'FINAL_REVERTED')
  throw new AppError('REVERTED', `Operation ${id} reverted on chain`, {
    details: { operation: id, hash: failed?.inclusion?.hash ?? null, index: failed?.index ?? null },
    hint: `sluice action explain ${id}`,
  })
}

/** The remaining allowance after a failure, as the end of a sentence; empty without one. */
export function allowanceText(
  { networks, tokens = [] }: Pick<Run, 'networks' | 'tokens'>,
  chainId: number,
  left: Allowance | undefined,
): string {
  if (!left) return ''
  const token = tokenAt(tokens, chainId, left.token)
  const amount = token
    ? formatAmount(BigInt(left.amount), { ...token, symbol: sanitizeText(token.symbol) })
    : `${left.amount} units of ${left.token}`
  return `; ${left.spender} may still take ${amount} on ${networkNamed(networks, chainId).name}`
}

/** Removes that end from a message, for when the allowance is gone. */
export const withoutAllowanceText = (message: string): string =>
  message.replace(/; 0x[0-9a-fA-F]{40} may still take .+ on \S+$/, '')
