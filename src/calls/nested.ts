import { decodeFunctionData, parseAbi } from 'viem/utils'

import type { Hex } from '../domain/address.ts'
import { authoritySelectors } from './authority.ts'

/** Calls that carry other calls. What they carry is looked into; anything else inside is judged by its selector alone. */
const containers = parseAbi([
  'function multicall(bytes[] data)',
  'function multicall(uint256 deadline, bytes[] data)',
  'function multicall(bytes32 previousBlockhash, bytes[] data)',
])

/** How deep calls may be nested in calls before nobody looks into them any more. */
const maxDepth = 5

/** The calls inside a call, or none where it is no container. */
function inside(data: Hex): readonly Hex[] {
  try {
    return decodeFunctionData({ abi: containers, data }).args.at(-1) as readonly Hex[]
  } catch {
    return [] // Not one of the containers: there is nothing inside that could be told.
  }
}

/** The signature of the first call inside calldata that hands over power, however deep; `undefined` where there is none. */
export function powerInside(data: Hex, depth = 0): string | undefined {
  if (depth === maxDepth) return undefined
  for (const call of inside(data)) {
    const selector = call.slice(0, 10).toLowerCase() as Hex
    const power = powerInside(call, depth + 1) ?? authoritySelectors[selector]
    if (power !== undefined) return power
  }
  return undefined
}
