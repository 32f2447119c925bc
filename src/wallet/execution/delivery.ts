import { encodeEventTopics, encodeFunctionData } from 'viem/utils'

import { type Burned, burnedBy, deliveriesOf } from '../../calls/cctp-delivery.ts'
import { messageTransmitterV2Abi as abi, finality } from '../../calls/cctp-v2.ts'
import { type Hex, sameAddress } from '../../domain/address.ts'
import type { CctpV2Constants } from '../../domain/catalog.ts'
import { hexQuantity, quantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Arrival, Leg, Operation } from '../../store/operation.ts'
import { logBack } from '../chain/log-back.ts'
import { ifAnswered, within } from '../chain/within.ts'
import type { Ground } from '../ground.ts'
import { amountArrived } from './arrival.ts'
import { attestationOf } from './attestation.ts'
import { standing } from './standing.ts'
import { type Found, findOnChain } from './watch.ts'

/** A leg that waits for what a burn on another chain sends to it. */
export type Awaited = {
  leg: Leg & { arrival: Arrival }
  burn: { chainId: number; hash: Hex; blockNumber: number; burned: Burned | undefined }
}

/** The longest that an attestation takes when all is well, in ms: before the source block is final, and after. */
export const usualMs = { fast: 10 * 60_000, standard: 60 * 60_000 }

/**
 * What is known of funds on a bridge that burns and mints; `undefined` is what nobody could be asked about. `isUnknown` where the
 * attestation service does not know a burn that it should know by now: that says nothing of what became of it. `burnedAt` is epoch ms.
 * `brought` is the transaction that delivered them by the bridge's own event for the burn, and what came in it; `alike` counts the messages in it
 * that only their nonces tell from that of the burn, its own included.
 */
export type Delivery = {
  burnedAt: number | undefined
  isUnknown: boolean
  isAttested: boolean | undefined
  isFast: boolean
  isMinted: boolean | undefined
  brought: { found: Found; amount: bigint; alike: number } | undefined
}

/** Whether a leg of an operation waits for what an earlier one sends to it. */
export const isAwaiting = ({ legs }: Pick<Operation, 'legs'>): boolean =>
  legs.some(({ arrival }) => arrival !== null && arrival.hash === null)

/** What an operation waits for on another chain, once that is sent for good, by its journal alone. */
export function awaitedOf(operation: Operation): Awaited | undefined {
  const leg = operation.legs.find(({ arrival }) => arrival !== null && arrival.hash === null)
  const sent = standing(operation).findLast((step) => leg && step.leg < leg.leg && step.role === 'action')
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
export async function deliveryOf(
  { rpc, catalog, now }: Pick<Ground, 'rpc' | 'catalog' | 'now'>,
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
    const found = await ifAnswered(within(findOnChain(node, hash)))
    if (!found?.ok || !here || !there || !burn.burned) return undefined
    const alike = deliveriesOf(burn.burned, found.logs, { here, there })
    const own = nonce === undefined ? alike[0] : alike.find((one) => sameAddress(one.nonce, nonce))
    if (!own || (nonce === undefined && !(await isAfter(node, found, burnedAt)))) return undefined
    // What the event says was minted, and no more of it than the token says that it moved.
    const arrived = amountArrived(found, leg.arrival)
    return { found, amount: arrived < own.minted ? arrived : own.minted, alike: alike.length }
  }
  const named = told === null ? undefined : await look(told)
  const isUsed =
    nonce && there && !named ? await ifAnswered(within(isNonceUsed(node, there, nonce))) : undefined
  const hash = isUsed && nonce && there ? await mintOf(node, there, nonce, burnedAt ?? 0) : undefined
  const brought = named ?? (hash && (await look(hash)))
  const isOld = burnedAt !== undefined && now() - burnedAt > usualMs.standard
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
async function isAfter(rpc: Rpc, { blockNumber }: Found, burnedAt: number | undefined): Promise<boolean> {
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
    await ifAnswered(
      within(logBack(rpc, { address, topics: [received, null, nonce] }, (since - clocksDiffer) / 1_000)),
    )
  )?.transactionHash

/** When a block was made, in epoch ms; `undefined` where its chain does not say. */
async function timeOf(rpc: Rpc, blockNumber: number): Promise<number | undefined> {
  const asked = rpc.request<{ timestamp?: string } | null>('eth_getBlockByNumber', [
    hexQuantity(blockNumber),
    false,
  ])
  const { timestamp } = (await ifAnswered(within(asked))) ?? {}
  return timestamp === undefined ? undefined : 1_000 * Number(timestamp)
}
