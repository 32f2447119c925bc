import { encodeFunctionData } from 'viem/utils'

import { decodeApprove, erc20Abi } from '../../calls/erc20.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { type TokenAmount, tokenAmount } from '../../domain/amount.ts'
import { AppError, errorRow } from '../../domain/errors.ts'
import { networkShown } from '../../domain/network-named.ts'
import { type Token, tokenAt } from '../../domain/token.ts'
import type { Operation, Step } from '../../store/operation.ts'
import type { Ground } from '../ground.ts'
import type { KeptPlan } from '../plan/intent-json.ts'
import type { Ending } from '../plan/revoke-legs.ts'
import { trackedTokens } from '../plan/tracked.ts'

/** What a contract may still take from the wallet of an operation that approved it, as it is printed. */
export type AllowanceLeft = { network: string; token: Address; spender: Address; amount: TokenAmount }

/** The same, as what takes it back is planned with. */
export type Unused = Ending & { amount: bigint }

/**
 * The allowances that an operation gave and that are not used up, as the chain has them now. What is not known is not none: where a
 * chain does not say, it is the fault of its node, such as RPC_UNREACHABLE, and CONFIG_INVALID where there is none.
 */
export async function unusedOf(ground: Ground, operation: Operation): Promise<Unused[]> {
  const approvals = operation.steps.filter(
    ({ role, state }) => role === 'approve' && state !== 'PLANNED' && state !== 'RESERVED',
  )
  const found = await Promise.all(approvals.map((step) => unusedAfter(ground, operation, step)))
  const left = found.filter((one) => one !== undefined)
  // A part that was planned anew approves the same once more.
  return left.filter((one, at) => left.findIndex((other) => isSame(one, other)) === at)
}

const isSame = (a: Unused, b: Unused): boolean =>
  a.token.chainId === b.token.chainId &&
  sameAddress(a.token.address, b.token.address) &&
  sameAddress(a.spender, b.spender)

/** Allowances that are left, to be printed. */
export const printedLeft = ({ catalog }: Pick<Ground, 'catalog'>, left: readonly Unused[]): AllowanceLeft[] =>
  left.map(({ token, spender, amount }) => ({
    network: networkShown(catalog.networks, token.chainId).name,
    token: token.address,
    spender,
    amount: tokenAmount(amount, token),
  }))

/** The allowances of an operation that are left, to be printed; `null` where a chain does not say. */
export async function allowancesLeft(ground: Ground, operation: Operation): Promise<AllowanceLeft[] | null> {
  try {
    return printedLeft(ground, await unusedOf(ground, operation))
  } catch (error) {
    if (error instanceof AppError && (error.code === 'CONFIG_INVALID' || isOfNode(error))) return null
    throw error
  }
}

const isOfNode = ({ code }: AppError): boolean => errorRow(code).exit === errorRow('RPC_ERROR').exit

async function unusedAfter(
  { rpc, catalog }: Ground,
  { plan }: Operation,
  { wallet, leg, transaction }: Step,
): Promise<Unused | undefined> {
  const approval = decodeApprove(transaction.data)
  if (!approval) return undefined
  const { chainId, to } = transaction
  const { spender } = approval
  const node = rpc(chainId)
  // A token that the person vouched for stands in no catalogue, and what is not named at all may be taken all the same.
  const token = tokenAt(trackedTokens(catalog, chainId), chainId, to) ??
    tokenAt(tokensIn((plan as KeptPlan).intents[leg]), chainId, to) ?? {
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

/** The tokens that an intent of the journal names in full. */
const tokensIn = (intent: KeptPlan['intents'][number] | undefined): Token[] =>
  [intent?.tokenIn, intent?.token].filter((token) => token !== undefined) as Token[]
