import { concatHex, getAddress, numberToHex, size, sliceHex } from 'viem/utils'
import type { Address, Hex } from '../../domain/address.ts'
import type { SwapPath } from '../fee-tier-paths.ts'

/** Packs a path for router and quoter: token (20 bytes), fee (3), token, ... For an exact output, the path is reversed. */
export const packPath = ({ tokens, fees }: SwapPath, exact: 'in' | 'out' = 'in'): Hex => {
  const parts = tokens.flatMap((token, i) => {
    const fee = fees[i]
    return fee === undefined ? [token] : [token, numberToHex(fee, { size: 3 })]
  })
  return concatHex(exact === 'in' ? parts : parts.reverse()).toLowerCase() as Hex
}

/** Unpacks a path, from the first token to the last; `undefined` if it is malformed. */
export function unpackPath(path: Hex, exact: 'in' | 'out'): SwapPath | undefined {
  const bytes = size(path)
  if (bytes < 43 || (bytes - 20) % 23 !== 0) return undefined
  const tokens: Address[] = []
  const fees: number[] = []
  for (let at = 0; at < bytes; at += 23) {
    tokens.push(getAddress(sliceHex(path, at, at + 20)))
    if (at + 20 < bytes) fees.push(Number(sliceHex(path, at + 20, at + 23)))
  }
  return exact === 'in' ? { tokens, fees } : { tokens: tokens.reverse(), fees: fees.reverse() }
}
