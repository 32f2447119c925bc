import { concatHex, numberToHex } from 'viem/utils'
import type { Hex } from '../../domain/address.ts'
import type { SwapPath } from '../fee-tier-paths.ts'

/** Packs a path for router and quoter: token (20 bytes), fee (3), token, ... For an exact output, the path is reversed. */
export const packPath = ({ tokens, fees }: SwapPath, exact: 'in' | 'out' = 'in'): Hex => {
  const parts = tokens.flatMap((token, i) => {
    const fee = fees[i]
    return fee === undefined ? [token] : [token, numberToHex(fee, { size: 3 })]
  })
  return concatHex(exact === 'in' ? parts : parts.reverse()).toLowerCase() as Hex
}
