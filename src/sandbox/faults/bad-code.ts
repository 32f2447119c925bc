import { concatHex, encodeErrorResult, numberToHex, parseAbi, size } from 'viem/utils'

import type { Hex } from '../../domain/address.ts'

const errors = parseAbi(['error Error(string reason)'])

/** Code that reverts whatever is called, with a reason as `require` gives it. */
export function revertingCode(reason: string): Hex {
  const data = encodeErrorResult({ abi: errors, errorName: 'Error', args: [reason] })
  const length = numberToHex(size(data), { size: 2 })
  // PUSH2 length, PUSH2 15, PUSH1 0, CODECOPY, PUSH2 length, PUSH1 0, REVERT: fifteen bytes, and then the reason.
  return concatHex(['0x61', length, '0x61000f60003961', length, '0x6000fd', data])
}

/** Code that goes round in a circle until the gas is over: JUMPDEST, PUSH1 0, JUMP. */
export const endlessCode: Hex = '0x5b600056'
