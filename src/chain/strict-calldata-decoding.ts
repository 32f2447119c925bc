import type { Abi, AbiFunction, DecodeFunctionDataReturnType, EncodeFunctionDataParameters } from 'viem'
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

/** A call of one function, and the bytes after its arguments, which the function ignores; `0x` without any. */
export type CallWithRest = { args: readonly unknown[]; rest: Hex }

/**
 * Decodes calldata as a call of a function, followed by any bytes. `undefined` if it is a call of another function, or if its arguments are
 * encoded in another way than an ABI encoder does: then no figure in it is certain.
 */
export function decodeWithRest(item: AbiFunction, given: Hex): CallWithRest | undefined {
  try {
    const data = given.toLowerCase() as Hex
    const args = (decodeFunctionData({ abi: [item], data }).args ?? []) as readonly unknown[]
    const again = encodeFunctionData({ abi: [item], functionName: item.name, args })
    return data.startsWith(again) ? { args, rest: `0x${data.slice(again.length)}` } : undefined
  } catch {
    return undefined // Not a call of this function: the caller says that it is not decoded.
  }
}

/** Decoded arguments as JSON. */
export const jsonArguments = (args: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)]))
