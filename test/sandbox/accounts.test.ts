import { mnemonicToAccount } from 'viem/accounts'
import { toHex } from 'viem/utils'
import { expect, test } from 'vitest'
import {
  roles,
  sandboxAccountAddress,
  sandboxAddress,
  sandboxKey,
  userIndexes,
} from '../../src/sandbox/accounts.ts'

test('the sandbox accounts are those of the public mnemonic, as derived by viem', () => {
  for (const index of new Set([...Array(10).keys(), ...Object.values(roles), ...userIndexes])) {
    const phrase = 'test test test test test test test test test test test junk'
    const theirs = mnemonicToAccount(phrase, { addressIndex: index })
    expect(sandboxAddress(index)).toBe(theirs.address)
    expect(sandboxKey(index)).toBe(toHex(theirs.getHdKey().privateKey!))
  }
  expect(sandboxAddress()).toBe(sandboxAccountAddress)
})
