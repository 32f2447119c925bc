import { encodeEventTopics, encodeFunctionData } from 'viem/utils'

import { decodeMessage, finality, messageTransmitterV2Abi } from '../../calls/cctp-v2.ts'
import { Hash, type Hex, HexData } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { CctpV2Constants } from '../../domain/catalog.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/network-named.ts'
import { tokenAt } from '../../domain/token.ts'
import { getJson } from '../../net/http.ts'
import { hexQuantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Arrival, JournalEvent, Operation } from '../../store/operation.ts'
import { amountArrived } from '../execution/arrival.ts'
import { blockNumber, findOnChain } from '../execution/watch.ts'
import type { Ground } from '../ground.ts'
import { type BridgeFacts, type StepFacts, wentWell } from './facts.ts'
import { within } from './look.ts'

/** The longest that an attestation takes when all is well, in ms: before the source block is final, and after. */
const usual = { fast: 10 * 60_000, standard: 60 * 60_000 }

/** How many of the newest blocks are looked through for a delivery that nobody names. */
const mostBlocks = 5_000

/** Where funds are that a later leg waits for; `undefined` while nothing is on a bridge. `told` is the hash that the service names. */
export async function lookAtBridge(
  { rpc, catalog }: Ground,
  operation: Operation,
  steps: readonly StepFacts[],
  events: readonly JournalEvent[],
  told: string | null,
): Promise<BridgeFacts | undefined> {
  const leg = operation.legs.find(({ arrival }) => arrival !== null && arrival.hash === null)
  const before = steps.filter(({ step }) => leg !== undefined && step.leg < leg.leg)
  const sent = before.findLast(({ step }) => step.role === 'action')
  const burn = sent && (sent.step.inclusion?.hash ?? sent.seen?.found?.hash)
  if (!leg?.arrival || !sent || burn === undefined || !wentWell(sent)) return undefined
  const { chainId } = sent.step.transaction
  const [here, there] = [chainId, leg.chainId].map((id) => catalog.cctpV2.find((one) => one.chainId === id))
  const service = here?.attestation ?? catalog.attestation
  const message = service && here ? await attested(service, here, burn) : undefined
  const found =
    Hash.safeParse(told).data ??
    (message?.text && there ? await mintOf(rpc(leg.chainId), there, message.text) : undefined)
  const isFast = message?.text ? decodeMessage(message.text)?.minFinalityThreshold === finality.fast : false
  return {
    from: networkNamed(catalog.networks, chainId),
    to: networkNamed(catalog.networks, leg.chainId),
    burn,
    since:
      events.findLast(({ index, becomes }) => index === sent.step.index && becomes === 'FINAL_OK')?.at ??
      operation.updated,
    usualMs: isFast ? usual.fast : usual.standard,
    isAttested: message?.isAttested,
    delivered: found && (await broughtBy(rpc(leg.chainId), found, leg.arrival, catalog, leg.chainId)),
  }
}

/** What the attestation service has for a burn; `undefined` where it cannot be asked. */
async function attested(
  base: string,
  { domain }: CctpV2Constants,
  burn: Hex,
): Promise<{ isAttested: boolean; text?: Hex } | undefined> {
  try {
    const answer = await getJson(`${base}/v2/messages/${domain}?transactionHash=${burn}`, {
      deadlineMs: 5_000,
    })
    if (answer.status === 404) return { isAttested: false }
    const { messages } = (answer.body ?? {}) as { messages?: { status?: unknown; message?: unknown }[] }
    const [first] = messages ?? []
    const text = HexData.safeParse(first?.message).data
    return { isAttested: first?.status === 'complete', ...(text !== undefined && text !== '0x' && { text }) }
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('SERVICE_')) return undefined
    throw error
  }
}

/** The transaction that delivered a message, by the events of the other end. */
async function mintOf(
  rpc: Rpc,
  { messageTransmitter: address }: CctpV2Constants,
  message: Hex,
): Promise<Hex | undefined> {
  const nonce = decodeMessage(message)?.nonce
  if (nonce === undefined) return undefined
  const abi = messageTransmitterV2Abi
  try {
    const data = encodeFunctionData({ abi, functionName: 'usedNonces', args: [nonce] })
    const used = await rpc.request<string>('eth_call', [{ to: address, data }, 'latest'])
    if (BigInt(used) === 0n) return undefined
    const [topic] = encodeEventTopics({ abi, eventName: 'MessageReceived' })
    const fromBlock = hexQuantity(Math.max(0, (await blockNumber(rpc)) - mostBlocks))
    const [log] = await rpc.request<{ transactionHash: Hex }[]>('eth_getLogs', [
      { address, topics: [topic, null, nonce], fromBlock },
    ])
    return log?.transactionHash
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('RPC_')) return undefined
    throw error
  }
}

async function broughtBy(
  rpc: Rpc,
  hash: Hex,
  arrival: Arrival,
  { tokens }: Ground['catalog'],
  chainId: number,
): Promise<BridgeFacts['delivered']> {
  const found = await within(findOnChain(rpc, hash)).catch((error: unknown) => {
    if (error instanceof AppError && error.code.startsWith('RPC_')) return undefined
    throw error
  })
  if (!found?.ok) return undefined
  const brought = amountArrived(found, arrival)
  const token = tokenAt(tokens, chainId, arrival.token)
  const { minimum } = arrival
  return { hash, brought, minimum, text: token ? formatAmount(brought, token) : String(brought) }
}
