import { encodeEventTopics, padHex } from 'viem/utils'
import { blockTime } from '../../chain/latest-log.ts'
import { hexQuantity, quantity } from '../../chain/rpc/quantities.ts'
import { undefinedIfUnanswered, withTimeout } from '../../chain/rpc/timeouts.ts'
import { type Address, Hash, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { networkNamed } from '../../domain/networks.ts'
import { tokenAt } from '../../domain/token.ts'
import type { StoredPlan } from '../../guard/stored-plan.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { Arrival, JournalEvent, Operation } from '../../store/journal/operation-types.ts'
import type { BridgeDelivery } from '../../swaps/bridge-delivery.ts'
import { tokenMessengerV2Abi as abi } from '../../swaps/cctp-v2/abi.ts'
import { cctpV2Contracts } from '../../swaps/cctp-v2/constants-schema.ts'
import { contractsOn } from '../../swaps/swap-contracts.ts'
import { resultOf } from '../../transactions/bridge/delivery-result.ts'
import { readDelivery } from '../../transactions/bridge/pending-delivery.ts'
import { type BridgeFacts, hasStepSucceeded, type StepFacts } from './operation-facts.ts'

/**
 * The facts of a bridge transfer that a later leg waits for; `undefined` without one. `reportedHash` is the delivery hash of the service.
 */
export async function readBridgeFacts(
  context: ExecutionContext,
  operation: Operation,
  steps: readonly StepFacts[],
  events: readonly JournalEvent[],
  reportedHash: string | null,
): Promise<BridgeFacts | undefined> {
  const found = awaitedTransfer(operation, steps)
  if (!found) return undefined
  const { awaited, sent } = found
  const { leg } = awaited
  const { networks } = context.catalog
  const { chainId } = sent.step.transaction
  const named = Hash.safeParse(reportedHash).data ?? resultOf(operation).short?.hash ?? null
  const delivery = await readDelivery(context, awaited, named)
  const { way, sentAt, brought, expiry, unfilled, order } = delivery
  const shown = (amount: bigint) => amountText(context, leg.chainId, leg.arrival.token, amount)
  const { minimum } = leg.arrival
  const isLess = brought !== undefined && brought.amount < minimum
  const later =
    isLess && way === 'burn' ? await laterDelivery(context, leg, brought.found.blockNumber) : undefined
  return {
    way,
    from: networkNamed(networks, chainId),
    to: networkNamed(networks, leg.chainId),
    recipient: leg.arrival.recipient,
    burn: awaited.sent.hash,
    // The journal may have recorded it long after the fact.
    since:
      sentAt !== undefined
        ? { clock: 'chain', at: sentAt }
        : {
            clock: 'machine',
            at:
              events.findLast(({ index, becomes }) => index === sent.step.index && becomes === 'FINAL_OK')
                ?.at ?? operation.updated,
          },
    ...statedFacts(delivery),
    delivered: brought && {
      hash: brought.found.hash,
      brought: brought.amount,
      minimum,
      text: shown(brought.amount),
      ...(later && { later: { hash: later.hash, text: shown(later.amount) } }),
    },
    unfilled: unfilled?.why,
    ...(expiry && {
      expiry: {
        ...expiry,
        refund: expiry.refund && (await paidBack(context, operation, chainId, expiry.refund)),
      },
    }),
    ...(order && { order: { ...order, returned: order.returned && returnedFacts(context, order.returned) } }),
  }
}

/** What a bridge and its service say of a transfer, as it is. */
export const statedFacts = ({
  usualMs,
  typicalMs,
  isUnknown,
  isAttested,
  unanswered,
  isDelivered,
  remedies,
}: Pick<
  BridgeDelivery,
  'usualMs' | 'typicalMs' | 'isUnknown' | 'isAttested' | 'unanswered' | 'isDelivered' | 'remedies'
>) => ({
  usualMs,
  typicalMs,
  isUnknown,
  isAttested,
  unanswered,
  isMinted: isDelivered,
  ...(remedies && { remedies }),
})

/** The transfer that a later leg waits for, and the step that sent it. */
function awaitedTransfer({ id, wallet, legs }: Operation, steps: readonly StepFacts[]) {
  const leg = legs.find(({ arrival }) => arrival !== null && arrival.hash === null)
  const before = steps.filter(({ step }) => leg !== undefined && step.leg < leg.leg)
  const sent = before.findLast(({ step }) => step.role === 'action')
  const mined = sent && (sent.step.inclusion ?? sent.onChain?.found)
  if (!leg?.arrival || !sent || !mined || !hasStepSucceeded(sent)) return undefined
  const { hash, blockNumber } = mined
  const awaited = {
    operationId: id,
    leg: { ...leg, arrival: leg.arrival },
    sent: { transaction: sent.step.transaction, wallet, hash, blockNumber },
  }
  return { awaited, sent }
}

/** What was paid back, in the token that the operation began with. */
async function paidBack(
  { rpc }: ExecutionContext,
  { plan }: Operation,
  chainId: number,
  { found, amount }: { found: { hash: Hex; blockNumber: number }; amount: bigint },
): Promise<{ hash: Hex; text: string; paidAt: number | null }> {
  const unit = (plan as StoredPlan | null)?.about.amounts.in
  const at = await blockTime(rpc(chainId), found.blockNumber)
  return {
    hash: found.hash,
    text: unit ? formatAmount(amount, unit) : String(amount),
    paidAt: at ?? null,
  }
}

const amountText = (
  { catalog }: ExecutionContext,
  chainId: number,
  address: Address,
  amount: bigint,
): string => {
  const unit = sameAddress(address, nativeAddress)
    ? networkNamed(catalog.networks, chainId).native
    : tokenAt(catalog.tokens, chainId, address)
  return unit ? formatAmount(amount, unit) : String(amount)
}

/** What was given back of an order, as facts. */
function returnedFacts(
  context: ExecutionContext,
  { chainId, token, recipient, found, amount }: NonNullable<NonNullable<BridgeDelivery['order']>['returned']>,
): NonNullable<BridgeFacts['order']>['returned'] {
  return {
    hash: found.hash,
    text: amountText(context, chainId, token, amount),
    network: networkNamed(context.catalog.networks, chainId),
    recipient,
  }
}

/** Later deliveries to the same recipient after an under-delivery; `undefined` if the node does not answer. */
async function laterDelivery(
  { rpc, catalog }: ExecutionContext,
  { chainId, arrival: { recipient, token } }: { chainId: number; arrival: Arrival },
  after: number,
): Promise<{ hash: Hex; amount: bigint } | undefined> {
  const there = contractsOn(catalog, cctpV2Contracts, chainId)
  if (!there) return undefined
  const [topic] = encodeEventTopics({ abi, eventName: 'MintAndWithdraw' })
  const logs = await undefinedIfUnanswered(
    withTimeout(
      rpc(chainId).request<{ transactionHash: Hex; data: Hex }[]>('eth_getLogs', [
        {
          address: there.tokenMessenger,
          topics: [
            topic,
            padHex(recipient, { size: 32 }).toLowerCase(),
            padHex(token, { size: 32 }).toLowerCase(),
          ],
          fromBlock: hexQuantity(after + 1),
        },
      ]),
    ),
  )
  const last = logs?.at(-1)
  if (!logs || !last) return undefined
  // Its two words are the amount and the fee.
  const amount = logs.reduce((sum, { data }) => sum + quantity(data.slice(0, 66), 'what was minted'), 0n)
  return { hash: last.transactionHash, amount }
}
