import { createRequire } from 'node:module'
import type { Entry } from '@napi-rs/keyring'
import { AppError } from '../../domain/errors.ts'
import { advice, type Next, sameWithout } from '../../domain/text/next-step.ts'

/** A store of named secrets outside the program's files. A failure is an AppError. */
export type Keychain = {
  /** Whether it works: saves a test value once. */
  works: () => boolean
  /** Reads an entry; KEY_SOURCE if it cannot, with the command `instead` that removes it. */
  get: (name: string, instead: Next) => string
  /** Saves an entry and reads it back; STATE_UNUSABLE if it was not saved. */
  set: (name: string, text: string) => void
  /** Deletes an entry; returns whether it was deleted. */
  remove: (name: string) => boolean
}

/** The service name of the program's entries. */
const service = 'sluice'

/**
 * The desktop keychain: of macOS or Windows, on Linux the Secret Service (GNOME Keyring, KWallet). The Linux kernel
 * keyring is never used, because it is lost at a reboot. The library is optional and loaded on first use.
 */
export function desktopKeychain(): Keychain {
  const entry = (name: string): Entry => {
    const library = createRequire(import.meta.url)('@napi-rs/keyring') as { Entry: typeof Entry }
    return new library.Entry(service, name, { linux: { store: 'secret-service' } })
  }
  const keeps = (name: string, text: string): boolean => {
    const one = entry(name)
    one.setPassword(text)
    return one.getPassword() === text
  }
  const remove = (name: string): boolean => {
    try {
      return entry(name).deletePassword()
    } catch {
      // The entry was missing or the keychain did not answer.
      return false
    }
  }
  return {
    works: () => {
      const name = `try ${crypto.randomUUID()}`
      try {
        return keeps(name, name) && remove(name)
      } catch {
        // There is no desktop or no library, or the keychain is locked.
        return false
      }
    },
    get: (name, instead) => {
      let text: string | null
      try {
        text = entry(name).getPassword()
      } catch (cause) {
        throw refused('the desktop keychain does not answer or is locked', instead, cause)
      }
      if (text === null) throw refused('the entry is missing from the desktop keychain', instead)
      return text
    },
    set: (name, text) => {
      try {
        if (keeps(name, text)) return
      } catch (cause) {
        throw unkept(cause)
      }
      throw unkept()
    },
    remove,
  }
}

const refused = (why: string, instead: Next, cause?: unknown): AppError =>
  new AppError('KEY_SOURCE', `Cannot read secrets from the keychain: ${why}`, {
    cause,
    next: advice`Unlock the keychain on the desktop and run the same command again. To remove the entry: ${instead}`,
  })

const unkept = (cause?: unknown): AppError =>
  new AppError('STATE_UNUSABLE', 'No working desktop keychain', {
    cause,
    next: advice`Unlock the keychain on the desktop, or store it in a file: ${sameWithout('--keychain')}`,
  })
