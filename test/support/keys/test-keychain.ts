import type { Keychain } from '../../../src/app/profiles/keychain.ts'
import { AppError } from '../../../src/domain/errors.ts'

/** A keychain whose desktop is this test: it can be locked, and what is in it can be looked at. */
export type TestKeychain = Keychain & { held: Map<string, string>; lock: () => void }

/** A keychain as a desktop has one: it is there for as long as the test is. */
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
      if (text === undefined) throw new AppError('KEY_SOURCE', 'It is locked', { hint: instead })
      return text
    },
    set: (name, text) => {
      if (isLocked) throw new AppError('STATE_UNUSABLE', 'It is locked')
      held.set(name, text)
    },
    remove: (name) => !isLocked && held.delete(name),
  }
}

/** A machine without a desktop. */
export const noKeychain: Keychain = (() => {
  const none = testKeychain()
  none.lock()
  return none
})()
