import { decodeEventLog, sliceHex } from 'viem/utils'

import type { Hex } from '../domain/address.ts'
import { messageTransmitterV2Abi } from './cctp-v2.ts'

/** Where the amount and the fee that was kept stand in a burn (BurnMessageV2.sol). */
const [amountAt, feeExecutedAt] = [68, 164]

/** What a message brought to its recipient, by the bridge's own log of its delivery; `undefined` where the log says nothing of that. */
export function broughtIn({ topics, data }: { topics: readonly Hex[]; data: Hex }): bigint | undefined {
  try {
    const { args } = decodeEventLog({
      abi: messageTransmitterV2Abi,
      eventName: 'MessageReceived',
      topics: topics as [Hex, ...Hex[]],
      data,
    })
    const [amount, fee] = [amountAt, feeExecutedAt].map((at) =>
      BigInt(sliceHex(args.messageBody, at, at + 32, { strict: true })),
    )
    return amount! - fee!
  } catch {
    return undefined
  }
}
