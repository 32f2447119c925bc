import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Address } from '../../../src/domain/address.ts'
import { canonicalJson } from '../../../src/domain/text/canonical-json.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import { sha256 } from '../../../src/store/journal/journal-db.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import { attemptsOf } from '../../support/attempts-of.ts'

const wallet: Address = `0x${'44'.repeat(20)}`
const payTo = (byte: string) => ({
  role: 'action',
  text: 'Pay',
  transaction: { to: `0x${byte.repeat(20)}` as Address, data: '0x' as const, value: 5n, chainId: 1 },
})
let home: string
let journal: Journal
const code = (work: () => unknown): string | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    return (error as { code?: string }).code
  }
}
const change = (...statements: string[]) => {
  const db = new DatabaseSync(join(home, 'journal.db'))
  for (const statement of statements) db.exec(statement)
  db.close()
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-seal-'))
  journal = openJournal(join(home, 'journal.db'), Date.now)
  journal.insert({
    id: 'pay',
    idemKey: 'key-of-pay',
    request: { pay: 'somebody' },
    kind: 'transfer',
    wallet,
    plan: { quoteId: 'q1' },
    legs: [{ chainId: 1, steps: [payTo('11'), payTo('22')] }],
  })
})
afterEach(() => {
  journal.close()
  rmSync(home, { recursive: true, force: true })
})

describe('a change in the journal file by another program', () => {
  it.each([
    [
      'the target of a step',
      'DROP TRIGGER step_never_update',
      "UPDATE step SET target = '0xbad' WHERE idx = 1",
    ],
    ['the value of a step', 'DROP TRIGGER step_never_update', "UPDATE step SET value = '6' WHERE idx = 0"],
    ['a deleted step', 'DROP TRIGGER step_never_delete', 'DELETE FROM step WHERE idx = 1'],
    ['the plan', 'DROP TRIGGER operation_plan', "UPDATE operation SET plan = '{}'"],
    ['the request', 'DROP TRIGGER operation_never_update', `UPDATE operation SET request = '{"pay":"me"}'`],
    ['the state', 'DROP TRIGGER operation_state', "UPDATE operation SET state = 'DONE'"],
    ['an event', 'DROP TRIGGER event_never_update', "UPDATE event SET why = 'something else'"],
    [
      'the state of a step',
      'DROP TRIGGER step_state',
      "UPDATE step SET state = 'SIGNED', nonce = 7 WHERE idx = 0",
    ],
  ])('is detected by verify: %s', (_, ...statements) => {
    expect(code(() => journal.verify('pay'))).toBeUndefined()
    change(...statements)
    expect(code(() => journal.verify('pay'))).toBe('JOURNAL_UNREADABLE')
  })

  it('is located at the first event after a deleted one', () => {
    for (const [index, nonce] of [
      [0, 1],
      [1, 2],
    ] as const)
      journal.reserveNonce('pay', index, nonce, 9)
    expect(journal.firstBrokenEvent()).toBeUndefined()
    change('DROP TRIGGER event_never_delete', 'DELETE FROM event WHERE seq = 2')
    expect(journal.firstBrokenEvent()).toBe(3)
  })
})

describe('a replan', () => {
  const anew = (id = 'pay') =>
    journal.replan(id, 0, { plan: { quoteId: 'q2' }, steps: [payTo('33')], why: 'the quote expired' })

  it('replaces the unsigned steps, and is protected against changes like the first plan', () => {
    anew()
    const { steps, plan } = journal.find('pay')!
    expect(steps.map(({ transaction: { to } }) => to)).toEqual([payTo('33').transaction.to])
    expect(plan).toEqual({ quoteId: 'q2' })
    expect(code(() => journal.verify('pay'))).toBeUndefined()
    change('DROP TRIGGER step_never_update', "UPDATE step SET target = '0xbad'")
    expect(code(() => journal.verify('pay'))).toBe('JOURNAL_UNREADABLE')
  })

  it('releases nonces without a signature, and keeps signed steps', () => {
    for (const [index, nonce] of [
      [0, 4],
      [1, 5],
    ] as const)
      journal.reserveNonce('pay', index, nonce, 9)
    journal.recordSigned('pay', 0, {
      hash: `0x${'aa'.repeat(32)}`,
      raw: '0x02',
      kind: 'run',
      nonce: 4,
      transaction: payTo('11').transaction,
      gas: 21_000n,
      maxFeePerGas: 2n,
      maxPriorityFeePerGas: 1n,
    })
    anew()
    expect(journal.find('pay')!.steps.map(({ index, nonce, state }) => [index, nonce, state])).toEqual([
      [0, 4, 'SIGNED'],
      [1, null, 'PLANNED'],
    ])
    expect(journal.find('pay')!.steps[1]!.transaction).toEqual(payTo('33').transaction)
    expect(journal.nextNonce(1, wallet)).toBe(5)
  })

  it('is refused for a closed operation', () => {
    journal.settle('pay', 'DROPPED', 'given up', 130)
    expect(() => anew()).toThrow()
    expect(journal.find('pay')!.plan).toEqual({ quoteId: 'q1' })
    expect(journal.find('pay')!.steps).toHaveLength(2)
  })
})

describe('a journal of an earlier version, whose audit trail has only words', () => {
  type Line = Record<'operation' | 'was' | 'becomes' | 'why' | 'kind', string> & {
    seq: number
    idx: number | null
    at: number
    ref: string | null
  }
  /** The words of an event as an earlier version wrote them. */
  const wordsOf = ({ kind, why, ref }: Line) =>
    ['planned', 'replanned', 'signed'].includes(kind) ? `${why} ${ref}` : why

  /** Writes the file as an earlier version did: no kinds, and hashes of the words alone. */
  const makeOld = () => {
    const db = new DatabaseSync(join(home, 'journal.db'))
    db.exec('DROP TRIGGER event_never_update')
    let previous = ''
    for (const line of db.prepare('SELECT * FROM event ORDER BY seq').all() as unknown as Line[]) {
      const why = wordsOf(line)
      const { operation, idx, was, becomes, at, seq } = line
      const hash = sha256(canonicalJson([previous, operation, idx, was, becomes, why, at]))
      db.prepare('UPDATE event SET why = ?, prev_hash = ?, hash = ? WHERE seq = ?').run(
        why,
        previous,
        hash,
        seq,
      )
      previous = hash
    }
    db.exec('ALTER TABLE event DROP COLUMN kind')
    db.exec('ALTER TABLE event DROP COLUMN ref')
    db.exec(
      "CREATE TRIGGER event_never_update BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'event'); END",
    )
    db.exec('DROP TRIGGER leg_never_update')
    // An answer to a broadcast was one text.
    db.exec(`UPDATE attempt SET last_answer = CASE WHEN answer_class = 'inferred' THEN last_answer
      WHEN last_answer = '' THEN answer_class ELSE answer_class || ': ' || last_answer END`)
    for (const column of ['answer_class', 'demanded_fee', 'demanded_tip'])
      db.exec(`ALTER TABLE attempt DROP COLUMN ${column}`)
    for (const column of ['address', 'memo', 'amount', 'until', 'hash'])
      db.exec(`ALTER TABLE leg DROP COLUMN deposit_${column}`)
    db.exec(`CREATE TABLE bitcoin_quote (idem_key TEXT PRIMARY KEY, request_hash TEXT, quote TEXT, at INTEGER);
      CREATE TRIGGER leg_never_update BEFORE UPDATE OF leg ON leg BEGIN SELECT RAISE(ABORT, 'leg'); END;
      CREATE TRIGGER one_key_one_request BEFORE INSERT ON operation
        WHEN EXISTS (SELECT 1 FROM bitcoin_quote) BEGIN SELECT RAISE(ABORT, 'operation'); END;
      PRAGMA user_version = 7`)
    db.close()
  }

  it('is migrated: kinds and references are those of this version, and it is verified and continued', () => {
    const attempt = (byte: string, nonce: number, kind: 'run' | 'bump' = 'run') => ({
      hash: `0x${byte.repeat(32)}` as const,
      raw: '0x02' as const,
      kind,
      nonce,
      transaction: payTo('11').transaction,
      gas: 21_000n,
      maxFeePerGas: 2n,
      maxPriorityFeePerGas: 1n,
    })
    journal.reserveNonce('pay', 0, 4, 9)
    // Hashes in an order that is not that of signing.
    for (const [byte, kind] of [
      ['ff', 'run'],
      ['aa', 'bump'],
    ] as const)
      journal.recordSigned('pay', 0, attempt(byte, 4, kind))
    const answers = [
      { is: 'accepted', words: '' },
      { is: 'known', words: '' },
      { is: 'unknown', words: 'no answer: nothing' },
      { is: 'cheap', words: 'underpriced: tip needed 2' },
      { is: 'inferred', words: 'found on chain' },
    ] as const
    for (const [at, answer] of answers.entries()) {
      const sent = attempt(`b${at}`, 4, 'bump')
      journal.recordSigned('pay', 0, sent)
      journal.recordSent(sent.hash, answer)
    }
    const inclusion = {
      hash: `0x${'aa'.repeat(32)}` as const,
      blockNumber: 7,
      blockHash: `0x${'01'.repeat(32)}` as const,
      gasUsed: 1n,
      gasPrice: 1n,
    }
    journal.moveStep('pay', 0, 'INCLUDED', 'block 7', inclusion)
    journal.moveStep('pay', 0, 'FINAL_OK', 'block 7, depth 3', inclusion, 'depth 3')
    journal.replan('pay', 0, { plan: { quoteId: 'q2' }, steps: [payTo('33')], why: 'the quote expired' })
    journal.reserveNonce('pay', 2, 5, 9)
    const [events, attempts] = [journal.events('pay'), attemptsOf(journal, 'pay', 0)]
    journal.close()
    makeOld()
    journal = openJournal(join(home, 'journal.db'), Date.now)
    expect(journal.events('pay').map(({ kind, ref }) => ({ kind, ref }))).toEqual(
      events.map(({ kind, ref }) => ({ kind, ref })),
    )
    expect(new Set(events.map(({ kind }) => kind))).toEqual(
      new Set(['planned', 'reserved', 'signed', 'moved', 'final', 'replanned']),
    )
    expect(attemptsOf(journal, 'pay', 0)).toEqual(attempts)
    expect(attempts.map(({ kind }) => kind)).toEqual(['run', ...Array(6).fill('bump')])
    expect(attempts.map(({ lastAnswer }) => lastAnswer)).toEqual([null, null, ...answers])
    expect(code(() => journal.verify('pay'))).toBeUndefined()
    expect(journal.firstBrokenEvent()).toBeUndefined()
    journal.releaseNonce('pay', 2, 'not signed in this run')
    expect(code(() => journal.verify('pay'))).toBeUndefined()
    expect(journal.firstBrokenEvent()).toBeUndefined()
    change('DROP TRIGGER event_never_update', "UPDATE event SET kind = 'moved' WHERE kind = 'signed'")
    expect(code(() => journal.verify('pay'))).toBe('JOURNAL_UNREADABLE')
  })
})
