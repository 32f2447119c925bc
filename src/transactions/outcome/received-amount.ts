import { toEventSelector } from 'viem/utils'
import { hexQuantity, quantity } from '../../chain/rpc/answer-numbers.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { undefinedIfUnanswered, withTimeout } from '../../chain/rpc/timeouts.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { type TokenAmount, tokenAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { type Token, tokenAt } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { actionIntent, decodeIntent, type StoredPlan } from '../../guard/intent-json.ts'
import type { ExecutionContext } from '../../planning/context.ts'
import { decodeSupplied } from '../../protocols/aave-v3/binding.ts'
import { queueOf } from '../../protocols/bindings.ts'
import type { StrategyEntry } from '../../protocols/catalog.ts'
import { decodeDeposited } from '../../protocols/erc4626/binding.ts'
import type { Intent } from '../../protocols/intent.ts'
import type { Arrival, Operation, Step } from '../../store/journal/operation.ts'
import { findTransaction, type MinedTransaction } from '../confirmation/find-transaction.ts'
import { activeSteps } from '../operations/active-steps.ts'

const transferTopic = toEventSelector(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
)

/** How much of a token a transaction brought to a recipient, by its receipt on our own node. */
export function tokenReceived(
  found: MinedTransaction,
  { token, recipient }: Omit<Arrival, 'minimum' | 'hash'>,
): bigint {
  let sum = 0n
  for (const { address, topics, data } of found.logs) {
    const [event, , to] = topics
    if (event !== transferTopic || to === undefined || !sameAddress(address, token)) continue
    if (sameAddress(`0x${to.slice(26)}`, recipient)) sum += BigInt(data)
  }
  return sum
}

/** The least that an operation brings, by what its contracts were bound to; `undefined` where nothing was promised. */
export function minimumReceived({ plan, kind }: Pick<Operation, 'plan' | 'kind'>): TokenAmount | undefined {
  const all = plan as StoredPlan
  const { about } = all
  const unit = about.amounts.out
  const kept = all.intents.map((_, leg) => actionIntent(all, leg)).findLast((one) => one)
  if (!unit || !kept) return undefined
  const { amountOut, least, amount, shares } = kept
  // "Max" names no amount, and what goes in is not what comes out.
  const named = kind === 'deposit' || shares !== undefined ? undefined : amount
  const promised = kind === 'swap' ? amountOut : (least ?? named)
  return typeof promised === 'string' ? tokenAmount(BigInt(promised), unit) : undefined
}

/** How much a call puts into a strategy, by the call itself; `undefined` where it is no deposit there, which the guard then says. */
export const depositedAmount = ({ constants }: StrategyEntry, action: Transaction): bigint | undefined =>
  constants.family === 'aave-v3' ? decodeSupplied(action) : decodeDeposited(action)

type Chains = Pick<ExecutionContext, 'rpc' | 'catalog'>

/**
 * What came out of an operation whose last action is mined, by the receipt on our own node: the same whenever it is asked.
 * `undefined` where nothing comes out of its kind, or where neither a receipt nor a node says how much. `minedIn` is where a
 * step was seen that the journal does not have as final yet.
 */
export async function receivedAmount(
  { rpc, catalog }: Chains,
  operation: Operation,
  minedIn: (step: Step) => Hex | undefined = ({ inclusion }) => inclusion?.hash,
): Promise<TokenAmount | undefined> {
  const step = activeSteps(operation).findLast(({ role }) => role === 'action')
  const hash = step && minedIn(step)
  const intent = step && intentOf(operation, step.leg, catalog)
  if (!hash || !intent || step.state === 'FINAL_REVERTED' || step.state === 'CANCELLED') return undefined
  if (intent.kind === 'swap' && intent.tokenOut.chainId !== step.transaction.chainId)
    return bridgedAmount({ rpc, catalog }, operation, intent.tokenOut)
  const out = outOf(intent)
  if (!out) return undefined
  const { token, to } = out
  const node = rpc(step.transaction.chainId)
  const found = await undefinedIfUnanswered(findTransaction(node, hash))
  if (!found?.ok) return undefined
  const isCoin = sameAddress(token.address, nativeAddress)
  if (isCoin && intent.kind === 'transfer') return tokenAmount(intent.amount, token)
  const came = isCoin
    ? await undefinedIfUnanswered(nativeReceived(node, found, to))
    : tokenReceived(found, { token: token.address, recipient: to })
  // A token that leaves no word of a transfer says nothing of how much it was.
  return came === undefined || came <= 0n ? undefined : tokenAmount(came, token)
}

/** What the journal keeps of an operation that is done: what came of it. Whatever fails here, it is done all the same. */
export async function readResult(
  chains: Chains,
  operation: Operation,
): Promise<{ out: TokenAmount } | undefined> {
  const out = await withTimeout(receivedAmount(chains, operation)).catch(() => undefined)
  return out && { out }
}

/** What the last bridge of an operation brought, once that is in the journal. */
export async function bridgedAmount(
  { rpc, catalog }: Chains,
  { legs }: Pick<Operation, 'legs'>,
  known?: Token,
): Promise<TokenAmount | undefined> {
  const leg = legs.findLast(({ arrival }) => arrival !== null)
  const token = leg?.arrival && (known ?? tokenAt(catalog.tokens, leg.chainId, leg.arrival.token))
  if (!leg?.arrival?.hash || !token) return undefined
  const found = await undefinedIfUnanswered(findTransaction(rpc(leg.chainId), leg.arrival.hash))
  return found?.ok ? tokenAmount(tokenReceived(found, leg.arrival), token) : undefined
}

/** What a leg is for; `undefined` where the catalogue of now does not know its market any more. */
function intentOf(
  { plan }: Operation,
  leg: number,
  catalog: ExecutionContext['catalog'],
): Intent | undefined {
  const all = plan as StoredPlan | null
  const kept = all?.intents && actionIntent(all, leg)
  try {
    return kept ? decodeIntent(kept, catalog) : undefined
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** What comes out of an action in its own transaction, and to whom. */
function outOf(intent: Intent): { token: Token; to: Address } | undefined {
  switch (intent.kind) {
    case 'swap':
      return { token: intent.tokenOut, to: intent.recipient }
    case 'transfer':
      return { token: intent.token, to: intent.recipient }
    case 'deposit':
      return isByShares(intent.strategy) ? { token: intent.strategy.receipt, to: intent.wallet } : undefined
    case 'withdraw':
      return queueOf(intent.strategy) ? undefined : { token: intent.strategy.asset, to: intent.wallet }
    case 'claim':
      return {
        token: intent.takesBack ? intent.strategy.receipt : intent.strategy.asset,
        to: intent.wallet,
      }
    case 'revoke':
      return undefined
  }
}

/** Whether a receipt is a number of shares: the event of one that grows by itself also counts what it grew by, and shares that a vault keeps to itself leave none. */
const isByShares = ({ constants, receipt }: StrategyEntry): boolean =>
  constants.family !== 'aave-v3' &&
  constants.family !== 'compound-v3' &&
  !(constants.family === 'lido' && constants.holds === 'stETH') &&
  !receipt.isShares

/**
 * How much of the native coin came to a wallet in its own transaction: by its balance before and after the block, less
 * what the transaction cost it. `undefined` where another transaction of that block is from or to the wallet, or where that cost is not
 * known. What another one paid to the wallet from inside a contract counts as well: a node shows that only where it traces.
 */
export async function nativeReceived(
  rpc: Rpc,
  { hash, blockNumber, gasUsed, gasPrice }: MinedTransaction,
  wallet: Address,
): Promise<bigint | undefined> {
  const [before, after, block, receipt] = await rpc.batch([
    ['eth_getBalance', [wallet, hexQuantity(blockNumber - 1)]],
    ['eth_getBalance', [wallet, hexQuantity(blockNumber)]],
    ['eth_getBlockByNumber', [hexQuantity(blockNumber), true]],
    ['eth_getTransactionReceipt', [hash]],
  ])
  type Shown = { hash: string; from?: string; to: string | null; value: string }
  const { transactions = [] } = (block ?? {}) as { transactions?: Shown[] }
  const own = transactions.find((one) => sameAddress(one.hash, hash))
  const isTouched = transactions.some(
    (one) => one !== own && (sameAddress(one.from ?? '', wallet) || sameAddress(one.to ?? '', wallet)),
  )
  if (!own || isTouched) return undefined
  // Rollups take a fee for the chain below them beside the gas.
  const fees = (receipt ?? {}) as Partial<Record<`${'l1Fee' | 'operatorFee'}${string}`, string | null>>
  const { l1Fee, operatorFeeScalar, operatorFeeConstant } = fees
  const isSender = sameAddress(own.from ?? '', wallet)
  // The operator of an OP Stack chain may take a fee of its own, by a formula that another fork changed (source: its specification,
  // Isthmus and Jovian), and a receipt does not say of which fork it is.
  const isOperated = [operatorFeeScalar, operatorFeeConstant].some((part) => BigInt(part ?? 0) > 0n)
  if (isSender && isOperated) return undefined
  const cost = isSender
    ? gasUsed * gasPrice + quantity(l1Fee ?? '0x0', 'a fee') + quantity(own.value, 'a value')
    : 0n
  return quantity(after, 'a balance') - quantity(before, 'a balance') + cost
}
