import { ask } from '../chain/ask.ts'
import { decodeApprove } from '../chain/erc20.ts'
import { nativeAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import { walletStateReads } from '../guard/simulation/wallet-state-before-simulation.ts'
import { requiredAllowance } from '../guard/spending.ts'
import { actionAmong } from '../protocols/service-fees-of-intent.ts'
import { allowanceSpender } from '../swaps/swap-provider-registry.ts'
import type { ExecutionContext } from './execution-context-types.ts'
import type { Proposal } from './proposal.ts'

/**
 * The error for a plan whose first leg fails because it omits an approval that the wallet lacks: the service reads a node that
 * lags. Any other failure is returned unchanged.
 */
export async function missingApprovalError(
  { rpc: rpcOf, catalog }: Pick<ExecutionContext, 'rpc' | 'catalog'>,
  { legs }: Pick<Proposal, 'legs'>,
  error: unknown,
): Promise<unknown> {
  const { intent, transactions, chainId } = legs[0]!
  const spend = intent && requiredAllowance(intent)
  const isPlain = !transactions.some(({ data }) => decodeApprove(data))
  if (!(error instanceof AppError) || error.code !== 'SIMULATION_REVERTED' || !spend || !isPlain) return error
  const { token, amount } = spend
  if (token.address === nativeAddress) return error
  const spender = allowanceSpender(catalog, actionAmong(intent, transactions))
  const reads = walletStateReads({
    wallet: intent.wallet,
    tokens: [],
    allowances: [{ token: token.address, spender }],
  })
  const [held] = await ask(rpcOf(chainId), reads)
  if (held === undefined || held >= amount) return error
  return new AppError(
    'SIMULATION_REVERTED',
    `The plan has no approval, but the allowance of ${spender} is ${formatAmount(held, token)} and it needs ${formatAmount(amount, token)}: the service may be a few blocks behind`,
    {
      details: { ...error.details, isBehind: true },
      next: 'Run the same command again in a few seconds.',
      cause: error,
    },
  )
}

/** Whether a failure disappears once the service has the newest blocks. */
export const isServiceBehind = (error: unknown): boolean =>
  error instanceof AppError && error.details?.isBehind === true

/** Removes the approvals of the first leg that the standing allowances already cover. */
export async function withoutNeedlessApprovals(
  { rpc }: Pick<ExecutionContext, 'rpc'>,
  proposal: Proposal,
): Promise<Proposal> {
  const [first, ...rest] = proposal.legs
  const given = (first?.transactions ?? []).slice(0, -1).flatMap(({ to, data }) => {
    const approval = decodeApprove(data)
    return approval && approval.amount > 0n ? [{ token: to, ...approval }] : []
  })
  if (!first || given.length === 0) return proposal
  const held = await ask(
    rpc(first.chainId),
    walletStateReads({ wallet: proposal.wallet, tokens: [], allowances: given }),
  )
  if (!given.every(({ amount }, at) => (held[at] ?? 0n) >= amount)) return proposal
  const transactions = first.transactions.filter(({ data }) => !decodeApprove(data))
  return { ...proposal, legs: [{ ...first, transactions }, ...rest] }
}
