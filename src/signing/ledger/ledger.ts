import { setTimeout as sleep } from 'node:timers/promises'
import { hexToBytes, keccak256, serializeTransaction } from 'viem/utils'
import { type Address, EvmAddress, type Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { type Advice, advice, sameWith } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { KeyHolder } from '../signer.ts'
import {
  appTooOldError,
  keySourceError,
  type LedgerRequestKind,
  ledgerError,
  noAppOpenError,
} from './errors.ts'
import { type LedgerKit, type LedgerSession, ledgerKit } from './transport.ts'

/** The first account of Ledger Live, and of most wallets. */
export const defaultDerivationPath = "m/44'/60'/0'/0/0"

/**
 * Parses a derivation path such as `m/44'/60'/...`: `'`, `h` and `H` harden, and `m/` is optional. Ledger Live counts in the third
 * place (m/44'/60'/1'/0/0), its legacy accounts in a fourth (m/44'/60'/0'/1), other wallets in the fifth.
 */
export function derivationPath(text: string): string {
  const parts = text.replace(/^m\//, '').split('/')
  const read = parts.map((part) => /^(0|[1-9][0-9]{0,9})(['hH]?)$/.exec(part))
  const isPath =
    parts.length >= 3 &&
    parts.length <= 10 &&
    read.every((one) => one !== null && Number(one[1]) < 2 ** 31) &&
    /^44['hH]\/(60|1)['hH]\//.test(parts.join('/'))
  if (isPath) return `m/${read.map((one) => `${one![1]}${one![2] === '' ? '' : "'"}`).join('/')}`
  throw new AppError('USAGE', `"${sanitizeText(text)}" is not the path of an Ethereum key`, {
    next: advice`For ${defaultDerivationPath}: ${sameWith({ '--ledger': defaultDerivationPath })}${/^(m|[0-9])/.test(text) ? '' : ofOperand(text)}`,
  })
}

/** The line that ran with an operand that was meant, which stood behind the flag. */
const ofOperand = (text: string): Advice =>
  advice`. If ${sanitizeText(text)} is an argument of the command: ${{ ...sameWith({ '--ledger': true }), operands: [text] }}`

/** The key of a device: a derivation path, and an emulator URL instead of USB. */
export type LedgerChoice = { path: string; emulator: string | null }

/** How long a device may take, in ms: to be found and read, and for a person to confirm. */
export type LedgerTimeouts = { readMs: number; signMs: number }

const defaultTimeouts: LedgerTimeouts = { readMs: 20_000, signMs: 180_000 }

/** The first Ethereum app that signs transactions of type 2 (its change log, 1.9.0). */
const oldestAppVersion = [1, 9] as const

/**
 * Opens a key on a Ledger. The device is connected for each request and free in between; `tell` shows the person what to do on it.
 */
export async function openLedger(
  { path, emulator }: LedgerChoice,
  tell: (line: string) => void,
  patience: LedgerTimeouts = defaultTimeouts,
): Promise<KeyHolder> {
  const kit = ledgerKit(emulator)
  const ask = <T>(moment: LedgerRequestKind, ms: number, work: (session: LedgerSession) => Promise<T>) =>
    withDevice(kit, moment, ms, async (session) => {
      await refuseOtherApp(session)
      return work(session)
    })
  const address = await ask('finding', patience.readMs, (session) => addressAt(session, path))
  tell(`Ledger ${path} is ${address}`)
  return {
    address,
    signTransaction: async (signable) => {
      const unsigned = serializeTransaction(signable)
      const { r, s, v } = await ask('signing', patience.signMs, async (session) => {
        const now = await addressAt(session, path)
        if (now !== address)
          throw keySourceError(
            `This Ledger has the address ${now}, not ${address}`,
            'Connect the Ledger that was used before.',
          )
        const isBlind = await session.signsBlindly()
        tell(`Confirm on the Ledger. If it shows a hash, compare it with: ${keccak256(unsigned)}`)
        return session.sign(path, hexToBytes(unsigned)).catch((error: unknown) => {
          throw ledgerError(error, 'signing', isBlind)
        })
      })
      return serializeTransaction(signable, { r: r as Hex, s: s as Hex, yParity: v })
    },
  }
}

/** Runs one device request with a timeout and converts its errors. */
async function withDevice<T>(
  kit: LedgerKit,
  moment: LedgerRequestKind,
  ms: number,
  work: (session: LedgerSession) => Promise<T>,
): Promise<T> {
  const done = new AbortController()
  const over = sleep(ms, undefined, { signal: done.signal }).then(() => {
    throw keySourceError(
      moment === 'signing'
        ? `The request was not confirmed on the Ledger within ${ms / 1_000} s`
        : `The Ledger did not answer within ${ms / 1_000} s`,
      'Reject the request if it is still shown, check that the Ledger is unlocked with its Ethereum app open, and run the same command again.',
    )
  })
  try {
    return await Promise.race([kit.connected(work), over])
  } catch (error) {
    throw ledgerError(error, moment)
  } finally {
    done.abort()
  }
}

async function refuseOtherApp(session: LedgerSession): Promise<void> {
  const { name, version } = await session.app()
  if (name !== 'Ethereum') throw noAppOpenError(name)
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < oldestAppVersion[0] || (major === oldestAppVersion[0] && minor < oldestAppVersion[1]))
    throw appTooOldError(undefined, version)
}

async function addressAt(session: LedgerSession, path: string): Promise<Address> {
  const said = EvmAddress.safeParse(
    await session.address(path).catch((error: unknown) => {
      throw ledgerError(error, 'reading')
    }),
  )
  if (said.success) return said.data
  throw new AppError('KEY_SOURCE', `The Ledger returns no address for ${path}`)
}
