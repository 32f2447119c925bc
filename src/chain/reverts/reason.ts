import type { Abi } from 'viem'
import { decodeErrorResult, parseAbi } from 'viem/utils'
import type { Hex } from '../../domain/address.ts'
import { plain } from '../../domain/text.ts'
import { poolErrors } from './lending-errors.ts'
import { meanings } from './meanings.ts'
import { otherErrors } from './other-errors.ts'
import { vaultErrors } from './vault-errors.ts'

/** The signature of a known error by its selector, in lower case. */
const signatureOf = (selector: string): string | undefined => {
  const table = [poolErrors, vaultErrors, otherErrors].find((errors) => Object.hasOwn(errors, selector))
  return table?.[selector as Hex]
}

/** So many errors inside each other are told; who passes on more of them says nothing with it. */
const mostPassedOn = 4

/** So many characters of a reason are told, and so many bytes of what was returned are read. */
const most = { characters: 1_000, bytes: 16_384 }

/**
 * Why a call reverted, in words. `data` is what it returned, if anything; `message` is what the node says about it. Both may come from
 * anybody, so what is told of them has an end, and so has the time that it takes.
 */
export function revertReason(data: Hex | undefined, message = ''): string {
  const reason = reasonOf(data, message, 0)
  return reason.length > most.characters ? `${reason.slice(0, most.characters)}…` : reason
}

function reasonOf(data: Hex | undefined, message: string, passed: number): string {
  if (data === undefined || data === '0x')
    return message === '' ? 'it gave no reason' : plain(message.slice(0, 2 * most.characters))
  const signature = signatureOf(data.slice(0, 10).toLowerCase())
  try {
    if (data.length > 2 * most.bytes) throw new Error('too much to be a reason')
    return told(data, signature, passed)
  } catch {
    return signature === undefined
      ? `it threw an error of a kind not known here (${data.slice(0, 10)})`
      : worded(signature.slice(0, signature.indexOf('(')), [])
  }
}

/** What an error says: words as they are, an error of a type by its name, and what it passes on by what that says. */
function told(data: Hex, signature: string | undefined, passed: number): string {
  const abi: Abi = signature === undefined ? [] : parseAbi([`error ${signature}`] as readonly string[])
  const { errorName, args } = decodeErrorResult({ abi, data })
  const values = (args ?? []) as readonly unknown[]
  if (errorName === 'Panic')
    return `it stopped at an internal check (panic 0x${BigInt(String(values[0])).toString(16)})`
  if (errorName === 'Error') return worded(plain(String(values[0])), [])
  const passedOn = values[typesOf(signature).indexOf('bytes')]
  // Four bytes are the least that an error has.
  if (typeof passedOn === 'string' && passedOn.length >= 10 && passed < mostPassedOn)
    return `${errorName}: ${reasonOf(passedOn as Hex, '', passed + 1)}`
  return worded(errorName, values)
}

/** The types of what an error carries. */
const typesOf = (signature = '()'): string[] => signature.slice(signature.indexOf('(') + 1, -1).split(',')

function worded(said: string, args: readonly unknown[]): string {
  const shown = args.length === 0 ? said : `${said}(${args.map(String).join(', ')})`
  const [meaning] = [shown, said].flatMap((one) => (Object.hasOwn(meanings, one) ? [meanings[one]] : []))
  return meaning === undefined ? shown : `${meaning} (${shown})`
}
