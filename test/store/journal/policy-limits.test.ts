import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'

const wallet: Address = `0x${'44'.repeat(20)}`
const other: Address = `0x${'55'.repeat(20)}`
const hash = (byte: string): Hex => `0x${byte.repeat(32)}`

let home: string
let journal: Journal
let now: number
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-limits-'))
  now = 1_000
  journal = openJournal(join(home, 'journal.db'), () => now)
})
afterEach(() => {
  journal.close()
  rmSync(home, { recursive: true, force: true })
})

const plan = (id: string, of: Address = wallet) =>
  journal.insert({
    id,
    idemKey: `key-${id}`,
    request: {},
    kind: 'transfer',
    wallet: of,
    legs: [{ chainId: 1, steps: [] }],
  })
const row = (amount: bigint, limit: bigint | null = 100n, asset = '1:usdc', since = 0) => ({
  asset,
  amount,
  limit,
  since,
})

it('holds amounts up to a limit across all operations of a wallet, exact to the unit', () => {
  for (const id of ['a', 'b', 'c']) plan(id)
  expect(journal.holdAmounts('a', [row(60n)])).toBeUndefined()
  expect(journal.holdAmounts('b', [row(41n)])).toEqual({ row: row(41n), held: 60n })
  expect(journal.holdAmounts('b', [row(40n)])).toBeUndefined()
  expect(journal.holdAmounts('c', [row(1n)])).toEqual({ row: row(1n), held: 100n })
})

it('does not count amounts held while the clock was years ahead', () => {
  for (const id of ['a', 'b', 'c', 'd']) plan(id)
  const day = 86_400_000
  now = 20 * 365 * day
  expect(journal.holdAmounts('a', [row(100n, 100n, '1:usdc', now - day)])).toBeUndefined()
  expect(journal.holdAmounts('b', [row(1n, 100n, '1:usdc', now - day)])).toMatchObject({ held: 100n })
  now = 365 * day
  expect(journal.holdAmounts('c', [row(100n, 100n, '1:usdc', now - day)])).toBeUndefined()
  // A clock set back by an hour does not reduce the total.
  now -= 3_600_000
  expect(journal.holdAmounts('d', [row(1n, 100n, '1:usdc', now - day)])).toMatchObject({ held: 100n })
})

it('holds all amounts of a request or none', () => {
  for (const id of ['a', 'b']) plan(id)
  expect(journal.holdAmounts('a', [row(50n), row(101n, 100n, '1:weth')])).toMatchObject({ held: 0n })
  expect(journal.holdAmounts('b', [row(100n)])).toBeUndefined()
})

it('counts an operation once, however often it holds its amounts', () => {
  for (const id of ['a', 'b']) plan(id)
  for (let i = 0; i < 3; i++) expect(journal.holdAmounts('a', [row(60n)])).toBeUndefined()
  expect(journal.holdAmounts('b', [row(40n)])).toBeUndefined()
})

it('does not count amounts outside the window, of dropped operations or of other wallets', () => {
  for (const id of ['a', 'b', 'd']) plan(id)
  plan('theirs', other)
  expect(journal.holdAmounts('theirs', [row(90n)])).toBeUndefined()
  expect(journal.holdAmounts('a', [row(60n)])).toBeUndefined()
  now = 2_000
  expect(journal.holdAmounts('b', [row(60n, 100n, '1:usdc', 1_500)])).toBeUndefined()
  journal.settle('a', 'DROPPED', 'planned anew', 130)
  expect(journal.holdAmounts('d', [row(40n)])).toBeUndefined()
})

it('stores the code of a contract at first use, and replaces it only on request', () => {
  const first = { codeHash: hash('aa'), implementation: null, implementationHash: null }
  const second = { codeHash: hash('bb'), implementation: other, implementationHash: hash('cc') }
  expect(journal.codePin(1, wallet)).toBeUndefined()
  journal.pinCode(1, wallet, first)
  journal.pinCode(1, wallet, second)
  expect(journal.codePin(1, wallet)).toEqual(first)
  expect(journal.codePin(2, wallet)).toBeUndefined()
  journal.pinCode(1, wallet, second, true)
  expect(journal.codePin(1, wallet)).toEqual(second)
})
