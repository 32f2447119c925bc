import { ask } from '../../chain/ask.ts'
import { approve, decodeApprove, erc20 } from '../../chain/erc20.ts'
import { callAt } from '../../chain/eth-call.ts'
import type { Chain } from '../../chain/network-client.ts'
import { approveThrough } from '../../chain/permit2.ts'
import type { Address } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Unit } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { CallWithAllowance } from '../../protocols/market-adapter.ts'
import { oncePerBlock } from '../once-per-block.ts'

/**
 * Returns a step with the approvals it still needs, in sending order: none if the allowance suffices, else one for
 * the exact amount, after a reset to zero if the token rejects changing a nonzero allowance; then the one at Permit2,
 * if the step is paid through it. If the amount exceeds the total supply of the `paid` token, the step could only
 * fail and leave its allowance: INSUFFICIENT_FUNDS.
 */
export async function withApprovals(
  chain: Chain,
  wallet: Address,
  { transaction, needs }: CallWithAllowance,
  paid?: Unit,
): Promise<Transaction[]> {
  if (!needs) return [transaction]
  const { token, amount } = needs
  const spender = allowedBy(needs)
  const { allowed, supply } = await oncePerBlock(chain, ['allowance', token, wallet, spender], () =>
    ask(chain, {
      reads: [erc20.allowance(token, wallet, spender), erc20.totalSupply(token)],
      parse: ([allowance, total]) => ({
        allowed: (allowance as bigint | undefined) ?? 0n,
        supply: total as bigint | undefined,
      }),
    }),
  )
  if (paid && supply !== undefined && amount > supply)
    throw new AppError(
      'INSUFFICIENT_FUNDS',
      `The amount ${formatAmount(amount, paid)} exceeds the total supply on ${chain.network.name}, ${formatAmount(supply, paid)}`,
      { details: { amount: amount.toString(), supply: supply.toString() } },
    )
  const acting = withoutApproval({ transaction, needs })
  if (allowed >= amount) return acting
  const exact = exactApproval({ transaction, needs })
  const reset = approve({ chainId: transaction.chainId, token, spender, amount: 0n })
  return allowed > 0n && !(await succeedsNow(chain, wallet, exact))
    ? [reset, exact, ...acting]
    : [exact, ...acting]
}

type Needs = NonNullable<CallWithAllowance['needs']>

/** The spender of the token's own allowance. */
const allowedBy = ({ spender, through }: Needs) => through?.permit2 ?? spender

/** The approval of exactly the amount that a step needs. */
export const exactApproval = ({ transaction, needs }: CallWithAllowance & { needs: Needs }): Transaction =>
  approve({
    chainId: transaction.chainId,
    token: needs.token,
    spender: allowedBy(needs),
    amount: needs.amount,
  })

/** Returns a step whose token allowance suffices: alone, or after its Permit2 approval, which expires with the step. */
export function withoutApproval({ transaction, needs }: CallWithAllowance): Transaction[] {
  if (!needs?.through) return [transaction]
  const { token, spender, amount, through } = needs
  return [approveThrough({ chainId: transaction.chainId, token, spender, amount, through }), transaction]
}

/** Whether a call succeeds now. */
async function succeedsNow({ rpc }: Chain, from: Address, { to, data }: Transaction): Promise<boolean> {
  try {
    await callAt(rpc, { from, to, data })
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'RPC_ERROR') return false
    throw error
  }
}

/** The kind of each transaction, by its position: approvals first, then the action. */
export const kindsOf = (transactions: readonly Transaction[], action: string): string[] =>
  transactions.map(({ data }, at) =>
    at === transactions.length - 1
      ? action
      : decodeApprove(data)?.amount === 0n
        ? 'approve-reset'
        : 'approve',
  )
