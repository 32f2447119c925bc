import { decodeEventLog, hexToBigInt, padHex, size, sliceHex } from 'viem/utils'
import { contract } from '../../chain/call.ts'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { eventTopic } from '../../protocols/shared/encode-topics.ts'
import type { EventSearch } from '../provider-dependencies.ts'
import { messageTransmitterV2Abi as abi } from './abi.ts'
import type { BurnFields } from './burn-call.ts'
import type { CctpV2Constants } from './constants-schema.ts'

/** A delivered message: its nonce, and the amount that its recipient received, in the smallest unit. */
type Delivered = { nonce: Hex; minted: bigint }

/** A log of a receipt. */
type Log = { address: Address; topics: readonly Hex[]; data: Hex }

/**
 * The messages of a burn that a transaction delivered, from the MessageReceived events of MessageTransmitterV2: sent by TokenMessenger on
 * `here`, with the burn's token, recipient, amount and sender. Messages of equal burns differ only in their nonces.
 */
export function deliveriesOf(
  burned: BurnFields,
  logs: readonly Log[],
  { here, there }: { here: CctpV2Constants; there: CctpV2Constants },
): Delivered[] {
  return logs.flatMap((log) => {
    const received = sameAddress(log.address, there.messageTransmitter) && decodeReceived(log)
    if (!received || received.sourceDomain !== here.domain) return []
    if (!sameAddress(received.sender, asWord(here.tokenMessenger))) return []
    const { body } = received
    const isAlike =
      sameAddress(wordAt(body, 4), asWord(burned.burnToken)) &&
      sameAddress(wordAt(body, 36), burned.mintRecipient) &&
      hexToBigInt(wordAt(body, 68)) === burned.amount &&
      sameAddress(wordAt(body, 100), asWord(burned.messageSender))
    if (!isAlike) return []
    return [{ nonce: received.nonce, minted: burned.amount - hexToBigInt(wordAt(body, 164)) }]
  })
}

/** The amount that a message delivered, from its log; `undefined` for another log. */
export function deliveredAmountIn(log: Pick<Log, 'topics' | 'data'>): bigint | undefined {
  const received = decodeReceived(log)
  return received && hexToBigInt(wordAt(received.body, 68)) - hexToBigInt(wordAt(received.body, 164))
}

/** The search for a message's delivery: its log, and whether the contract says that its nonce is used. */
export const deliverySearch = (messageTransmitter: Address, nonce: Hex): EventSearch => ({
  query: { address: [messageTransmitter], topics: [[eventTopic(abi, 'MessageReceived')], null, [nonce]] },
  existsRead: {
    reads: [contract(messageTransmitter, abi)('usedNonces', nonce)],
    parse: ([used]) => used !== undefined && used !== 0n,
  },
})

const asWord = (address: Address): Hex => padHex(address, { size: 32 })

/** The length of a burn message without hook data, in bytes (this and the offsets: BurnMessageV2.sol). */
const bodySize = 228

const wordAt = (body: Hex, at: number): Hex => sliceHex(body, at, at + 32)

function decodeReceived({ topics, data }: Pick<Log, 'topics' | 'data'>) {
  try {
    const { args } = decodeEventLog({
      abi,
      eventName: 'MessageReceived',
      topics: [...topics] as [Hex, ...Hex[]],
      data,
    })
    const { sourceDomain, nonce, sender, messageBody: body } = args
    return size(body) < bodySize ? undefined : { sourceDomain, nonce, sender, body }
  } catch {
    // Another event of the same contract.
    return undefined
  }
}
