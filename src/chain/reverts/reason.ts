import type { Abi } from 'viem'
import { decodeErrorResult, parseAbi } from 'viem/utils'
import type { Hex } from '../../domain/address.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { poolErrors } from './lending-errors.ts'
import { meanings } from './meanings.ts'
import { stakingAndSwapErrors } from './staking-and-swap-errors.ts'
import { vaultErrors } from './vault-errors.ts'

/** The signature of a known error by its selector, in lower case. */
const signatureOf = (selector: string): string | undefined => {
  const table = [poolErrors, vaultErrors, stakingAndSwapErrors].find((errors) =>
    Object.hasOwn(errors, selector),
  )
  return table?.[selector as Hex]
}

/** How many nested errors are decoded. */
const maxNestedErrors = 4

/** The longest reason in characters, and the most bytes of return data that are decoded. */
const limits = { characters: 1_000, bytes: 16_384 }

/**
 * The reason of a revert in words. `data` is the return data, `message` the node's text. Both are untrusted, so length and work are
 * limited.
 */
export function revertReason(data: Hex | undefined, message = ''): string {
  const reason = reasonOf(data, message, 0)
  return reason.length > limits.characters ? `${reason.slice(0, limits.characters)}…` : reason
}

function reasonOf(data: Hex | undefined, message: string, passed: number): string {
  if (data === undefined || data === '0x')
    return message === '' ? 'it gave no reason' : sanitizeText(message.slice(0, 2 * limits.characters))
  const signature = signatureOf(data.slice(0, 10).toLowerCase())
  try {
    if (data.length > 2 * limits.bytes) throw new Error('a reason too long to decode')
    return errorText(data, signature, passed)
  } catch {
    return signature === undefined
      ? `it reverted with an unknown error (${data.slice(0, 10)})`
      : worded(signature.slice(0, signature.indexOf('(')), [])
  }
}

/** The words of an error: a message as it is, a custom error by name, a nested error by its own words. */
function errorText(data: Hex, signature: string | undefined, passed: number): string {
  const abi: Abi = signature === undefined ? [] : parseAbi([`error ${signature}`] as readonly string[])
  const { errorName, args } = decodeErrorResult({ abi, data })
  const values = (args ?? []) as readonly unknown[]
  if (errorName === 'Panic')
    return `it failed an internal check (panic 0x${BigInt(String(values[0])).toString(16)})`
  if (errorName === 'Error') return worded(sanitizeText(String(values[0])), [])
  const passedOn = values[typesOf(signature).indexOf('bytes')]
  // An error has at least four bytes.
  if (typeof passedOn === 'string' && passedOn.length >= 10 && passed < maxNestedErrors)
    return `${errorName}: ${reasonOf(passedOn as Hex, '', passed + 1)}`
  return worded(errorName, values)
}

/** The argument types of an error signature. */
const typesOf = (signature = '()'): string[] => signature.slice(signature.indexOf('(') + 1, -1).split(',')

function worded(said: string, args: readonly unknown[]): string {
  const shown = args.length === 0 ? said : `${said}(${args.map(String).join(', ')})`
  const [meaning] = [shown, said].flatMap((one) => (Object.hasOwn(meanings, one) ? [meanings[one]] : []))
  return meaning === undefined ? shown : `${meaning} (${shown})`
}
