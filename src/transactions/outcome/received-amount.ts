import type { ChainClient } from '../../chain/chain-client.ts'
import { findTransaction, type MinedTransaction } from '../../chain/finality/find-mined-transaction.ts'
import { receivedTokenAmount } from '../../chain/finality/received-token-amount.ts'
import { headerRequest } from '../../chain/head.ts'
import { hexQuantity, quantity } from '../../chain/rpc/quantities.ts'
import { undefinedIfUnanswered, withTimeout } from '../../chain/rpc/timeouts.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { type TokenAmount, tokenAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { type Token, tokenAt } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { decodeIntent } from '../../guard/intent-json.ts'
import { actionIntent, type StoredPlan } from '../../guard/stored-plan.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import { decodeSupplied } from '../../protocols/aave-v3/calldata-check.ts'
import type { StrategyEntry } from '../../protocols/catalog-types.ts'
import { decodeDeposited } from '../../protocols/erc4626/calldata-check.ts'
import type { Intent } from '../../protocols/intent.ts'
import { queueOf } from '../../protocols/registry.ts'
import type { Operation, Step } from '../../store/journal/operation-types.ts'
import { deliveredAmount } from '../bridge/pending-delivery.ts'
import { activeSteps } from '../steps/active-steps.ts'

/** Returns the minimum output of an operation, by the bounds in its calls; `undefined` if there is no bound. */
export function minimumReceived({ plan, kind }: Pick<Operation, 'plan' | 'kind'>): TokenAmount | undefined {
  const all = plan as StoredPlan
  const { about } = all
  const unit = about.amounts.out
  const kept = all.intents.map((_, leg) => actionIntent(all, leg)).findLast((one) => one)
  if (!unit || !kept) return undefined
  const { amountOut, least, amount, shares } = kept
  // "Max" names no amount, and an amount in is not the amount out.
  const named = kind === 'deposit' || shares !== undefined ? undefined : amount
  const promised = kind === 'swap' ? amountOut : (least ?? named)
  return typeof promised === 'string' ? tokenAmount(BigInt(promised), unit) : undefined
}

/** The amount that a call deposits, decoded from its calldata; `undefined` if it is not a deposit, which the guard reports. */
export const depositedAmount = ({ constants }: StrategyEntry, action: Transaction): bigint | undefined =>
  constants.family === 'aave-v3' ? decodeSupplied(action) : decodeDeposited(action)

type Chains = Pick<ExecutionContext, 'rpc' | 'catalog'>

/**
 * Returns the amount received by an operation whose last action is mined. It is read from the receipt of the user's
 * own node, so it never changes. `undefined` if its kind pays nothing out, or neither receipt nor node shows the
 * amount. `minedIn` returns the hash of a step that is mined but not yet final in the journal.
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
  const isLater = operation.legs.some(({ leg, arrival }) => arrival !== null && leg > step.leg)
  if (intent.kind === 'swap' && isLater) return bridgedAmount({ rpc, catalog }, operation, intent.tokenOut)
  const out = payoutOf(intent)
  if (!out) return undefined
  const { token, to } = out
  const node = rpc(step.transaction.chainId)
  const found = await undefinedIfUnanswered(findTransaction(node, hash))
  if (!found?.ok) return undefined
  const isCoin = sameAddress(token.address, nativeAddress)
  if (isCoin && intent.kind === 'transfer') return tokenAmount(intent.amount, token)
  const came = isCoin
    ? await undefinedIfUnanswered(nativeReceived(node, found, to))
    : receivedTokenAmount(found, { token: token.address, recipient: to })
  // A token without a Transfer event does not show the amount.
  return came === undefined || came <= 0n ? undefined : tokenAmount(came, token)
}

/** Returns the result that the journal stores for a finished operation. A failure here does not make it unfinished. */
export async function readResult(
  chains: Chains,
  operation: Operation,
): Promise<{ out: TokenAmount } | undefined> {
  const out = await withTimeout(receivedAmount(chains, operation)).catch(() => undefined)
  return out && { out }
}

/**
 * Returns the amount that the last bridge of an operation delivered, by the bridge's own event, once the delivery is
 * journaled.
 */
export async function bridgedAmount(
  { rpc, catalog }: Chains,
  operation: Operation,
  known?: Token,
): Promise<TokenAmount | undefined> {
  const leg = operation.legs.findLast(({ arrival }) => arrival !== null)
  const token = leg?.arrival && (known ?? tokenAt(catalog.tokens, leg.chainId, leg.arrival.token))
  if (!leg?.arrival?.hash || !token) return undefined
  const came = await undefinedIfUnanswered(deliveredAmount({ rpc, catalog }, operation))
  return came === undefined ? undefined : tokenAmount(came, token)
}

/** The intent of a leg; `undefined` if the current catalogue no longer has its market. */
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

/** Returns the token and recipient of an action's payout in its own transaction. */
function payoutOf(intent: Intent): { token: Token; to: Address } | undefined {
  switch (intent.kind) {
    case 'swap':
      return { token: intent.tokenOut, to: intent.recipient }
    case 'transfer':
    case 'deliver':
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

/**
 * Whether a receipt token counts shares. The event of a rebasing token also includes growth, and shares that a vault keeps
 * internally leave no event.
 */
const isByShares = ({ constants, receipt }: StrategyEntry): boolean =>
  constants.family !== 'aave-v3' &&
  constants.family !== 'compound-v3' &&
  !(constants.family === 'lido' && constants.holds === 'stETH') &&
  !receipt.isShares

/**
 * The native coin that a wallet received in its own transaction: its balance after the block minus before, plus the transaction's
 * cost. `undefined` if another transaction of the block is from or to the wallet, or the cost is unknown. Internal payments of
 * other transactions count too: only a tracing node shows those.
 */
export async function nativeReceived(
  rpc: ChainClient,
  { hash, blockNumber, gasUsed, gasPrice }: MinedTransaction,
  wallet: Address,
): Promise<bigint | undefined> {
  const [before, after, block, receipt] = await rpc.batch([
    ['eth_getBalance', [wallet, hexQuantity(blockNumber - 1)]],
    ['eth_getBalance', [wallet, hexQuantity(blockNumber)]],
    headerRequest(blockNumber, true),
    ['eth_getTransactionReceipt', [hash]],
  ])
  type Shown = { hash: string; from?: string; to: string | null; value: string }
  const { transactions = [] } = (block ?? {}) as { transactions?: Shown[] }
  const own = transactions.find((one) => sameAddress(one.hash, hash))
  const isTouched = transactions.some(
    (one) => one !== own && (sameAddress(one.from ?? '', wallet) || sameAddress(one.to ?? '', wallet)),
  )
  if (!own || isTouched) return undefined
  // Rollups charge an L1 data fee beside the gas.
  const fees = (receipt ?? {}) as Partial<Record<`${'l1Fee' | 'operatorFee'}${string}`, string | null>>
  const { l1Fee, operatorFeeScalar, operatorFeeConstant } = fees
  const isSender = sameAddress(own.from ?? '', wallet)
  // The operator of an OP Stack chain may charge a fee by a formula that differs between forks (source: its specification, Isthmus
  // and Jovian), and a receipt does not name its fork.
  const isOperated = [operatorFeeScalar, operatorFeeConstant].some((part) => BigInt(part ?? 0) > 0n)
  if (isSender && isOperated) return undefined
  const cost = isSender
    ? gasUsed * gasPrice + quantity(l1Fee ?? '0x0', 'a fee') + quantity(own.value, 'a value')
    : 0n
  return quantity(after, 'a balance') - quantity(before, 'a balance') + cost
}
