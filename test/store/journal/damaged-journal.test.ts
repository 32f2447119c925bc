import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seeded } from '../../../bench/seeded.ts'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'

const wallet: Address = `0x${'44'.repeat(20)}`
const request = (n: number) => ({ pay: n })
const hash = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`
const count = 12

let home: string
let whole: Buffer

/** Everything in the journal that signing depends on. */
const told = (journal: Journal) =>
  Array.from({ length: count }, (_, n) => {
    const operation = journal.findForRequest(`key-of-${n}`, request(n))
    if (operation) journal.verify(operation.id)
    const { updated: __, steps, ...kept } = operation ?? { updated: 0, steps: [] }
    const signed = steps.map(({ attempts, ...step }) => [
      step,
      attempts.map(({ created, sends, lastAnswer, ...fixed }) => fixed),
    ])
    return [kept, signed, journal.nextNonce(1, wallet)]
  })

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-damaged-'))
  const path = join(home, 'journal.db')
  const journal = openJournal(path, Date.now)
  for (let n = 0; n < count; n++) {
    const transaction = { to: `0x${'22'.repeat(20)}` as Address, data: '0x' as const, value: 5n, chainId: 1 }
    journal.insert({
      id: `pay-${n}`,
      idemKey: `key-of-${n}`,
      request: request(n),
      kind: 'transfer',
      wallet,
      plan: { note: 'x'.repeat(300) },
      legs: [{ chainId: 1, steps: [{ role: 'action', text: 'Pay', transaction }] }],
    })
    journal.reserveNonce(`pay-${n}`, 0, n, 9)
    const fees = { gas: 21_000n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n }
    journal.recordSigned(`pay-${n}`, 0, {
      hash: hash(n),
      raw: `0x02${'ab'.repeat(100)}`,
      kind: 'run',
      nonce: n,
      transaction,
      ...fees,
    })
  }
  journal.close()
  const db = new DatabaseSync(path)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  whole = readFileSync(path)
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

describe('a journal with flipped bits', () => {
  const cells = Number(process.env.SLUICE_CELLS ?? 300)
  it(`returns its original content or an error, and nothing else (${cells} flips)`, () => {
    const path = join(home, 'flipped.db')
    const open = () => openJournal(path, Date.now)
    writeFileSync(path, whole, { mode: 0o600 })
    const first = open()
    const truth = told(first)
    first.close()
    const random = seeded(11)
    const wrong: unknown[] = []
    let refused = 0
    for (let cell = 0; cell < cells; cell++) {
      const flipped = Buffer.from(whole)
      const at = Math.floor(random() * flipped.length)
      flipped[at]! ^= 1 << Math.floor(random() * 8)
      for (const tail of ['', '-wal', '-shm']) rmSync(`${path}${tail}`, { force: true })
      writeFileSync(path, flipped, { mode: 0o600 })
      let journal: Journal | undefined
      try {
        journal = open()
        const now = told(journal)
        if (JSON.stringify(now, big) !== JSON.stringify(truth, big))
          wrong.push({
            cell,
            at,
            differs: now.filter((one, i) => JSON.stringify(one, big) !== JSON.stringify(truth[i], big)),
          })
      } catch (error) {
        const { code } = error as { code?: string }
        if (!['JOURNAL_UNREADABLE', 'STATE_NEWER_SCHEMA', 'STATE_UNUSABLE'].includes(String(code)))
          wrong.push({ cell, at, code, error: String(error) })
        else refused++
      } finally {
        journal?.close()
      }
    }
    expect(wrong).toEqual([])
    expect(refused).toBeGreaterThan(cells / 10)
  })
})

const big = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)

describe('a journal that other users can access', () => {
  const code = (path: string) => {
    try {
      openJournal(path, Date.now).close()
      return undefined
    } catch (error) {
      return (error as { code?: string }).code
    }
  }

  it.each([0o755, 0o750, 0o701])('in a directory with mode %o is refused', (mode) => {
    const dir = join(home, `open-${mode}`)
    mkdirSync(dir, { mode: 0o700 })
    chmodSync(dir, mode)
    expect(code(join(dir, 'journal.db'))).toBe('STATE_UNUSABLE')
    chmodSync(dir, 0o700)
    expect(code(join(dir, 'journal.db'))).toBeUndefined()
  })

  it.each([0o644, 0o640, 0o606])('with file mode %o is refused', (mode) => {
    const path = join(home, `file-${mode}.db`)
    expect(code(path)).toBeUndefined()
    chmodSync(path, mode)
    expect(code(path)).toBe('STATE_UNUSABLE')
  })

  it('behind a symbolic link is refused', () => {
    const path = join(home, 'real.db')
    expect(code(path)).toBeUndefined()
    symlinkSync(path, join(home, 'link.db'))
    expect(code(join(home, 'link.db'))).toBe('STATE_UNUSABLE')
    symlinkSync(home, join(home, 'link'))
    expect(code(join(home, 'link', 'real.db'))).toBe('STATE_UNUSABLE')
  })
})
