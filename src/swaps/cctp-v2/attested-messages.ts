import { decodeAbiParameters, padHex, parseAbiParameters } from 'viem/utils'
import { type Address, Hash, type Hex, HexData, sameAddress } from '../../domain/address.ts'
import { eventTopic } from '../../protocols/shared/encode-topics.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { messageTransmitterV2Abi as abi } from './abi.ts'
import { attestationServiceError } from './attestation-client.ts'
import type { CctpV2Constants } from './constants-schema.ts'
import { type BurnMessage, decodeMessage, unattestedForm } from './message.ts'

type Log = { address: Address; topics: readonly Hex[]; data: Hex }

/** The messages of burns that a transaction sent, by the events of the bridge in its receipt; `burn` is the same decoded. */
export function sentMessages(
  logs: readonly Log[],
  { messageTransmitter, tokenMessenger }: CctpV2Constants,
): { message: Hex; burn: BurnMessage }[] {
  const topic = eventTopic(abi, 'MessageSent')
  return logs.flatMap(({ address, topics, data }) => {
    if (!sameAddress(address, messageTransmitter) || topics[0] !== topic) return []
    const message = messageIn(data)
    const burn = message === undefined ? undefined : decodeMessage(message)
    const isBurn = burn && sameAddress(burn.sender, padHex(tokenMessenger, { size: 32 }))
    return message !== undefined && isBurn ? [{ message, burn }] : []
  })
}

function messageIn(data: Hex): Hex | undefined {
  try {
    return decodeAbiParameters(parseAbiParameters('bytes message'), data)[0]
  } catch {
    return undefined // Not the event of this contract.
  }
}

/** A message as the service has it: with its attestation once it is complete. `burn` is the attested message, decoded. */
export type ServedMessage = {
  message: Hex
  burn: BurnMessage
  attestation: Hex | undefined
  reattestUrl: string | undefined
}

/**
 * What the attestation service has of the messages that a transaction sent, in the order in which they were sent; `undefined` for one that it
 * does not know. PROVIDER_API_ERROR if it gives no usable answer.
 */
export async function servedMessages(
  getJson: SwapDependencies['getJson'],
  { domain, attestation: base }: CctpV2Constants,
  hash: Hex,
  sent: readonly Hex[],
): Promise<(ServedMessage | undefined)[]> {
  const answer = await getJson(`${base}/v2/messages/${domain}?transactionHash=${hash}`)
  if (answer.status === 404) return sent.map(() => undefined)
  const { messages } = Object(answer.body) as { messages?: unknown }
  if (answer.status !== 200 || !Array.isArray(messages))
    throw attestationServiceError('The attestation service did not answer about the transfer', answer.status)
  const served = messages.flatMap((one): ServedMessage[] => {
    const { message: text, attestation, status, eventNonce } = Object(one) as Record<string, unknown>
    const message = HexData.safeParse(text).data
    const burn = message === undefined || message === '0x' ? undefined : decodeMessage(message)
    const signed = status === 'complete' ? HexData.safeParse(attestation).data : undefined
    const nonce = Hash.safeParse(eventNonce).data
    return message && burn
      ? [{ message, burn, attestation: signed, reattestUrl: nonce && `${base}/v2/reattest/${nonce}` }]
      : []
  })
  // Equal burns of one transaction have equal messages: each counts once.
  return sent.map((message) => {
    const at = served.findIndex((one) => unattestedForm(one.message) === unattestedForm(message))
    return at < 0 ? undefined : served.splice(at, 1)[0]
  })
}
