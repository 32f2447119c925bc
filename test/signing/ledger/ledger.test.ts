import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AppError } from '../../../src/domain/errors.ts'
import { sandboxAddress, sandboxKey } from '../../../src/sandbox/accounts.ts'
import { openExternal } from '../../../src/signing/json-rpc-signer.ts'
import { openLedger } from '../../../src/signing/ledger/ledger.ts'
import { loadFailureText } from '../../../src/signing/ledger/transport.ts'
import { type EmulatedLedger, startLedger } from '../../support/keys/ledger-emulator.ts'
import { startSigner } from '../../support/services/external-signer.ts'

const path = "m/44'/60'/0'/0/0"
/** Long enough for a busy machine; tests that wait for a timeout use less. */
const patience = { readMs: 20_000, signMs: 20_000 }
const transaction = {
  type: 'eip1559',
  to: '0x7777777777777777777777777777777777777777',
  // Longer than two APDUs.
  data: `0x${'ab'.repeat(700)}`,
  value: 0n,
  chainId: 8453,
  nonce: 7,
  gas: 60_000n,
  maxFeePerGas: 10n,
  maxPriorityFeePerGas: 1n,
} as const
const refusal = (work: Promise<unknown>): Promise<AppError> =>
  work.then(
    () => expect.unreachable(),
    (error: unknown) => {
      expect(error).toBeInstanceOf(AppError)
      return error as AppError
    },
  )

let ledger: EmulatedLedger
const told: string[] = []
const open = (less: Partial<typeof patience> = {}) =>
  openLedger({ path, emulator: ledger.url }, (line) => void told.push(line), { ...patience, ...less })
beforeEach(async () => {
  told.length = 0
  ledger = await startLedger(sandboxKey(2))
})
afterEach(() => ledger.stop())

describe('a Ledger', () => {
  test('that does not answer fails after the read time limit', async () => {
    ledger.set({ isSilent: true })
    const { code, message } = await refusal(open({ readMs: 400 }))
    expect([code, message]).toEqual(['KEY_SOURCE', 'The Ledger did not answer within 0.4 s'])
  })

  test('that does not confirm fails after the signing time limit, and signs when opened again', async () => {
    const key = await open({ signMs: 400 })
    ledger.set({ person: 'says nothing' })
    const { code, message } = await refusal(key.signTransaction(transaction))
    expect([code, message]).toEqual([
      'KEY_SOURCE',
      'The request was not confirmed on the Ledger within 0.4 s',
    ])
    ledger.set({ person: 'confirms' })
    expect(await (await open()).signTransaction(transaction)).toMatch(/^0x02/)
  })

  test('that is locked, has another app open or is another device does not sign', async () => {
    const key = await open()
    ledger.set({ isLocked: true })
    expect((await refusal(key.signTransaction(transaction))).message).toMatch(/locked/)
    ledger.set({ isLocked: false, app: 'BOLOS' })
    expect((await refusal(key.signTransaction(transaction))).message).toMatch(/app of the Ledger is closed/)
    ledger.set({ app: 'Ethereum', key: sandboxKey(3) })
    const { code, message } = await refusal(key.signTransaction(transaction))
    expect([code, message]).toEqual([
      'KEY_SOURCE',
      `This Ledger has the address ${sandboxAddress(3)}, not ${sandboxAddress(2)}`,
    ])
    expect(ledger.shown).toEqual([])
  })

  test('receives all bytes of a long transaction', async () => {
    await (await open()).signTransaction(transaction)
    expect(ledger.shown[0]?.unsigned).toContain('ab'.repeat(700))
  })
})

test('a missing Ledger library or USB library is reported with what to install', () => {
  const missing = Object.assign(new Error("Cannot find module '@ledgerhq/x'"), { code: 'MODULE_NOT_FOUND' })
  expect(loadFailureText(missing)).toMatchObject({
    code: 'KEY_SOURCE',
    hint: expect.stringMatching(/^cd .* && npm ci$/),
  })
  const bare = new Error('libusb-1.0.so.0: cannot open shared object file: No such file or directory')
  expect(loadFailureText(bare)).toMatchObject({
    message: expect.stringContaining('libusb-1.0.so.0'),
    hint: expect.stringContaining('libusb-1.0-0'),
  })
})

test('an external signer that does not answer fails after its time limit', async () => {
  const signer = await startSigner([sandboxKey(2)])
  try {
    signer.says('eth_accounts', () => 'nothing')
    const at = () =>
      openExternal({ url: signer.url, wallet: null }, () => undefined, { readMs: 1_000, signMs: 400 })
    expect((await refusal(at())).message).toMatch(/did not answer eth_accounts in time/)
    signer.says('eth_accounts', () => ({ result: signer.accounts }))
    signer.says('eth_signTransaction', () => 'nothing')
    expect((await refusal((await at()).signTransaction(transaction))).message).toMatch(
      /did not answer eth_signTransaction in time$/,
    )
  } finally {
    await signer.close()
  }
})
