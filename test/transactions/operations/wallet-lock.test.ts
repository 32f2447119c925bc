import { afterEach, beforeEach, expect, test } from 'vitest'
import { tryLock } from '../../../src/store/file-lock.ts'
import { isWalletBusy } from '../../../src/transactions/operations/wallet-lock.ts'
import { newHome, removeHome, signer } from '../../support/payments/payment-operation.ts'

const of = signer.address.toLowerCase()
let home: string
beforeEach(() => {
  home = newHome()
})
afterEach(() => removeHome(home))

test.each([
  ['who plans for it', `${of}.turn`, true],
  ['who signs for it on one of its chains', `31338-${of}.lock`, true],
  ['not who signs for it on another chain', `1-${of}.lock`, false],
  ['not who signs for another wallet', `31337-0x${'77'.repeat(20)}.lock`, false],
])('at work with a wallet is %s', async (_, name, is) => {
  const held = tryLock(`${home}/${name}`)!
  expect(await isWalletBusy({ locks: home }, signer.address, [31337, 31338])).toBe(is)
  held.release()
  expect(await isWalletBusy({ locks: home }, signer.address, [31337, 31338])).toBe(false)
})
