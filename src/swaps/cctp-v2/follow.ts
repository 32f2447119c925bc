import { askNumber } from '../../chain/ask.ts'
import { contract } from '../../chain/call.ts'
import type { ChainClient } from '../../chain/chain-client.ts'
import { findTransaction } from '../../chain/finality/find-mined-transaction.ts'
import { receivedTokenAmount } from '../../chain/finality/received-token-amount.ts'
import { blockTime, chainTime, findLatestLog, maxClockDifferenceMs } from '../../chain/latest-log.ts'
import { quantity } from '../../chain/rpc/quantities.ts'
import { undefinedIfUnanswered, withTimeout } from '../../chain/rpc/timeouts.ts'
import { Hash, type Hex, HexData, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { hostOf } from '../../http/client.ts'
import { eventTopic } from '../../protocols/shared/encode-topics.ts'
import type { AwaitedTransfer, BridgeDelivery, DeliveryContext } from '../bridge-delivery.ts'
import { contractsOn } from '../swap-contracts.ts'
import { messageTransmitterV2Abi as abi, finality } from './abi.ts'
import { decodeBurn } from './burn-call.ts'
import { type CctpV2Constants, cctpV2Contracts } from './constants-schema.ts'
import { deliveriesOf } from './delivery-events.ts'
import { type BurnMessage, decodeMessage } from './message.ts'

/** The attestation service's response for a burn. `reattestUrl` requests a new attestation, if the nonce is known. */
type Attestation = {
  isKnown: boolean
  isAttested: boolean
  message?: BurnMessage
  reattestUrl?: string
}

/** Requests a burn's attestation; `undefined` if the service does not give a usable answer. */
export async function attestationOf(
  { getJson }: Pick<DeliveryContext, 'getJson'>,
  here: CctpV2Constants | undefined,
  burn: Hex,
): Promise<Attestation | undefined> {
  const base = here?.attestation
  if (!here || !base) return undefined
  const url = `${base}/v2/messages/${here.domain}?transactionHash=${burn}`
  try {
    const answer = await getJson(url)
    if (answer.status === 404) return { isKnown: false, isAttested: false }
    if (answer.status !== 200) return undefined
    const { body } = answer
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined
    const { messages = [] } = body as { messages?: unknown }
    // An empty place is no answer about the burn.
    if (!Array.isArray(messages) || messages.includes(null)) return undefined
    const first = messages[0] as
      | { status?: unknown; message?: unknown; eventNonce?: unknown }
      | null
      | undefined
    const text = HexData.safeParse(first?.message).data
    const message = text === undefined || text === '0x' ? undefined : decodeMessage(text)
    const isAttested = first?.status === 'complete'
    const nonce = Hash.safeParse(first?.eventNonce).data
    const reattestUrl = nonce && `${base}/v2/reattest/${nonce}`
    return {
      isKnown: first != null,
      isAttested,
      ...(message && { message }),
      ...(reattestUrl && { reattestUrl }),
    }
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('SERVICE_')) return undefined
    throw error
  }
}

/** The longest usual duration of an attestation, in ms: before (fast) and after (standard) the source block is final. */
export const attestationMs = { fast: 10 * 60_000, standard: 60 * 60_000 }

/** The duration of most attestations, in ms: standard ones wait until the block is final on Ethereum. */
const typicalMs = { fast: 60_000, standard: 20 * 60_000 }

/**
 * Follows a burn of CCTP v2 through the attestation service and both chains. `reportedHash` is a delivery hash that the service reports; it counts if
 * the bridge's event in it matches the burn: by the attested nonce, else by all fields of the burn and a block that is not earlier.
 */
export async function followBurn(
  { rpc, catalog, now, getJson }: DeliveryContext,
  { sent, arrival }: AwaitedTransfer,
  reportedHash: Hex | null,
): Promise<BridgeDelivery> {
  const [here, there] = [sent.transaction.chainId, arrival.chainId].map((id) =>
    contractsOn(catalog, cctpV2Contracts, id),
  )
  const burned = decodeBurn(sent.transaction, sent.wallet)
  const node = rpc(arrival.chainId)
  const [attestation, burnedAt] = await Promise.all([
    attestationOf({ getJson }, here, sent.hash),
    blockTime(rpc(sent.transaction.chainId), sent.blockNumber),
  ])
  const nonce = attestation?.isAttested ? attestation.message?.nonce : undefined
  const look = async (hash: Hex): Promise<BridgeDelivery['brought']> => {
    const found = await undefinedIfUnanswered(withTimeout(findTransaction(node, hash)))
    if (!found?.ok || !here || !there || !burned) return undefined
    const alike = deliveriesOf(burned, found.logs, { here, there })
    const own = nonce === undefined ? alike[0] : alike.find((one) => sameAddress(one.nonce, nonce))
    if (!own) return undefined
    // Use the amount of the event, limited by the token's transfers.
    const arrived = receivedTokenAmount(found, arrival)
    return { found, amount: arrived < own.minted ? arrived : own.minted, alike: alike.length }
  }
  const named = reportedHash === null ? undefined : await look(reportedHash)
  const isUsed =
    nonce && there && !named
      ? await undefinedIfUnanswered(withTimeout(isNonceUsed(node, there, nonce)))
      : undefined
  const hash = isUsed && nonce && there ? await mintTransaction(node, there, nonce, burnedAt ?? 0) : undefined
  const brought = named ?? (hash && (await look(hash)))
  const isOld = async () =>
    burnedAt !== undefined &&
    (await chainTime(rpc(sent.transaction.chainId), now())) - burnedAt > attestationMs.standard
  const isUnknown = !brought && attestation?.isKnown === false && (await isOld())
  // Minting requires an attestation. A service that does not know an old burn proves nothing.
  const isUnattested = attestation?.isAttested === false && !isUnknown
  const remedies =
    attestation && there && !brought && isUsed !== true ? await remediesOf(node, attestation) : undefined
  const isFast = attestation?.message?.minFinalityThreshold === finality.fast
  return {
    way: 'burn',
    sentAt: burnedAt,
    usualMs: isFast ? attestationMs.fast : attestationMs.standard,
    typicalMs: isFast ? typicalMs.fast : typicalMs.standard,
    isUnknown,
    isAttested: isUnknown ? undefined : attestation?.isAttested,
    unanswered: !attestation && here?.attestation ? hostOf(here.attestation) : undefined,
    isDelivered: brought ? true : (isUsed ?? (isUnattested ? false : undefined)),
    brought,
    ...(remedies && { remedies }),
  }
}

/**
 * What completes a burn. A fast attestation expires at a block of the destination; before, any wallet can deliver it; later it must
 * be attested again.
 */
async function remediesOf(
  node: ChainClient,
  { message, isAttested, reattestUrl }: Attestation,
): Promise<BridgeDelivery['remedies']> {
  const reattest = reattestUrl && reattestCommand(reattestUrl)
  if (!isAttested || !message || (await isExpired(node, message))) return reattest ? { reattest } : undefined
  return { canDeliver: true }
}

/** The command that requests a new attestation. */
export const reattestCommand = (url: string): string => `curl -X POST '${url}'`

/** Whether the attestation of a fast transfer has expired on the destination; false if its node does not answer. */
export async function isExpired(
  node: ChainClient,
  { expirationBlock }: Pick<BurnMessage, 'expirationBlock'>,
): Promise<boolean> {
  if (expirationBlock === 0n) return false
  const head = await undefinedIfUnanswered(withTimeout(node.request<Hex>('eth_blockNumber')))
  return head !== undefined && quantity(head, 'the newest block') > expirationBlock
}

/** Whether a message was delivered, by the contract on the destination. */
export async function isNonceUsed(
  rpc: ChainClient,
  { messageTransmitter }: CctpV2Constants,
  nonce: Hex,
): Promise<boolean> {
  const used = contract(messageTransmitter, abi)<bigint>('usedNonces', nonce)
  return (await askNumber(rpc, used, 'a nonce of the bridge')) !== 0n
}

/** Finds the transaction that delivered a message: searches the destination's logs back to the time of the burn. */
export const mintTransaction = async (
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
          {
            address,
            topics: [eventTopic(abi, 'MessageReceived'), null, nonce],
          },
          (since - maxClockDifferenceMs) / 1_000,
        ),
      ),
    )
  )?.transactionHash
