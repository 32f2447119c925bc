import type { MinedTransaction } from '../../chain/finality/find-mined-transaction.ts'
import { type Hex, sameAddress } from '../../domain/address.ts'
import { type TokenAmount, tokenAmount } from '../../domain/amount.ts'
import type { StoredPlan } from '../../guard/stored-plan.ts'
import { getJson } from '../../http/client.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { Arrival, Leg, Operation } from '../../store/journal/operation-types.ts'
import type { AwaitedTransfer, BridgeDelivery } from '../../swaps/bridge-delivery.ts'
import { followTransfer } from '../../swaps/swap-provider-registry.ts'
import { activeSteps, isAllFinal } from '../steps/active-steps.ts'
import { resultOf } from './delivery-result.ts'

/** A leg that waits for a delivery from another chain. */
type AwaitedDelivery = { operationId: string; leg: Leg & { arrival: Arrival }; sent: AwaitedTransfer['sent'] }

/** Whether a leg of an operation still waits for a bridge delivery. */
export const isAwaitingDelivery = ({ legs }: Pick<Operation, 'legs'>): boolean =>
  legs.some(({ arrival }) => arrival !== null && arrival.hash === null)

/** Returns the delivery that an operation waits for, by its journal, once the sending step is final. */
export function pendingDelivery(operation: Operation): AwaitedDelivery | undefined {
  return deliveryTo(
    operation,
    operation.legs.find(({ arrival }) => arrival !== null && arrival.hash === null),
  )
}

function deliveryTo(operation: Operation, leg: Leg | undefined): AwaitedDelivery | undefined {
  const sent = activeSteps(operation).findLast((step) => leg && step.leg < leg.leg && step.role === 'action')
  if (!leg?.arrival || sent?.state !== 'FINAL_OK' || !sent.inclusion) return undefined
  const { transaction, wallet } = sent
  const { hash, blockNumber } = sent.inclusion
  return {
    operationId: operation.id,
    leg: { ...leg, arrival: leg.arrival },
    sent: { transaction, wallet, hash, blockNumber },
  }
}

/** Follows a transfer of any machine by its bridge, whose service has 5 s to answer. */
export const followAnyTransfer = (
  { rpc, catalog, now }: Pick<ExecutionContext, 'rpc' | 'catalog' | 'now'>,
  awaited: AwaitedTransfer,
  reportedHash: Hex | null,
): Promise<BridgeDelivery> =>
  followTransfer(
    { rpc, catalog, now, getJson: (url) => getJson(url, { deadlineMs: 5_000 }) },
    awaited,
    reportedHash,
  )

/** The state of an awaited delivery, with the refund that belongs to the operation. */
type Delivery = Omit<BridgeDelivery, 'expiry'> & {
  expiry?: { at: number; isPast: boolean; refund: { found: MinedTransaction; amount: bigint } | undefined }
}

/**
 * Reads the state of a delivery by the method of its bridge. `reportedHash` is a reported delivery hash. A refund belongs to
 * the operation if its amount, less the parts given to other operations, matches exactly; a larger one only if no
 * other waiting operation can claim it.
 */
export async function readDelivery(
  { rpc, catalog, now, journal }: Pick<ExecutionContext, 'rpc' | 'catalog' | 'now' | 'journal'>,
  { operationId, leg: { chainId, arrival }, sent }: AwaitedDelivery,
  reportedHash: Hex | null,
): Promise<Delivery> {
  const { expiry, payments, ...delivery } = await followAnyTransfer(
    { rpc, catalog, now },
    { sent, arrival: { chainId, ...arrival } },
    reportedHash,
  )
  const isLeft = payments !== undefined && payments.length > 0
  if (!expiry && !isLeft) return delivery
  const { refunds, amount, ...when } = expiry ?? { refunds: [], amount: 0n, at: 0, isPast: false }
  const all =
    refunds.length === 0 && !isLeft
      ? []
      : journal.list({ wallet: sent.wallet, limit: Number.MAX_SAFE_INTEGER })
  const others = all.filter(({ id }) => id !== operationId)
  if (delivery.way === 'desk') {
    // A payout of the desk for one ramp may look like its refund of another.
    const isFree = ({ hash }: { hash: Hex }, alike = 1) =>
      givenOf(others, hash) === 0n && journal.countDeliveries(hash, operationId) < alike
    const isOthers = (sum: bigint) => others.some((other) => isDue(other, sum))
    const free = (payments ?? []).filter(({ found, alike }) => isFree(found, alike))
    const reportedHash = delivery.brought?.found.hash
    const brought =
      free.find((one) => one.amount === arrival.minimum) ??
      free.find((one) => one.amount > arrival.minimum && !isOthers(one.amount)) ??
      // Less than was agreed counts only if a report names it as the delivery.
      free.find((one) => one.found.hash === reportedHash && !isOthers(one.amount))
    if (brought) return { ...delivery, isDelivered: true, brought }
    const back = refunds.find(({ found, paid }) => paid === amount && isFree(found))
    const open = { ...delivery, isDelivered: reportedHash ? false : delivery.isDelivered, brought: undefined }
    return back ? { ...open, expiry: { ...when, refund: { found: back.found, amount } } } : open
  }
  const left = refunds.map(({ found, paid }) => ({ found, left: paid - givenOf(others, found.hash) }))
  const { chainId: origin } = sent.transaction
  const unit = (journal.find(operationId)!.plan as StoredPlan).about.amounts.in
  const isOfAnother = (raw: bigint) =>
    unit !== null && others.some((other) => mayBeRefunded(other, origin, tokenAmount(raw, unit)))
  const own =
    left.find((one) => one.left === amount) ?? left.find((one) => one.left > amount && !isOfAnother(one.left))
  return { ...delivery, expiry: { ...when, refund: own && { found: own.found, amount } } }
}

/** Whether an operation waits for exactly this amount, or would get it as a refund. */
const isDue = (operation: Operation, amount: bigint): boolean =>
  pendingDelivery(operation)?.leg.arrival.minimum === amount ||
  (isAwaitingDelivery(operation) && (operation.plan as StoredPlan).about.amounts.in?.raw === String(amount))

/** The part of a refund that the journal has assigned to operations. */
const givenOf = (operations: readonly Operation[], hash: Hex): bigint =>
  operations.reduce((sum, operation) => {
    const { refund } = resultOf(operation)
    return refund && sameAddress(refund.hash, hash) ? sum + BigInt(refund.amount.raw) : sum
  }, 0n)

/**
 * Whether a refund can belong to an operation that waits for a delivery from a chain: it sent at least as much of the
 * same token. The provider may have kept a fee.
 */
function mayBeRefunded(operation: Operation, chainId: number, refund: TokenAmount): boolean {
  const sent = pendingDelivery(operation)?.sent.transaction
  const planned = (operation.plan as StoredPlan).about.amounts.in
  return (
    sent?.chainId === chainId &&
    planned?.symbol === refund.symbol &&
    BigInt(planned.raw) >= BigInt(refund.raw)
  )
}

/**
 * Returns the amount of the last recorded delivery, in the smallest unit, by the bridge's own event; `undefined` if
 * there is none, or the chains do not show it. Asks no service.
 */
export async function deliveredAmount(
  { rpc, catalog }: Pick<ExecutionContext, 'rpc' | 'catalog'>,
  operation: Operation,
): Promise<bigint | undefined> {
  const awaited = deliveryTo(
    operation,
    operation.legs.findLast(({ arrival }) => arrival !== null),
  )
  const { leg, sent } = awaited ?? {}
  if (!leg?.arrival.hash || !sent) return undefined
  const { brought } = await followTransfer(
    { rpc, catalog, now: () => 0, getJson: async () => ({ status: 503, body: null, text: '' }) },
    { sent, arrival: { chainId: leg.chainId, ...leg.arrival } },
    leg.arrival.hash,
  )
  return brought?.amount
}

/** Whether nothing is left to sign and only a bridge delivery is missing. */
export const awaitsOnlyDelivery = (operation: Operation): boolean =>
  isAllFinal(operation) && isAwaitingDelivery(operation)
