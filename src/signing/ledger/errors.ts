import { AppError } from '../../domain/errors.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'

/** What the device was asked when it failed: to be found, to be read, or to sign. */
export type LedgerRequestKind = 'finding' | 'reading' | 'signing'

const openAppHint = 'Unlock the Ledger, open its Ethereum app, and run the same command again.'

/** A KEY_SOURCE error with its next step. */
export const keySourceError = (message: string, hint: string, cause?: unknown): AppError =>
  new AppError('KEY_SOURCE', message, { next: hint, cause })

/** The error for a device without an open Ethereum app. */
export const noAppOpenError = (name: string, cause?: unknown): AppError =>
  keySourceError(
    name === 'BOLOS' || name === ''
      ? 'The Ethereum app of the Ledger is closed'
      : `The Ledger has the app ${sanitizeText(name)} open, not Ethereum`,
    'Open the Ethereum app on the Ledger, and run the same command again.',
    cause,
  )

const locked = (cause: unknown) => keySourceError('The Ledger is locked', openAppHint, cause)
const declined = (cause: unknown) =>
  new AppError('DECLINED', 'The request was rejected on the Ledger', { cause })

/** The error for a status word of the app (ISO 7816 and the Ethereum app's own); `undefined` if unknown. */
function statusError(word: string, moment: LedgerRequestKind, isBlind: boolean, cause: unknown) {
  switch (word) {
    case '5515':
    case '6804':
    case '6b0c':
      return locked(cause)
    case '6982':
      return moment === 'signing' ? declined(cause) : locked(cause)
    case '5501':
    case '6985':
      return declined(cause)
    case '6d00':
    case '6e00':
    case '6e01':
    case '6511':
      return noAppOpenError('', cause)
    case '6501':
      return appTooOldError(cause)
    case '6a80':
      if (moment !== 'signing') return undefined
      return isBlind
        ? keySourceError(
            'The Ethereum app of the Ledger does not accept this transaction (0x6a80)',
            'Update the Ethereum app in Ledger Live, and do the same again.',
            cause,
          )
        : keySourceError(
            'The Ledger does not sign contract calls while blind signing is off',
            'On the Ledger, in the Ethereum app: Settings, Blind signing, Enabled. Then run the same command again.',
            cause,
          )
    default:
      return undefined
  }
}

/** The error for an app without transactions of type 2. */
export const appTooOldError = (cause?: unknown, version?: string): AppError =>
  keySourceError(
    `The Ethereum app of the Ledger${version === undefined ? '' : ` is ${sanitizeText(version)}, which`} does not support EIP-1559 transactions`,
    'Update the Ethereum app in Ledger Live to 1.9.0 or newer, and do the same again.',
    cause,
  )

const isGone = /Disconnect|Reconnection|NotInitialized|SendApduEmptyResponse/i
const isAbsent = /NoAccessibleDevice|DeviceNotRecognized|UnknownDeviceError|EmptyError/i

/** Converts what the device library threw into an error with a next step. `isBlind`: the app signs what it cannot display. */
export function ledgerError(thrown: unknown, moment: LedgerRequestKind, isBlind = true): AppError {
  if (thrown instanceof AppError) return thrown
  const { _tag, name, message, originalError, ...said } = Object(thrown) as Record<string, unknown>
  // The library wraps a status that it does not know.
  const errorCode = said.errorCode ?? (Object(originalError) as Record<string, unknown>).errorCode
  const word = typeof errorCode === 'string' ? errorCode.replace(/^0x/, '').toLowerCase() : undefined
  const known = word === undefined ? undefined : statusError(word, moment, isBlind, thrown)
  if (known) return known
  if (word !== undefined)
    return keySourceError(
      `The Ledger answered 0x${sanitizeText(word)}, which this version does not know`,
      openAppHint,
      thrown,
    )
  const tag = String(_tag ?? name ?? '')
  if (isAbsent.test(tag))
    return keySourceError(
      'No usable Ledger was found',
      'Connect it by USB, unlock it and open its Ethereum app. On Linux, your user needs access to the device: https://github.com/LedgerHQ/udev-rules',
      thrown,
    )
  if (/OpeningConnection/.test(tag))
    return keySourceError(
      'The Ledger is connected but cannot be opened',
      'Close Ledger Live and other wallets. On Linux, your user needs access to the device: https://github.com/LedgerHQ/udev-rules',
      thrown,
    )
  if (moment !== 'finding' || isGone.test(tag))
    return keySourceError('The Ledger was disconnected before it answered', openAppHint, thrown)
  return keySourceError(
    `The Ledger cannot be used: ${sanitizeText(String(message ?? tag))}`.replace(/[. ]+$/, ''),
    openAppHint,
    thrown,
  )
}
