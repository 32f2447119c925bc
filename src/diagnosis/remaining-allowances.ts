import { ask } from '../chain/ask.ts'
import { decodeApprove, erc20 } from '../chain/erc20.ts'
import { sameAddress } from '../domain/address.ts'
import { tokenAmount } from '../domain/amount.ts'
import { AppError, errorRow } from '../domain/errors.ts'
import { displayNetwork } from '../domain/networks.ts'
import { isUnsigned } from '../domain/step-state.ts'
import { type Token, tokenAt } from '../domain/token.ts'
import type { StoredPlan } from '../guard/stored-plan.ts'
import type { ExecutionContext } from '../planning/execution-context-types.ts'
import type { AllowanceRef } from '../planning/revoke-legs.ts'
import { trackedTokens } from '../planning/tracked-tokens.ts'
import type { Operation, Step } from '../store/journal/operation-types.ts'
import type { RemainingAllowance } from './facts/operation-facts.ts'

/** A remaining allowance, as its revocation is planned with. */
type UnusedAllowance = AllowanceRef & { amount: bigint }

/**
 * The allowances that an operation gave and that are not used up on the chain. An unknown one throws: the node's failure, such as
 * RPC_UNREACHABLE, or CONFIG_INVALID without a node.
 */
export async function unusedAllowances(
  context: ExecutionContext,
  operation: Operation,
): Promise<UnusedAllowance[]> {
  const approvals = operation.steps.filter((step) => step.role === 'approve' && !isUnsigned(step))
  const found = await Promise.all(approvals.map((step) => unusedAllowanceOf(context, operation, step)))
  const left = found.filter((one) => one !== undefined)
  // A leg that was planned again approves the same again.
  return left.filter((one, at) => left.findIndex((other) => isSame(one, other)) === at)
}

const isSame = (a: UnusedAllowance, b: UnusedAllowance): boolean =>
  a.token.chainId === b.token.chainId &&
  sameAddress(a.token.address, b.token.address) &&
  sameAddress(a.spender, b.spender)

/** Remaining allowances as they are printed. */
export const printedAllowances = (
  { catalog }: Pick<ExecutionContext, 'catalog'>,
  left: readonly UnusedAllowance[],
): RemainingAllowance[] =>
  left.map(({ token, spender, amount }) => ({
    network: displayNetwork(catalog.networks, token.chainId).name,
    token: token.address,
    spender,
    amount: tokenAmount(amount, token),
  }))

/** The remaining allowances of an operation, as printed; `null` if a chain does not answer. */
export async function remainingAllowances(
  context: ExecutionContext,
  operation: Operation,
): Promise<RemainingAllowance[] | null> {
  try {
    return printedAllowances(context, await unusedAllowances(context, operation))
  } catch (error) {
    if (error instanceof AppError && (error.code === 'CONFIG_INVALID' || isNetworkFailure(error))) return null
    throw error
  }
}

const isNetworkFailure = ({ code }: AppError): boolean => errorRow(code).exit === errorRow('RPC_ERROR').exit

async function unusedAllowanceOf(
  { rpc, catalog }: ExecutionContext,
  { plan }: Operation,
  { wallet, leg, transaction }: Step,
): Promise<UnusedAllowance | undefined> {
  const approval = decodeApprove(transaction.data)
  if (!approval) return undefined
  const { chainId, to } = transaction
  const { spender } = approval
  const node = rpc(chainId)
  // An exempted token is in no catalogue; its allowance is still shown.
  const token = tokenAt(trackedTokens(catalog, chainId), chainId, to) ??
    tokenAt(tokensIn((plan as StoredPlan).intents[leg]), chainId, to) ?? {
      chainId,
      address: to,
      symbol: to,
      name: to,
      decimals: 0,
    }
  const amount = await ask(node, erc20.allowance(to, wallet, spender))
  if (amount === undefined)
    throw new AppError('RPC_INCONSISTENT', `The node does not say what ${spender} may still take`)
  return amount === 0n ? undefined : { token, spender, amount }
}

/** The tokens that a stored intent names in full. */
const tokensIn = (intent: StoredPlan['intents'][number] | undefined): Token[] =>
  [intent?.tokenIn, intent?.token].filter((token) => token !== undefined) as Token[]
