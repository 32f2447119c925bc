import { ask } from '../../chain/ask.ts'
import type { ChainClient } from '../../chain/chain-client.ts'
import { decodeApprove, erc20 } from '../../chain/erc20.ts'
import type { Address } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { type Network, networkNamed } from '../../domain/networks.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { type Token, tokenAt } from '../../domain/token.ts'
import type { Operation, Step } from '../../store/journal/operation-types.ts'

/** An allowance of a contract. `amount` is decimal text in the smallest unit. */
export type LeftAllowance = { token: Address; spender: Address; amount: string }

/** Reads the remaining allowance when a step after its approval failed. */
export async function remainingAllowance(
  rpc: ChainClient,
  operation: Operation,
  failed: Step,
): Promise<LeftAllowance | undefined> {
  const approval = operation.steps.findLast(
    ({ leg, index, role, state, transaction }) =>
      leg === failed.leg &&
      index < failed.index &&
      role === 'approve' &&
      state === 'FINAL_OK' &&
      // A Permit2 allowance expires by itself.
      decodeApprove(transaction.data) !== undefined,
  )
  const decoded = approval && decodeApprove(approval.transaction.data)
  if (!decoded) return undefined
  const token = approval.transaction.to
  // A node failure must not hide the revert; the approved amount is then the upper bound.
  const left = await ask(rpc, erc20.allowance(token, operation.wallet, decoded.spender)).catch(
    () => undefined,
  )
  const amount = left ?? decoded.amount
  return amount === 0n ? undefined : { token, spender: decoded.spender, amount: amount.toString() }
}

/** The remaining allowance after a failure, as the end of a sentence; empty without one. */
export function remainingAllowanceText(
  { networks, tokens = [] }: { networks: readonly Network[]; tokens?: readonly Token[] | undefined },
  chainId: number,
  left: LeftAllowance | undefined,
): string {
  if (!left) return ''
  const token = tokenAt(tokens, chainId, left.token)
  const amount = token
    ? formatAmount(BigInt(left.amount), { ...token, symbol: sanitizeText(token.symbol) })
    : `${left.amount} units of ${left.token}`
  return `; ${left.spender} still has an allowance of ${amount} on ${networkNamed(networks, chainId).name}`
}
