import type { MinedTransaction } from '../../chain/finality/mined-transaction.ts'
import type { Hex } from '../../domain/address.ts'
import { getJson } from '../../http/client.ts'
import type { ExecutionContext } from '../../planning/context.ts'
import type { Arrival, Leg, Operation } from '../../store/journal/operation.ts'
import type { AwaitedTransfer, BridgeDelivery } from '../../swaps/bridge-delivery.ts'
import { followTransfer } from '../../swaps/bridge-registry.ts'
import { activeSteps } from '../operations/active-steps.ts'
import { resultOf } from '../outcome/result.ts'

/** A leg that waits for a delivery from another chain. */
type AwaitedDelivery = { operationId: string; leg: Leg & { arrival: Arrival }; sent: AwaitedTransfer['sent'] }

/** Whether a leg of an operation still waits for a bridge delivery. */
export const isAwaitingDelivery = ({ legs }: Pick<Operation, 'legs'>): boolean =>
  legs.some(({ arrival }) => arrival !== null && arrival.hash === null)

/** The delivery that an operation waits for, by its journal, once the sending step is final. */
export function pendingDelivery(operation: Operation): AwaitedDelivery | undefined {
  const leg = operation.legs.find(({ arrival }) => arrival !== null && arrival.hash === null)
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

/** The state of an awaited delivery, with the refund that counts for its operation. */
type Delivery = Omit<BridgeDelivery, 'expiry'> & {
  expiry?: { at: number; isPast: boolean; refund: { found: MinedTransaction; amount: bigint } | undefined }
}

/**
 * Reads how far a delivery is, as its bridge is to be asked. `told` is a reported delivery hash. A refund that other operations were
 * given counts for as many as it covers.
 */
export async function readDelivery(
  { rpc, catalog, now, journal }: Pick<ExecutionContext, 'rpc' | 'catalog' | 'now' | 'journal'>,
  { operationId, leg: { chainId, arrival }, sent }: AwaitedDelivery,
  told: Hex | null,
): Promise<Delivery> {
  const { expiry, ...delivery } = await followTransfer(
    { rpc, catalog, now, getJson: (url) => getJson(url, { deadlineMs: 5_000 }) },
    { sent, arrival: { chainId, ...arrival } },
    told,
  )
  if (!expiry) return delivery
  const { refunds, ...when } = expiry
  const others = refunds.length === 0 ? [] : journal.list({}, () => undefined)
  const given = (hash: Hex) =>
    others.filter((other) => other.id !== operationId && resultOf(other).refund?.hash === hash).length
  return {
    ...delivery,
    expiry: { ...when, refund: refunds.find(({ found, alike }) => given(found.hash) < alike) },
  }
}
