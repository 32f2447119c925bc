import type { Reading } from '../../chain/reading.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { topicOf } from '../../protocols/shared/event-topics.ts'
import { messageTransmitterV2Abi as abi } from './abi.ts'

/** What is sought: the logs that answer a query, and what a contract says of whether there is one by now. */
export type Sought = {
  query: { address: Address[]; topics: (Hex[] | null)[] }
  isThere: Reading<boolean>
}

/** That a message of the bridge was received: its log, and the word of the contract that it was. */
export const receivedOf = (messageTransmitter: Address, nonce: Hex): Sought => ({
  query: { address: [messageTransmitter], topics: [[topicOf(abi, 'MessageReceived')], null, [nonce]] },
  isThere: {
    reads: [{ address: messageTransmitter, abi, functionName: 'usedNonces', args: [nonce] }],
    parse: ([used]) => used !== undefined && used !== 0n,
  },
})
