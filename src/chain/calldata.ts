import type { Abi, DecodeFunctionDataReturnType, EncodeFunctionDataParameters } from 'viem'
import { decodeFunctionData, encodeFunctionData } from 'viem/utils'
import type { Hex } from '../domain/address.ts'

/**
 * Calldata as a call of one of these functions, only if writing the call down again gives the same bytes: no trailing
 * bytes, no dirty padding, no second way to say it. `undefined` otherwise.
 */
export function strictDecode<const abi extends Abi>(
  abi: abi,
  given: Hex,
): DecodeFunctionDataReturnType<abi> | undefined {
  try {
    // Hex is hex in whatever case it is written.
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

/** Arguments as JSON prints them. */
export const jsonArguments = (args: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)]))
