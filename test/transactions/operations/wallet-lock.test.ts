import { afterEach, beforeEach, expect, test } from 'vitest'
import { tryLock } from '../../../src/store/file-lock.ts'
import { isWalletBusy } from '../../../src/transactions/nonces/wallet-lock.ts'
import { newHome, removeHome, signer } from '../../support/payments/payment-operation.ts'

const of = signer.address.toLowerCase()
let home: string
beforeEach(() => {
  home = newHome()
})
afterEach(() => removeHome(home))

test.each([
  ['busy while its planning lock is held', `${of}.turn`, true],
  ['busy while its lock on one of the given chains is held', `31338-${of}.lock`, true],
  ['not busy while only its lock on another chain is held', `1-${of}.lock`, false],
  ['not busy while only the lock of another wallet is held', `31337-0x${'77'.repeat(20)}.lock`, false],
])('a wallet is %s', async (_, name, is) => {
  const held = tryLock(`${home}/${name}`)!
  expect(await isWalletBusy({ locks: home }, signer.address, [31337, 31338])).toBe(is)
  held.release()
  expect(await isWalletBusy({ locks: home }, signer.address, [31337, 31338])).toBe(false)
})
