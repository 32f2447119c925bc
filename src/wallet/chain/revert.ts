import type { Abi } from 'viem'
import { decodeErrorResult, parseAbi } from 'viem/utils'

import type { Hex } from '../../domain/address.ts'
import { plain } from '../../domain/text.ts'
import { meanings } from './errors/meanings.ts'
import { otherErrors } from './errors/others.ts'
import { poolErrors } from './errors/pools.ts'
import { vaultErrors } from './errors/vaults.ts'

/** The signature of a known error by its selector, in lower case. */
const signatureOf = (selector: string): string | undefined => {
  const known = selector as Hex
  return poolErrors[known] ?? vaultErrors[known] ?? otherErrors[known]
}

/** Why a call reverted, in words. `data` is what it returned, if anything; `message` is what the node says about it. */
export function revertReason(data: Hex | undefined, message = ''): string {
  if (data === undefined || data === '0x') return message === '' ? 'it gave no reason' : plain(message)
  const signature = signatureOf(data.slice(0, 10).toLowerCase())
  try {
    return told(data, signature)
  } catch {
    return signature === undefined
      ? `it threw an error of a kind not known here (${data.slice(0, 10)})`
      : worded(signature.slice(0, signature.indexOf('(')), [])
  }
}

/** What an error says: words as they are, an error of a type by its name, and what it passes on by what that says. */
function told(data: Hex, signature: string | undefined): string {
  const abi: Abi = signature === undefined ? [] : parseAbi([`error ${signature}`] as readonly string[])
  const { errorName, args } = decodeErrorResult({ abi, data })
  const values = (args ?? []) as readonly unknown[]
  if (errorName === 'Panic')
    return `it stopped at an internal check (panic 0x${BigInt(String(values[0])).toString(16)})`
  if (errorName === 'Error') return worded(plain(String(values[0])), [])
  const passedOn = values[typesOf(signature).indexOf('bytes')]
  // Four bytes are the least that an error has.
  if (typeof passedOn === 'string' && passedOn.length >= 10)
    return `${errorName}: ${revertReason(passedOn as Hex)}`
  return worded(errorName, values)
}

/** The types of what an error carries. */
const typesOf = (signature = '()'): string[] => signature.slice(signature.indexOf('(') + 1, -1).split(',')

function worded(said: string, args: readonly unknown[]): string {
  const shown = args.length === 0 ? said : `${said}(${args.map(String).join(', ')})`
  const meaning = meanings[shown] ?? meanings[said]
  return meaning === undefined ? shown : `${meaning} (${shown})`
}
