import { multicall3Abi } from 'viem'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import type { Address, Hex } from '../domain/address.ts'
import { type Call, decodeAnswer, encodeCall } from './call.ts'
import type { ChainClient } from './chain-client.ts'
import { callAt } from './eth-call.ts'

/**
 * Many reads in one Multicall3 call, at the latest or a given block; a refused or undecodable read is `undefined`. The whole is
 * `undefined` if that address has no Multicall3 at that block. Like viem's `multicall`, but each function selector is hashed once an
 * ABI instead of once a read.
 */
export async function callMulticall(
  rpc: ChainClient,
  multicall3: Address,
  reads: readonly Call[],
  blockNumber?: bigint,
): Promise<unknown[] | undefined> {
  const calls = reads.map((read) => {
    const { to, data } = encodeCall(read)
    return { target: to, allowFailure: true, callData: data }
  })
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  const results = decodeResults(await callAt(rpc, { to: multicall3, data }, blockNumber))
  return (
    results &&
    reads.map((read, at) => {
      const { success, returnData } = results[at] ?? nothing
      return success ? decodeAnswer(read, returnData) : undefined
    })
  )
}

const nothing = { success: false, returnData: '0x' } as const

/** Decodes the result of Multicall3; `undefined` if it is something else. */
function decodeResults(data: Hex): readonly { success: boolean; returnData: Hex }[] | undefined {
  try {
    return decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data })
  } catch {
    return undefined
  }
}
