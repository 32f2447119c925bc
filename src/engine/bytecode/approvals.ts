import { type Chain, read } from '../../chain/chain.ts'
import { approve, erc20Abi } from '../../chain/erc20.ts'
import type { Address } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { Unit } from '../../domain/unit.ts'
import type { Step } from '../../protocols/market.ts'
import { oncePerBlock } from '../block-memo.ts'

/**
 * Returns a step with the approvals it still needs, in sending order: none if the allowance suffices, else one for the exact amount, after
 * a reset to zero if the token rejects changing a nonzero allowance. If the amount exceeds the total supply of the `paid` token, the step
 * could only fail and leave its allowance: INSUFFICIENT_FUNDS.
 */
export async function withApprovals(
  chain: Chain,
  wallet: Address,
  { transaction, needs }: Step,
  paid?: Unit,
): Promise<Transaction[]> {
  if (!needs) return [transaction]
  const { token, spender, amount } = needs
  const { allowed, supply } = await oncePerBlock(chain, ['allowance', token, wallet, spender], () =>
    read(chain, {
      reads: [
        { address: token, abi: erc20Abi, functionName: 'allowance', args: [wallet, spender] },
        { address: token, abi: erc20Abi, functionName: 'totalSupply' },
      ],
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
  if (allowed >= amount) return [transaction]
  const exact = exactApproval({ transaction, needs })
  const reset = approve({ chainId: transaction.chainId, token, spender, amount: 0n })
  return allowed > 0n && !(await succeedsNow(chain, wallet, exact))
    ? [reset, exact, transaction]
    : [exact, transaction]
}

/** The approval of exactly what a step needs. */
export const exactApproval = ({
  transaction,
  needs,
}: Step & { needs: NonNullable<Step['needs']> }): Transaction =>
  approve({ chainId: transaction.chainId, token: needs.token, spender: needs.spender, amount: needs.amount })

/** Whether a call succeeds now. */
async function succeedsNow({ rpc }: Chain, from: Address, { to, data }: Transaction): Promise<boolean> {
  try {
    await rpc.request('eth_call', [{ from, to, data }, 'latest'])
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'RPC_ERROR') return false
    throw error
  }
}

/** The kind of each transaction, by its position: approvals first, then the action. */
export const kindsOf = (transactions: readonly Transaction[], action: string): string[] =>
  transactions.map((_, at) =>
    at === transactions.length - 1 ? action : at === transactions.length - 2 ? 'approve' : 'approve-reset',
  )
