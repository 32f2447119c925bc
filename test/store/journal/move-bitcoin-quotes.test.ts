import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { StoredPlan } from '../../../src/guard/stored-plan.ts'
import { operationNamed } from '../../../src/planning/named-operation.ts'
import { hashRequest, openJournal } from '../../../src/store/journal/journal.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import { journalMigrations } from '../../../src/store/journal/migrations.ts'
import { openSqlite } from '../../../src/store/sql/sqlite.ts'
import { bitcoinDepositOf } from '../../../src/transactions/outcome/bitcoin-deposit.ts'

// The journal of a version that kept the quotes of swaps from Bitcoin in a table of their own.

let home: string
let journal: Journal
const recipient = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const usdc = {
  contract: `0x${'22'.repeat(20)}`,
  chainId: 31337,
  symbol: 'USDC',
  decimals: 6,
  amount: '990000000',
}
const raw = (id: string) => ({
  ...{ id, provider: 'near-intents', originChain: 'bitcoin', destinationChain: 'sandbox-one' },
  ...{ chainIdIn: 8253038, chainIdOut: 31337, minAmountOut: '985000000', destinationAddress: recipient },
  tokenIn: {
    contract: `0x${'00'.repeat(20)}`,
    chainId: 8253038,
    symbol: 'BTC',
    decimals: 8,
    amount: '1000000',
  },
  tokenOut: usdc,
  deadlineDate: '2026-01-02T03:04:05.000Z',
})
const terms = (id: string) => ({
  ...{
    id,
    provider: 'thorchain',
    createdAt: 5,
    expiresAt: 9_000,
    earlier: [],
    recipient,
    refundAddress: null,
  },
  ...{ refundsSender: true, seconds: 600, amountIn: '2000000', minAmountOut: '7' },
  deposit: { address: 'bcrt1qvault', memo: '=:USDC:0x3c', amount: '2000000', until: '', late: '', uri: null },
  tokenOut: { chainId: 31337, address: usdc.contract, symbol: 'USDC', decimals: 6, name: 'USDC' },
})
const request = { command: 'swap', amountIn: '1000000' }

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-journal-'))
  const path = join(home, 'journal.db')
  const old = openSqlite(path, { migrations: journalMigrations.slice(0, 8) })
  const put = (key: string, value: unknown, of: unknown, at: number) =>
    old
      .prepare('INSERT INTO bitcoin_quote VALUES (?, ?, ?, ?)')
      .run(key, hashRequest(of), JSON.stringify(value), at)
  put('my-key-1', { raw: raw('quote-1'), slippage: 0.01, destination: recipient }, request, 1_000)
  put('my-key-2', { raw: raw('quote-1'), slippage: null, destination: null }, { quote: 'quote-1' }, 1_001)
  put('my-key-3', { raw: raw('quote-3'), slippage: null, destination: null }, { other: 1 }, 1_002)
  put('deposit of quote-3', terms('quote-3'), {}, 1_002)
  put('deposit of quote-4', terms('quote-4'), {}, 1_003)
  put('address bcrt1qone', { quoteId: 'quote-1' }, {}, 1_004)
  put('payment 8253038 abcd 0', { quoteId: 'quote-3' }, {}, 1_005)
  old.exec("INSERT INTO used_order VALUES ('near-intents:bcrt1qone', 'quote quote-1', 1000)")
  old.close()
  journal = openJournal(path, Date.now)
})
afterEach(() => {
  journal.close()
  rmSync(home, { recursive: true, force: true })
})

test('each quote of a key is an operation, intact, with the request of its key', () => {
  const one = journal.findForRequest('my-key-1', request)!
  expect(one).toMatchObject({ id: 'quote-1', kind: 'swap', state: 'OPEN', wallet: recipient, created: 1_000 })
  expect(bitcoinDepositOf(one)).toEqual({
    ...{ address: 'bcrt1qone', memo: null, amount: 1_000_000n, hash: null },
    until: Date.parse('2026-01-02T03:04:05.000Z'),
  })
  expect(one.legs[1]?.arrival).toMatchObject({ token: usdc.contract, minimum: 985_000_000n, recipient })
  expect((one.plan as StoredPlan).deposit?.quote).toEqual({
    ...{ raw: raw('quote-1'), slippage: 0.01, destination: recipient },
  })
  expect((one.plan as StoredPlan).about.amounts.out).toMatchObject({ formatted: '990', symbol: 'USDC' })
  const again = journal.findForRequest('my-key-2', { quote: 'quote-1' })!
  expect([again.id === 'quote-1', (again.plan as StoredPlan).quoteId]).toEqual([false, 'quote-1'])
  expect(() => journal.findForRequest('my-key-1', { command: 'swap' })).toThrow('used for another request')
  for (const { id } of journal.list()) journal.verify(id)
  expect(journal.firstBrokenEvent()).toBeUndefined()
})

test('terms of a remote service go with their quotes, also of those without a key', () => {
  for (const id of ['quote-3', 'quote-4']) {
    const operation = journal.find(id)!
    expect((operation.plan as StoredPlan).deposit?.swap).toEqual(terms(id))
    expect(bitcoinDepositOf(operation)).toMatchObject({
      address: 'bcrt1qvault',
      memo: '=:USDC:0x3c',
      until: 9_000,
    })
  }
  expect(journal.find('quote-4')?.idemKey).toBe('quote-4')
})

test('orders and payments keep their owners', () => {
  expect(journal.ownerOfOrder('near-intents:bcrt1qone')).toBe('quote-1')
  expect(journal.ownerOfOrder('payment 8253038 abcd 0')).toBe('quote-3')
  expect(() => journal.takeOrder('near-intents:bcrt1qone', 'quote-9')).toThrow(
    'already used by action quote-1',
  )
})

test('a swap is found by its key, its address and the transaction that paid it; a shared address is ambiguous', () => {
  expect(operationNamed(journal, 'bcrt1qone')?.id).toBe('quote-1')
  expect(() => operationNamed(journal, 'bcrt1qvault')).toThrow('is the deposit address of several actions')
  const hash = 'ab'.repeat(32)
  journal.recordDeposit('quote-3', { hash, isPaid: true, delivery: null })
  expect(operationNamed(journal, hash.toUpperCase())).toMatchObject({ id: 'quote-3', state: 'EXECUTING' })
})

test('an end stays, but a late payment opens a swap that ended unpaid', () => {
  const expired = { becomes: 'FAILED', why: 'expired', exit: 4, result: {} } as const
  const unseen = { hash: null, isPaid: false, delivery: null }
  journal.recordDeposit('quote-4', { ...unseen, end: expired })
  expect(journal.find('quote-4')).toMatchObject({ state: 'FAILED', exit: 4 })
  const paid = { hash: 'cd'.repeat(32), isPaid: true, delivery: `0x${'ef'.repeat(32)}` as const }
  journal.recordDeposit('quote-4', paid)
  expect(journal.find('quote-4')).toMatchObject({ state: 'EXECUTING', exit: null })
  journal.recordDeposit('quote-4', {
    ...paid,
    end: { becomes: 'DONE', why: 'delivered', exit: 0, result: undefined },
  })
  journal.recordDeposit('quote-4', { ...unseen, end: expired })
  expect(journal.find('quote-4')).toMatchObject({ state: 'DONE', exit: 0 })
  expect(operationNamed(journal, paid.delivery)?.id).toBe('quote-4')
  journal.verify('quote-4')
})
