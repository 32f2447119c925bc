import { createRequire } from 'node:module'
import type { Entry } from '@napi-rs/keyring'
import { AppError } from '../../domain/errors.ts'

/** A store for secrets outside of the files of this program, each with a name. A failure is an AppError. */
export type Keychain = {
  /** Whether it works: saves a test value once. */
  works: () => boolean
  /** Reads an entry; KEY_SOURCE if it cannot, with the command `instead` that removes it. */
  get: (name: string, instead: string) => string
  /** Keeps it, and has read it back when this returns; STATE_UNUSABLE where it is not kept. */
  set: (name: string, text: string) => void
  /** Forgets it; whether it did. */
  remove: (name: string) => boolean
}

/** The service name of our entries. */
const service = 'sluice'

/**
 * The keychain of the desktop: that of macOS or Windows, on Linux the Secret Service (GNOME Keyring, KWallet). The kernel's own keyring is never
 * used, for it forgets everything when the machine starts again. The library is optional, and loaded when something is in there.
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
        // No desktop, no library, or a locked one: each of them means that nothing can be kept there.
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

const refused = (why: string, instead: string, cause?: unknown): AppError =>
  new AppError('KEY_SOURCE', `Cannot read secrets from the keychain: ${why}`, {
    cause,
    hint: `Unlock the keychain on the desktop and run the same command again. To remove the entry: ${instead}`,
  })

const unkept = (cause?: unknown): AppError =>
  new AppError('STATE_UNUSABLE', 'No working desktop keychain', {
    cause,
    hint: 'Unlock the keychain on the desktop, or omit --keychain.',
  })
