import { decodeEventLog, encodeEventTopics, encodePacked, keccak256 } from 'viem/utils'
import type { ChainClient } from '../../chain/chain-client.ts'
import { readHeader } from '../../chain/head.ts'
import type { Hex } from '../../domain/address.ts'
import type { CctpV2Constants } from '../../swaps/cctp-v2/constants-schema.ts'
import { ownContract } from '../genesis/artifacts.ts'
import { type NodeBlock, newestBlock } from '../node-reads.ts'

/** One end of the bridge, and the node of its chain. */
export type BridgeEnd = { bridge: CctpV2Constants; rpc: ChainClient }

/** A message sent from one end. */
export type SentMessage = { txHash: Hex; nonce: Hex; message: Hex; seenAt: number }

/** The messages in the logs of one end; rebuilt from the first block after a reorganisation or reset. */
export type MessageLog = {
  sent: SentMessage[]
  received: Map<Hex, { finality: number; body: Hex }>
  head: bigint
}

type Log = { data: Hex; topics: [Hex, ...Hex[]]; transactionHash: Hex; logIndex: Hex }

/** Follows one end. Each call of the returned function reads the new blocks and returns the log. */
export function followBridgeEnd({ bridge, rpc }: BridgeEnd, now: () => number): () => Promise<MessageLog> {
  const { abi } = ownContract('MessageTransmitterV2')
  const topics = ['MessageSent', 'MessageReceived'].map(
    (eventName) => encodeEventTopics({ abi, eventName })[0],
  )
  const empty = (): MessageLog => ({ sent: [], received: new Map(), head: -1n })
  let ledger = empty()
  let last: NodeBlock | undefined

  const add = (log: Log): void => {
    const { eventName, args } = decodeEventLog({ abi, ...log }) as unknown as {
      eventName: string
      args: { message: Hex; nonce: Hex; finalityThresholdExecuted: number; messageBody: Hex }
    }
    if (eventName === 'MessageReceived')
      ledger.received.set(args.nonce, {
        finality: args.finalityThresholdExecuted,
        body: args.messageBody,
      })
    else
      ledger.sent.push({
        txHash: log.transactionHash,
        // Derived from the log position, so that the same burn always has the same nonce.
        nonce: keccak256(
          encodePacked(
            ['uint32', 'bytes32', 'uint256'],
            [bridge.domain, log.transactionHash, BigInt(log.logIndex)],
          ),
        ),
        message: args.message,
        seenAt: now(),
      })
  }

  return async () => {
    const latest = await newestBlock(rpc)
    if (latest.hash === last?.hash) return ledger
    const stillThere = last && (await readHeader(rpc, last.number))?.hash === last.hash
    if (!stillThere) ledger = empty()
    const logs = await rpc.request<Log[]>('eth_getLogs', [
      {
        address: bridge.messageTransmitter,
        topics: [topics],
        fromBlock: stillThere ? `0x${(BigInt(last!.number) + 1n).toString(16)}` : '0x0',
        toBlock: latest.number,
      },
    ])
    for (const log of logs) add(log)
    ledger.head = BigInt(latest.number)
    last = latest
    return ledger
  }
}
