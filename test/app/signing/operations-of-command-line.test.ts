import { expect, test } from 'vitest'
import { directories } from '../../../src/app/profiles/directories.ts'
import { fileSettings } from '../../../src/app/profiles/settings-files.ts'
import { findConcernedOperations } from '../../../src/app/signing/operations-of-command-line.ts'
import { readCommandLine } from '../../../src/domain/command-line/read-command-line.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import { noKeychain } from '../../support/keys/test-keychain.ts'
import { payee, signer } from '../../support/payments/payment-operation.ts'
import { useHome } from '../../support/use-journal-and-chain.ts'

let home: string
let journal: Journal
useHome((made) => {
  home = made.home
  journal = made.journal
})

const lines = {
  transfer: ['transfer', '1', 'ETH', '--to', payee],
  deposit: ['deposit', 'a-strategy', '1', 'USDC'],
}

test.each([
  ['transfer', 'pay'],
  // Under its own kind the key is free: that request signed nothing.
  ['deposit', undefined],
] as const)('the key of a signed transfer on the line of %s names %s', async (command, found) => {
  const transaction = { to: payee, data: '0x', value: 1n, chainId: 1 } as const
  journal.insert({
    ...{ id: 'pay', idemKey: 'key-of-pay', request: {}, kind: 'transfer', wallet: signer.address },
    plan: { intents: [null], about: { type: 'TRANSFER', amounts: {} }, terms: {} },
    legs: [{ chainId: 1, steps: [{ role: 'action', text: 'Pay', transaction }] }],
  })
  journal.reserveNonce('pay', 0, 7, 1)
  journal.recordSigned('pay', 0, {
    ...{ hash: `0x${'aa'.repeat(32)}`, raw: '0x02', kind: 'run', nonce: 7, transaction },
    ...{ gas: 21_000n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n },
  })
  const line = readCommandLine([...lines[command], '--idempotency-key', 'key-of-pay'])
  const env = { SLUICE_HOME: home, SLUICE_PROFILE: 'default' }
  const dirs = { ...directories(env), data: home }
  const settings = fileSettings(dirs, noKeychain)
  const { signed } = await findConcernedOperations(line, [], { dirs, env, settings, now: Date.now })
  expect(signed?.operation.id).toBe(found)
})
