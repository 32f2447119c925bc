import { encodeEventTopics, encodeFunctionData } from 'viem/utils'
import type { ChainClient } from '../../chain/client.ts'
import { findTransaction, type MinedTransaction } from '../../chain/finality/mined-transaction.ts'
import { hexQuantity, quantity } from '../../chain/rpc/answer-numbers.ts'
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
import { activeSteps } from '../operations/active-steps.ts'
import { tokenReceived } from '../outcome/received-amount.ts'

/** What the attestation service returns for a burn. It may not know the burn; `message` is present if it returns one. */
type Attestation = { isKnown: boolean; isAttested: boolean; message?: BurnMessage }

/** Asks the attestation service about a burn; `undefined` if it cannot be reached or gives no usable answer. */
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

/**
 * How many blocks one log query covers: first this many, doubled each time up to what the node accepts. A node that refuses `least`
 * serves no logs.
 */
const logRangeSizes = { first: 5_000, most: 100_000, least: 500 }
/** The most log queries to one node. */
const maxLogQueries = 40

/**
 * Finds the newest log that matches a filter, in ranges from the newest block back to a block older than `since` (Unix s).
 * `undefined` if there is none; throws if the node serves no logs.
 */
export async function findLatestLog(
  rpc: ChainClient,
  filter: { address: Address; topics: readonly (Hex | null)[] },
  since: number,
  sizes = logRangeSizes,
): Promise<{ transactionHash: Hex } | undefined> {
  let to = Number(quantity(await rpc.request('eth_blockNumber'), 'the block number'))
  let { first: size, most } = sizes
  for (let piece = 0; piece < maxLogQueries; piece++) {
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

/** A leg that waits for the delivery of a burn on another chain. */
type AwaitedDelivery = {
  leg: Leg & { arrival: Arrival }
  burn: { chainId: number; hash: Hex; blockNumber: number; burned: Burned | undefined }
}

/** The longest usual time of an attestation, in ms: before the source block is final (fast), and after (standard). */
export const attestationMs = { fast: 10 * 60_000, standard: 60 * 60_000 }

/**
 * The state of a burn-and-mint transfer; `undefined` fields could not be read. `isUnknown`: the attestation service does not know a
 * burn that it should know by now, which does not say what became of it. `burnedAt` is epoch ms. `brought` is the delivering
 * transaction, matched by the bridge's own event, with its amount; `alike` counts the messages in it that differ from this burn's
 * in the nonce alone, itself included.
 */
type Delivery = {
  burnedAt: number | undefined
  isUnknown: boolean
  isAttested: boolean | undefined
  isFast: boolean
  isMinted: boolean | undefined
  brought: { found: MinedTransaction; amount: bigint; alike: number } | undefined
}

/** Whether a leg of an operation still waits for a bridge delivery. */
export const isAwaitingDelivery = ({ legs }: Pick<Operation, 'legs'>): boolean =>
  legs.some(({ arrival }) => arrival !== null && arrival.hash === null)

/** The delivery that an operation waits for, by its journal, once the sending step is final. */
export function pendingDelivery(operation: Operation): AwaitedDelivery | undefined {
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
 * Asks the attestation service and both chains about a burn. `told` is a reported delivery hash: it counts if the bridge's event in
 * it matches the burn, by the attested nonce, or without one by all fields of the burn and a later block.
 */
export async function readDelivery(
  { rpc, catalog, now }: Pick<ExecutionContext, 'rpc' | 'catalog' | 'now'>,
  { leg, burn }: AwaitedDelivery,
  told: Hex | null,
): Promise<Delivery> {
  const [here, there] = [burn.chainId, leg.chainId].map((id) =>
    catalog.cctpV2.find(({ chainId }) => chainId === id),
  )
  const node = rpc(leg.chainId)
  const [attestation, burnedAt] = await Promise.all([
    attestationOf(catalog, here, burn.hash),
    blockTime(rpc(burn.chainId), burn.blockNumber),
  ])
  const nonce = attestation?.isAttested ? attestation.message?.nonce : undefined
  const look = async (hash: Hex): Promise<Delivery['brought']> => {
    const found = await undefinedIfUnanswered(withTimeout(findTransaction(node, hash)))
    if (!found?.ok || !here || !there || !burn.burned) return undefined
    const alike = deliveriesOf(burn.burned, found.logs, { here, there })
    const own = nonce === undefined ? alike[0] : alike.find((one) => sameAddress(one.nonce, nonce))
    if (!own || (nonce === undefined && !(await isAfter(node, found, burnedAt)))) return undefined
    // The amount that the event says was minted, limited by what the token's own transfers show.
    const arrived = tokenReceived(found, leg.arrival)
    return { found, amount: arrived < own.minted ? arrived : own.minted, alike: alike.length }
  }
  const named = told === null ? undefined : await look(told)
  const isUsed =
    nonce && there && !named
      ? await undefinedIfUnanswered(withTimeout(isNonceUsed(node, there, nonce)))
      : undefined
  const hash = isUsed && nonce && there ? await mintTransaction(node, there, nonce, burnedAt ?? 0) : undefined
  const brought = named ?? (hash && (await look(hash)))
  const isOld = burnedAt !== undefined && now() - burnedAt > attestationMs.standard
  const isUnknown = !brought && attestation?.isKnown === false && isOld
  // Nothing can be minted without an attestation. A service that has forgotten a burn, or never saw it, does not prove that there
  // is none.
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

/** Whether a delivery is after the burn by the times of both blocks; false if one of them is unknown. */
async function isAfter(
  rpc: ChainClient,
  { blockNumber }: MinedTransaction,
  burnedAt: number | undefined,
): Promise<boolean> {
  const at = burnedAt === undefined ? undefined : await blockTime(rpc, blockNumber)
  return at !== undefined && at >= burnedAt!
}

const [received] = encodeEventTopics({ abi, eventName: 'MessageReceived' })

async function isNonceUsed(
  rpc: ChainClient,
  { messageTransmitter: to }: CctpV2Constants,
  nonce: Hex,
): Promise<boolean> {
  const data = encodeFunctionData({ abi, functionName: 'usedNonces', args: [nonce] })
  return quantity(await rpc.request('eth_call', [{ to, data }, 'latest']), 'a nonce of the bridge') !== 0n
}

/** The largest difference between the clocks of two chains, in ms. */
const maxClockDifferenceMs = 3_600_000

/** Finds the transaction that delivered a message, by the events on the destination chain, back to the time of the burn. */
const mintTransaction = async (
  rpc: ChainClient,
  { messageTransmitter: address }: CctpV2Constants,
  nonce: Hex,
  since: number,
): Promise<Hex | undefined> =>
  (
    await undefinedIfUnanswered(
      withTimeout(
        findLatestLog(
          rpc,
          { address, topics: [received, null, nonce] },
          (since - maxClockDifferenceMs) / 1_000,
        ),
      ),
    )
  )?.transactionHash

/** The time of a block in epoch ms; `undefined` if the chain does not answer. */
async function blockTime(rpc: ChainClient, blockNumber: number): Promise<number | undefined> {
  const asked = rpc.request<{ timestamp?: string } | null>('eth_getBlockByNumber', [
    hexQuantity(blockNumber),
    false,
  ])
  const { timestamp } = (await undefinedIfUnanswered(withTimeout(asked))) ?? {}
  return timestamp === undefined ? undefined : 1_000 * Number(timestamp)
}
