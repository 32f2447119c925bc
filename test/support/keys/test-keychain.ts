import type { Keychain } from '../../../src/app/profiles/keychain.ts'
import { AppError } from '../../../src/domain/errors.ts'

/** A desktop keychain of a test, which the test can lock and inspect. */
export type TestKeychain = Keychain & { held: Map<string, string>; lock: () => void }

/** A desktop keychain that exists for the time of the test. */
export function testKeychain(): TestKeychain {
  const held = new Map<string, string>()
  let isLocked = false
  return {
    held,
    lock: () => {
      isLocked = true
    },
    works: () => !isLocked,
    get: (name, instead) => {
      const text = isLocked ? undefined : held.get(name)
      if (text === undefined) throw new AppError('KEY_SOURCE', 'It is locked', { next: instead })
      return text
    },
    set: (name, text) => {
      if (isLocked) throw new AppError('STATE_UNUSABLE', 'It is locked')
      held.set(name, text)
    },
    remove: (name) => !isLocked && held.delete(name),
  }
}

/** A machine without a desktop keychain. */
export const noKeychain: Keychain = (() => {
  const none = testKeychain()
  none.lock()
  return none
})()
