import { type Abi, type Client, multicall3Abi, prepareEncodeFunctionData } from 'viem'
import { call } from 'viem/actions'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import type { Address, Hex } from '../domain/address.ts'
import type { Answer, Read } from './reading.ts'

/**
 * Many reads in one call of Multicall3, at the latest block or the one given; what a contract refuses, or answers with what is no
 * such value, is `undefined`. As viem's own `multicall`, but the selector of a function is hashed once a call and not once a read, which
 * is most of the time that hundreds of reads take.
 */
export async function callMulticall(
  client: Client,
  multicall3: Address,
  reads: readonly Read[],
  blockNumber?: bigint,
): Promise<Answer[]> {
  const prepared = preparing()
  const calls = reads.map((read) => {
    const { abi, functionName } = prepared(read)
    const callData = encodeFunctionData({ abi, functionName, args: read.args })
    return { target: read.address, allowFailure: true, callData }
  })
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  const { data: answer = '0x' } = await call(client, {
    to: multicall3,
    data,
    ...(blockNumber !== undefined && { blockNumber }),
  })
  const results = answersIn(answer)
  return reads.map((read, at) => {
    const { success, returnData } = results[at] ?? nothing
    if (!success) return undefined
    try {
      return decodeFunctionResult({
        abi: prepared(read).abi,
        functionName: read.functionName,
        args: read.args,
        data: returnData,
      })
    } catch {
      // Whatever is at that address, it is not the contract that was meant.
      return undefined
    }
  })
}

const nothing = { success: false, returnData: '0x' } as const

/** What Multicall3 gives back; nothing where there is something else, or nothing at all, in its place. */
function answersIn(data: Hex): readonly { success: boolean; returnData: Hex }[] {
  try {
    return decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data })
  } catch {
    return []
  }
}

/** The one function that a read calls, as an ABI of its own with its selector in the place of its name; by its arguments where a name has several. */
function preparing() {
  const known = new Map<Abi, Map<string, { abi: Abi; functionName: string }>>()
  return ({ abi, functionName, args }: Read): { abi: Abi; functionName: string } => {
    const of = known.get(abi) ?? new Map<string, { abi: Abi; functionName: string }>()
    known.set(abi, of)
    const isOverloaded = abi.filter((item) => 'name' in item && item.name === functionName).length > 1
    const found = isOverloaded ? undefined : of.get(functionName)
    if (found) return found
    const made = prepareEncodeFunctionData({ abi, functionName, args } as never) as {
      abi: Abi
      functionName: string
    }
    of.set(functionName, made)
    return made
  }
}
