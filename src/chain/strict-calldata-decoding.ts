import type { Abi, DecodeFunctionDataReturnType, EncodeFunctionDataParameters } from 'viem'
import { decodeFunctionData, encodeFunctionData } from 'viem/utils'
import type { Hex } from '../domain/address.ts'

/**
 * Decodes calldata as a call of one of these functions, only if encoding it again gives the same bytes: no trailing bytes, dirty
 * padding or alternative encoding. `undefined` otherwise.
 */
export function strictDecode<const abi extends Abi>(
  abi: abi,
  given: Hex,
): DecodeFunctionDataReturnType<abi> | undefined {
  try {
    // The case of hex is irrelevant.
    const data = given.toLowerCase() as Hex
    const call = decodeFunctionData({ abi: abi as Abi, data })
    const again = encodeFunctionData({
      abi: abi as Abi,
      functionName: call.functionName,
      args: call.args ?? [],
    } as EncodeFunctionDataParameters)
    return again === data ? (call as DecodeFunctionDataReturnType<abi>) : undefined
  } catch {
    return undefined // Not a call of these functions at all: the caller names the refusal.
  }
}

/** Decoded arguments as JSON. */
export const jsonArguments = (args: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)]))
