import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openJournal } from '../../../src/store/journal/journal.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'

let home: string
/** Two processes with the same journal. */
let [one, two]: Journal[] = []
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-journal-'))
  ;[one, two] = [0, 1].map(() => openJournal(join(home, 'journal.db'), Date.now))
})
afterEach(() => {
  one?.close()
  two?.close()
  rmSync(home, { recursive: true, force: true })
})

const order = `relay:0x${'ab'.repeat(32)}`
const wallet = `0x${'44'.repeat(20)}` as const
const transaction = { to: `0x${'22'.repeat(20)}` as const, data: '0x' as const, value: 5n, chainId: 1 }
const steps = [{ role: 'action', text: 'Deposit', transaction }]
const insert = (journal: Journal | undefined, id: string, orders = [order]) =>
  journal!.insert({
    id,
    idemKey: `key-${id}`,
    request: { id },
    kind: 'swap',
    wallet,
    orders,
    legs: [{ chainId: 1, steps }],
  })

test('an order belongs to one operation, whichever process records the second', () => {
  insert(one, 'first')
  expect(() => insert(two, 'second')).toThrow(`was already used by action first`)
  expect(two!.find('second')).toBeUndefined()
  expect([one!.ownerOfOrder(order), two!.ownerOfOrder(order)]).toEqual(['first', 'first'])
  insert(two, 'second', [`${order}cd`])
  const replacement = { plan: null, steps, orders: [order], why: 'tried again' }
  expect(() => two!.replan('second', 0, replacement)).toThrow('was already used by action first')
  // The same operation may plan with its own order again.
  one!.replan('first', 0, replacement)
})

test('an order is free again only if nothing of its operation was signed', () => {
  insert(one, 'first')
  one!.settle('first', 'DROPPED', 'given up', 130)
  insert(two, 'second')
  two!.settle('second', 'CANCELLED', 'given up after the approval', 21)
  expect(() => insert(one, 'third')).toThrow('was already used by action second')
})

test('a payment that ended a swap from Bitcoin belongs to that swap', () => {
  one!.takeOrder('payment 1 0xab 0', 'q-1')
  one!.takeOrder('payment 1 0xab 0', 'q-1')
  expect(() => two!.takeOrder('payment 1 0xab 0', 'q-2')).toThrow('used by action q-1')
})

test('the file itself refuses a second owner, a changed one and a deleted one', () => {
  insert(one, 'first')
  const db = new DatabaseSync(join(home, 'journal.db'))
  for (const statement of [
    `INSERT INTO used_order VALUES ('${order}', 'second', 1)`,
    "UPDATE used_order SET owner = 'second'",
    'DELETE FROM used_order',
  ])
    expect(() => db.exec(statement)).toThrow()
  db.close()
})
