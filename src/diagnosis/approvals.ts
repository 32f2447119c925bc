import { encodeFunctionData } from 'viem/utils'
import { decodeApprove, erc20Abi } from '../chain/erc20.ts'
import { unlimitedThreshold } from '../chain/standing-allowance.ts'
import { type Address, sameAddress } from '../domain/address.ts'
import { type TokenAmount, tokenAmount } from '../domain/amount.ts'
import { AppError, errorRow } from '../domain/errors.ts'
import { networkNamed, networkShown } from '../domain/networks.ts'
import { isUnsigned } from '../domain/step-state.ts'
import { type Token, tokenAt } from '../domain/token.ts'
import { knownSpenders } from '../guard/contract-names.ts'
import type { StoredPlan } from '../guard/stored-plan.ts'
import type { ExecutionContext } from '../planning/context.ts'
import type { AllowanceRef } from '../planning/revoke-legs.ts'
import { trackedTokens } from '../planning/tracked-tokens.ts'
import type { Operation, Step } from '../store/journal/operation.ts'
import type { RemainingAllowance } from './facts/operation-facts.ts'

/** An allowance of a contract on a wallet. `name` is its name in the catalogue; `unlimited` is more than could ever be spent. */
export type Approval = {
  network: string
  chainId: number
  token: Address
  spender: Address
  name: string | null
  amount: TokenAmount
  unlimited: boolean
}

type Pair = { token: Token; spender: Address; name: string | null }

/** The possible spenders: every contract of the catalogue that takes tokens, and those that this journal approved. */
function possibleAllowances(
  { catalog, journal }: ExecutionContext,
  wallet: Address,
  chainId: number,
): Pair[] {
  const tokens = catalog.tokens.filter((token) => token.chainId === chainId)
  const spenders = new Map<string, { spender: Address; name: string | null }>()
  for (const { spender, name } of knownSpenders(catalog, chainId))
    spenders.set(spender.toLowerCase(), { spender, name })
  for (const { steps } of journal.list({ wallet, limit: 10_000 }))
    for (const { role, transaction } of steps) {
      const approval =
        role !== 'action' && transaction.chainId === chainId ? decodeApprove(transaction.data) : undefined
      if (approval && !spenders.has(approval.spender.toLowerCase()))
        spenders.set(approval.spender.toLowerCase(), { spender: approval.spender, name: null })
    }
  return tokens.flatMap((token) =>
    [...spenders.values()].map(({ spender, name }) => ({ token, spender, name })),
  )
}

/**
 * Every allowance above zero that a wallet gave on these chains, to the spenders that the catalogue and this journal know. One
 * batch a chain.
 */
export async function walletApprovals(
  context: ExecutionContext,
  wallet: Address,
  chainIds: readonly number[],
): Promise<Approval[]> {
  const perChain = await Promise.all(
    chainIds.map(async (chainId) => {
      const pairs = possibleAllowances(context, wallet, chainId)
      const answers = await context.rpc(chainId).batch(
        pairs.map(({ token, spender }) => [
          'eth_call',
          [
            {
              to: token.address,
              data: encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [wallet, spender] }),
            },
            'latest',
          ],
        ]),
      )
      return pairs.map((pair, at) => ({ ...pair, chainId, raw: answers[at] }))
    }),
  )
  return perChain.flat().flatMap(({ token, spender, name, chainId, raw }) => {
    const amount = typeof raw === 'string' && /^0x[0-9a-f]+$/i.test(raw) ? BigInt(raw) : 0n
    if (amount === 0n) return []
    return {
      network: networkNamed(context.catalog.networks, chainId).name,
      chainId,
      token: token.address,
      spender,
      name,
      amount: tokenAmount(amount, token),
      unlimited: amount >= unlimitedThreshold,
    }
  })
}

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
    network: networkShown(catalog.networks, token.chainId).name,
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
    if (error instanceof AppError && (error.code === 'CONFIG_INVALID' || isNodeFailure(error))) return null
    throw error
  }
}

const isNodeFailure = ({ code }: AppError): boolean => errorRow(code).exit === errorRow('RPC_ERROR').exit

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
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [wallet, spender] })
  const answer = await node.request<string>('eth_call', [{ to, data }, 'latest'])
  if (!/^0x[0-9a-f]+$/i.test(answer))
    throw new AppError('RPC_INCONSISTENT', `The node does not say what ${spender} may still take`)
  const amount = BigInt(answer)
  return amount === 0n ? undefined : { token, spender, amount }
}

/** The tokens that a stored intent names in full. */
const tokensIn = (intent: StoredPlan['intents'][number] | undefined): Token[] =>
  [intent?.tokenIn, intent?.token].filter((token) => token !== undefined) as Token[]
