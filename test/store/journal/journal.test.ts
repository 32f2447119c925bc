import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Hex } from '../../../src/domain/address.ts'
import { hashRequest, openJournal } from '../../../src/store/journal/journal.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import { stepStates, stepTransitions } from '../../../src/store/journal/states.ts'
import { attemptsOf } from '../../support/attempts-of.ts'

let home: string
let journal: Journal
const wallet = `0x${'44'.repeat(20)}` as const
const transaction = { to: `0x${'22'.repeat(20)}` as const, data: '0x' as const, value: 5n, chainId: 1 }
const hash = (byte: string): Hex => `0x${byte.repeat(32)}`
const attempt = (byte: string, nonce: number, more: object = {}) => ({
  hash: hash(byte),
  raw: '0x02' as const,
  kind: 'run' as const,
  nonce,
  transaction: { ...transaction, ...more },
  gas: 21_000n,
  maxFeePerGas: 2n,
  maxPriorityFeePerGas: 1n,
})
const inclusion = { hash: hash('aa'), blockNumber: 5, blockHash: hash('bb'), gasUsed: 21_000n, gasPrice: 7n }
const plan = (id: string, steps = 1) =>
  journal.insert({
    id,
    idemKey: `key-${id}`,
    request: { pay: id, amount: 5n },
    kind: 'transfer',
    wallet,
    legs: [
      {
        chainId: 1,
        steps: Array.from({ length: steps }, () => ({ role: 'action', text: 'Pay', transaction })),
      },
    ],
  })

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-journal-'))
  let now = 1_000
  journal = openJournal(join(home, 'journal.db'), () => now++)
})
afterEach(() => {
  journal.close()
  rmSync(home, { recursive: true, force: true })
})

describe('the journal', () => {
  it('returns an operation unchanged after it is closed and reopened', () => {
    const written = plan('a', 2)
    journal.close()
    journal = openJournal(join(home, 'journal.db'), Date.now)
    expect(journal.find('a')).toEqual(written)
    expect(written.steps.map(({ transaction }) => transaction)).toEqual([transaction, transaction])
    expect(journal.find('b')).toBeUndefined()
  })

  it('finds an operation by its idempotency key, and refuses the key for another request', () => {
    plan('a')
    expect(journal.findForRequest('key-a', { amount: '5', pay: 'a' })?.id).toBe('a')
    expect(journal.findForRequest('key-b', {})).toBeUndefined()
    expect(() => journal.findForRequest('key-a', { pay: 'a', amount: 6n })).toThrow(
      expect.objectContaining({ code: 'IDEMPOTENCY_KEY_REUSED' }),
    )
  })

  it('finds an operation by its key alone, and a dropped one only if no other has the key', () => {
    plan('a')
    expect(journal.findByIdempotencyKey('key-a')?.id).toBe('a')
    journal.settle('a', 'DROPPED', 'never signed')
    expect(journal.findByIdempotencyKey('key-a')?.id).toBe('a')
    const { request, legs } = { request: {}, legs: [{ chainId: 1, steps: [] }] }
    journal.insert({ id: 'b', idemKey: 'key-a', request, kind: 'transfer', wallet, legs })
    expect(journal.findByIdempotencyKey('key-a')?.id).toBe('b')
    expect(journal.findByIdempotencyKey('key-c')).toBeUndefined()
  })

  it('gives a request the same hash whatever the order of its object keys', () => {
    expect(hashRequest({ a: 1n, b: { c: [1, 2], d: null } })).toBe(
      hashRequest({ b: { d: null, c: [1, 2] }, a: '1' }),
    )
    expect(hashRequest({ a: [1, 2] })).not.toBe(hashRequest({ a: [2, 1] }))
  })

  it('lists operations by state and wallet, newest first', () => {
    for (const id of ['a', 'b', 'c']) plan(id)
    journal.settle('b', 'CANCELLED', 'abandoned')
    expect(journal.list().map(({ id }) => id)).toEqual(['c', 'b', 'a'])
    expect(journal.list({ states: ['OPEN'] }).map(({ id }) => id)).toEqual(['c', 'a'])
    expect(journal.list({ wallet: `0x${'55'.repeat(20)}` })).toEqual([])
    expect(journal.list({ limit: 1 }).map(({ id }) => id)).toEqual(['c'])
  })

  it('does not assign a nonce to two steps', () => {
    plan('a')
    plan('b')
    journal.reserveNonce('a', 0, 7, 1)
    expect(journal.nextNonce(1, wallet)).toBe(8)
    expect(() => journal.reserveNonce('b', 0, 7, 1)).toThrow(/UNIQUE/)
    journal.releaseOtherNonces(1, wallet, 'b')
    expect(journal.find('a')!.steps[0]).toMatchObject({ state: 'PLANNED', nonce: null })
    journal.reserveNonce('b', 0, 7, 1)
  })

  it.each([
    ['another amount', { value: 6n }],
    ['another target', { to: wallet }],
    ['other calldata', { data: '0x00' }],
    ['another chain', { chainId: 2 }],
  ])('refuses an attempt with %s than its step', (_, more) => {
    plan('a')
    journal.reserveNonce('a', 0, 7, 1)
    expect(() => journal.recordSigned('a', 0, attempt('aa', 7, more))).toThrow(/it is not its step/)
    expect(() => journal.recordSigned('a', 0, attempt('aa', 8))).toThrow(/it is not its step/)
    expect(attemptsOf(journal, 'a', 0)).toEqual([])
  })

  it('refuses an attempt for a step without a nonce', () => {
    plan('a')
    expect(() => journal.recordSigned('a', 0, attempt('aa', 7))).toThrow(/it is not its step/)
  })

  it('keeps the nonce of a signed step', () => {
    plan('a')
    journal.reserveNonce('a', 0, 7, 1)
    journal.recordSigned('a', 0, attempt('aa', 7))
    expect(() => journal.releaseNonce('a', 0, 'no')).toThrow()
    expect(() => journal.reserveNonce('a', 0, 8, 1)).toThrow()
    expect(journal.find('a')).toMatchObject({ state: 'EXECUTING', steps: [{ state: 'SIGNED', nonce: 7 }] })
  })

  it('refuses changes and deletions in its file', () => {
    plan('a')
    journal.reserveNonce('a', 0, 7, 1)
    journal.recordSigned('a', 0, attempt('aa', 7))
    const db = new DatabaseSync(join(home, 'journal.db'))
    for (const change of [
      "UPDATE operation SET request = '{}'",
      "UPDATE operation SET request_hash = ''",
      'DELETE FROM operation',
      "UPDATE step SET value = '1'",
      'UPDATE step SET nonce = 9',
      'DELETE FROM step',
      "UPDATE attempt SET raw = '0x'",
      'DELETE FROM attempt',
      "UPDATE event SET why = ''",
      'DELETE FROM event',
      "UPDATE step SET state = 'FINAL_OK'",
      "UPDATE operation SET state = 'OPEN'",
    ])
      expect(() => db.exec(change)).toThrow()
    db.close()
  })

  it('moves a step only along the allowed transitions, in any sequence of attempts', () => {
    let id = 0
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...stepStates), { maxLength: 12 }), (tries) => {
        const name = `op-${id++}`
        plan(name)
        let state: (typeof stepStates)[number] = 'PLANNED'
        for (const next of tries) {
          const allowed: boolean = next === state || stepTransitions[state].includes(next)
          const needsNonce = (next === 'PLANNED') !== (state === 'PLANNED') // Those moves go with a nonce.
          const move = () => journal.moveStep(name, 0, next, 'tried', inclusion)
          if (!allowed || needsNonce) expect(move).toThrow()
          else {
            move()
            state = next
          }
          if (state === 'PLANNED' && next === 'RESERVED') {
            journal.reserveNonce(name, 0, id, 1)
            state = 'RESERVED'
          }
          expect(journal.find(name)!.steps[0]!.state).toBe(state)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('records the events of an operation in order', () => {
    plan('a')
    journal.reserveNonce('a', 0, 7, 1)
    journal.recordSigned('a', 0, attempt('aa', 7))
    journal.recordSent(hash('aa'), { is: 'accepted', words: '' })
    journal.moveStep('a', 0, 'INCLUDED', 'block 5', inclusion)
    journal.moveStep('a', 0, 'FINAL_OK', 'block 5', inclusion)
    journal.settle('a', 'DONE', 'all', 0)
    expect(journal.events('a').map(({ becomes }) => becomes)).toEqual([
      'OPEN',
      'RESERVED',
      'SIGNED',
      'EXECUTING',
      'BROADCAST',
      'INCLUDED',
      'FINAL_OK',
      'DONE',
    ])
    expect(journal.find('a')).toMatchObject({ state: 'DONE', exit: 0, steps: [{ inclusion }] })
  })

  it('says of a step alone that it ended before, although a reorganisation took its block away', () => {
    plan('a', 2)
    for (const [at, byte] of ['aa', 'ab'].entries()) {
      journal.reserveNonce('a', at, 7 + at, 1)
      journal.recordSigned('a', at, attempt(byte, 7 + at))
      journal.recordSent(hash(byte), { is: 'accepted', words: '' })
    }
    journal.moveStep('a', 0, 'INCLUDED', 'block 5', inclusion)
    journal.moveStep('a', 0, 'CANCELLED', 'block 5', inclusion)
    journal.moveStep('a', 0, 'INCLUDED', 'block 5', inclusion)
    journal.moveStep('a', 0, 'BROADCAST', 'a reorganisation took its block away')
    expect(journal.find('a')!.steps).toMatchObject([{ endedBefore: true }, { endedBefore: false }])
  })

  it('is reported as unreadable when damaged, and is not recreated', () => {
    const path = join(home, 'other', 'journal.db')
    openJournal(path, Date.now).close()
    writeFileSync(path, 'damaged'.repeat(2_000))
    expect(() => openJournal(path, Date.now)).toThrow(expect.objectContaining({ code: 'JOURNAL_UNREADABLE' }))
  })

  it('reports an unreadable operation by its id, and returns the others', () => {
    for (const id of ['a', 'b', 'c']) plan(id)
    journal.close()
    const db = new DatabaseSync(join(home, 'journal.db'))
    db.exec("UPDATE step SET block_number = 1152921504606846976 WHERE operation = 'b'")
    db.close()
    journal = openJournal(join(home, 'journal.db'), Date.now)
    const unreadable: string[] = []
    expect(journal.list({}, (id) => unreadable.push(id)).map(({ id }) => id)).toEqual(['c', 'a'])
    expect(unreadable).toEqual(['b'])
    expect(journal.find('a')?.id).toBe('a')
    expect(() => journal.find('b')).toThrow(
      expect.objectContaining({ code: 'JOURNAL_UNREADABLE', details: { operation: 'b' } }),
    )
    journal.reserveNonce('a', 0, 3, 9)
    expect(journal.nextNonce(1, wallet)).toBe(4)
  })
})

describe('the highest block seen', () => {
  it('does not decrease when lower blocks are recorded', () => {
    journal.recordHead(1, 100, hash('aa'))
    for (const number of [98, 96, 99]) journal.recordHead(1, number, hash('bb'))
    expect(journal.highestHead(1)).toMatchObject({ number: 100, hash: hash('aa') })
    journal.recordHead(1, 100, hash('cc'))
    expect(journal.highestHead(1)).toMatchObject({ number: 100, hash: hash('cc') })
    journal.recordHead(1, 101, hash('dd'))
    expect(journal.highestHead(1)).toMatchObject({ number: 101, hash: hash('dd') })
  })
})
