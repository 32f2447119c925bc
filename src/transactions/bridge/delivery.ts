import { encodeEventTopics, encodeFunctionData } from 'viem/utils'
import { hexQuantity, quantity } from '../../chain/rpc/answer-numbers.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { undefinedIfUnanswered, withTimeout } from '../../chain/rpc/timeouts.ts'
import { type Address, type Hex, HexData, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { getJson } from '../../http/client.ts'
import type { ExecutionContext } from '../../planning/context.ts'
import type { Catalog, CctpV2Constants } from '../../protocols/catalog.ts'
import type { Arrival, Leg, Operation } from '../../store/journal/operation.ts'
import { messageTransmitterV2Abi as abi, finality } from '../../swaps/cctp-v2/abi.ts'
import { type Burned, burnedBy, deliveriesOf } from '../../swaps/cctp-v2/delivery.ts'
import { type BurnMessage, decodeMessage } from '../../swaps/cctp-v2/message.ts'
import { findTransaction, type MinedTransaction } from '../confirmation/find-transaction.ts'
import { activeSteps } from '../operations/active-steps.ts'
import { tokenReceived } from '../outcome/received-amount.ts'

/** What the attestation service of a bridge has for a burn, which it may not know at all; `message` where it gives one. */
type Attestation = { isKnown: boolean; isAttested: boolean; message?: BurnMessage }

/** Asks the attestation service about a burn; `undefined` where it cannot be asked, or does not say. */
export async function attestationOf(
  { attestation }: Catalog,
  here: CctpV2Constants | undefined,
  burn: Hex,
): Promise<Attestation | undefined> {
  const base = here?.attestation ?? attestation
  if (!here || !base) return undefined
  try {
    const answer = await getJson(`${base}/v2/messages/${here.domain}?transactionHash=${burn}`, {
      deadlineMs: 5_000,
    })
    if (answer.status === 404) return { isKnown: false, isAttested: false }
    if (answer.status !== 200) return undefined
    const { body } = answer
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined
    const { messages = [] } = body as { messages?: unknown }
    if (!Array.isArray(messages)) return undefined
    const first = messages[0] as { status?: unknown; message?: unknown } | null | undefined
    const text = HexData.safeParse(first?.message).data
    const message = text === undefined || text === '0x' ? undefined : decodeMessage(text)
    const isAttested = first?.status === 'complete'
    return { isKnown: first != null, isAttested, ...(message && { message }) }
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('SERVICE_')) return undefined
    throw error
  }
}

/** So many blocks are asked for at first; then twice as many each time, up to what a node refuses. One that refuses the least gives no logs. */
const usualSizes = { first: 5_000, most: 100_000, least: 500 }
/** So often a node is asked, at most. */
const mostPieces = 40

/**
 * The newest log that a filter fits, looked for piece by piece from the newest block back to one that was made before
 * `since` (Unix s). `undefined` where there is none, or where the node gives no logs.
 */
export async function findLatestLog(
  rpc: Rpc,
  filter: { address: Address; topics: readonly (Hex | null)[] },
  since: number,
  sizes = usualSizes,
): Promise<{ transactionHash: Hex } | undefined> {
  let to = Number(quantity(await rpc.request('eth_blockNumber'), 'the block number'))
  let { first: size, most } = sizes
  for (let piece = 0; piece < mostPieces; piece++) {
    const from = Math.max(0, to - size + 1)
    const [fromBlock, toBlock] = [hexQuantity(from), hexQuantity(to)]
    try {
      const logs = await rpc.request<{ transactionHash: Hex }[]>('eth_getLogs', [
        { ...filter, fromBlock, toBlock },
      ])
      const found = logs.at(-1)
      if (found) return found
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'RPC_ERROR' || size <= sizes.least) throw error
      most = size = Math.max(sizes.least, Math.floor(size / 4))
      continue
    }
    const block = await rpc.request<{ timestamp?: string } | null>('eth_getBlockByNumber', [fromBlock, false])
    if (from === 0 || Number(quantity(block?.timestamp, 'the time of a block')) < since) return undefined
    to = from - 1
    size = Math.min(2 * size, most)
  }
  return undefined
}

/** A leg that waits for what a burn on another chain sends to it. */
type Awaited = {
  leg: Leg & { arrival: Arrival }
  burn: { chainId: number; hash: Hex; blockNumber: number; burned: Burned | undefined }
}

/** The longest that an attestation takes when all is well, in ms: before the source block is final, and after. */
export const attestationMs = { fast: 10 * 60_000, standard: 60 * 60_000 }

/**
 * What is known of funds on a bridge that burns and mints; `undefined` is what nobody could be asked about. `isUnknown` where the
 * attestation service does not know a burn that it should know by now: that says nothing of what became of it. `burnedAt` is epoch ms.
 * `brought` is the transaction that delivered them by the bridge's own event for the burn, and what came in it; `alike` counts the messages in it
 * that only their nonces tell from that of the burn, its own included.
 */
type Delivery = {
  burnedAt: number | undefined
  isUnknown: boolean
  isAttested: boolean | undefined
  isFast: boolean
  isMinted: boolean | undefined
  brought: { found: MinedTransaction; amount: bigint; alike: number } | undefined
}

/** Whether a leg of an operation waits for what an earlier one sends to it. */
export const isAwaitingDelivery = ({ legs }: Pick<Operation, 'legs'>): boolean =>
  legs.some(({ arrival }) => arrival !== null && arrival.hash === null)

/** What an operation waits for on another chain, once that is sent for good, by its journal alone. */
export function pendingDelivery(operation: Operation): Awaited | undefined {
  const leg = operation.legs.find(({ arrival }) => arrival !== null && arrival.hash === null)
  const sent = activeSteps(operation).findLast((step) => leg && step.leg < leg.leg && step.role === 'action')
  if (!leg?.arrival || sent?.state !== 'FINAL_OK' || !sent.inclusion) return undefined
  const { hash, blockNumber } = sent.inclusion
  return {
    leg: { ...leg, arrival: leg.arrival },
    burn: {
      chainId: sent.transaction.chainId,
      hash,
      blockNumber,
      burned: burnedBy(sent.transaction, sent.wallet),
    },
  }
}

/**
 * Asks the attestation service and both chains what became of a burn. `told` is the hash that somebody names as the delivery: it counts
 * where the bridge's own event in it is of the burn, by the nonce that was attested, else by all that the burn says and a block after it.
 */
export async function readDelivery(
  { rpc, catalog, now }: Pick<ExecutionContext, 'rpc' | 'catalog' | 'now'>,
  { leg, burn }: Awaited,
  told: Hex | null,
): Promise<Delivery> {
  const [here, there] = [burn.chainId, leg.chainId].map((id) =>
    catalog.cctpV2.find(({ chainId }) => chainId === id),
  )
  const node = rpc(leg.chainId)
  const [attestation, burnedAt] = await Promise.all([
    attestationOf(catalog, here, burn.hash),
    timeOf(rpc(burn.chainId), burn.blockNumber),
  ])
  const nonce = attestation?.isAttested ? attestation.message?.nonce : undefined
  const look = async (hash: Hex): Promise<Delivery['brought']> => {
    const found = await undefinedIfUnanswered(withTimeout(findTransaction(node, hash)))
    if (!found?.ok || !here || !there || !burn.burned) return undefined
    const alike = deliveriesOf(burn.burned, found.logs, { here, there })
    const own = nonce === undefined ? alike[0] : alike.find((one) => sameAddress(one.nonce, nonce))
    if (!own || (nonce === undefined && !(await isAfter(node, found, burnedAt)))) return undefined
    // What the event says was minted, and no more of it than the token says that it moved.
    const arrived = tokenReceived(found, leg.arrival)
    return { found, amount: arrived < own.minted ? arrived : own.minted, alike: alike.length }
  }
  const named = told === null ? undefined : await look(told)
  const isUsed =
    nonce && there && !named
      ? await undefinedIfUnanswered(withTimeout(isNonceUsed(node, there, nonce)))
      : undefined
  const hash = isUsed && nonce && there ? await mintOf(node, there, nonce, burnedAt ?? 0) : undefined
  const brought = named ?? (hash && (await look(hash)))
  const isOld = burnedAt !== undefined && now() - burnedAt > attestationMs.standard
  const isUnknown = !brought && attestation?.isKnown === false && isOld
  // Without an attestation nobody can mint; a service that has forgotten a burn, or never heard of it, does not say that there is none.
  const isUnattested = attestation?.isAttested === false && !isUnknown
  return {
    burnedAt,
    isUnknown,
    isAttested: isUnknown ? undefined : attestation?.isAttested,
    isFast: attestation?.message?.minFinalityThreshold === finality.fast,
    isMinted: brought ? true : (isUsed ?? (isUnattested ? false : undefined)),
    brought,
  }
}

/** Whether a delivery lies after the burn, by the times of both blocks; not where one of them is not known. */
async function isAfter(
  rpc: Rpc,
  { blockNumber }: MinedTransaction,
  burnedAt: number | undefined,
): Promise<boolean> {
  const at = burnedAt === undefined ? undefined : await timeOf(rpc, blockNumber)
  return at !== undefined && at >= burnedAt!
}

const [received] = encodeEventTopics({ abi, eventName: 'MessageReceived' })

async function isNonceUsed(
  rpc: Rpc,
  { messageTransmitter: to }: CctpV2Constants,
  nonce: Hex,
): Promise<boolean> {
  const data = encodeFunctionData({ abi, functionName: 'usedNonces', args: [nonce] })
  return quantity(await rpc.request('eth_call', [{ to, data }, 'latest']), 'a nonce of the bridge') !== 0n
}

/** Clocks of two chains differ by less than this, in ms. */
const clocksDiffer = 3_600_000

/** The transaction that delivered a message, however long ago: by the events of the other end, back to the time of the burn. */
const mintOf = async (
  rpc: Rpc,
  { messageTransmitter: address }: CctpV2Constants,
  nonce: Hex,
  since: number,
): Promise<Hex | undefined> =>
  (
    await undefinedIfUnanswered(
      withTimeout(
        findLatestLog(rpc, { address, topics: [received, null, nonce] }, (since - clocksDiffer) / 1_000),
      ),
    )
  )?.transactionHash

/** When a block was made, in epoch ms; `undefined` where its chain does not say. */
async function timeOf(rpc: Rpc, blockNumber: number): Promise<number | undefined> {
  const asked = rpc.request<{ timestamp?: string } | null>('eth_getBlockByNumber', [
    hexQuantity(blockNumber),
    false,
  ])
  const { timestamp } = (await undefinedIfUnanswered(withTimeout(asked))) ?? {}
  return timestamp === undefined ? undefined : 1_000 * Number(timestamp)
}
