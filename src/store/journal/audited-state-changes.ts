import type { Exit } from '../../domain/error-table.ts'
import { AppError } from '../../domain/errors.ts'
import { canonicalJson } from '../../domain/text/canonical-json.ts'
import { eventHash } from './event-chain.ts'
import type { JournalDb } from './journal-db.ts'
import type { JournalEvent, Operation } from './operation-types.ts'
import { operationOf, type Row } from './rows.ts'
import type { OperationState, StepState } from './states.ts'

/** What an audit event records beside its words. */
export type Recorded = Pick<JournalEvent, 'kind' | 'ref'>

const moved: Recorded = { kind: 'moved', ref: null }

/** The building blocks of the journal's calls. Each runs inside its caller's transaction and adds an audit event. */
export function journalWrites({ all, one, run, put }: JournalDb, clock: () => number) {
  const note = (
    operation: string,
    index: number | null,
    was: string,
    becomes: string,
    why: string,
    { kind, ref }: Recorded = moved,
  ): void => {
    const at = clock()
    const before = one('SELECT hash FROM event ORDER BY seq DESC LIMIT 1')
    const previous = before ? String(before.hash) : ''
    const hash = eventHash(previous, { operation, idx: index, was, becomes, why, at, kind, ref })
    put('event', { operation, idx: index, was, becomes, why, at, kind, ref, prev_hash: previous, hash })
    run('UPDATE operation SET updated = ? WHERE id = ?', at, operation)
  }
  const stateOf = (id: string, index: number): string =>
    String(one('SELECT state FROM step WHERE operation = ? AND idx = ?', id, index)?.state)
  const load = (row: Row): Operation => {
    const id = String(row.id)
    try {
      const legs = all('SELECT * FROM leg WHERE operation = ? ORDER BY leg', id)
      const steps = all('SELECT * FROM step WHERE operation = ? ORDER BY idx', id)
      const attempts = all('SELECT * FROM attempt WHERE operation = ?', id)
      const trail = all(
        `SELECT idx, kind, ref, becomes FROM event WHERE operation = ? AND idx IS NOT NULL
         AND (kind = 'signed' OR becomes IN ('FINAL_REVERTED', 'CANCELLED')) ORDER BY seq`,
        id,
      )
      return operationOf(row, { legs, steps, attempts, trail })
    } catch (cause) {
      if (cause instanceof AppError) throw cause
      // The stored values are JSON and numbers below 2^53: anything else is damage to this operation alone.
      throw new AppError('JOURNAL_UNREADABLE', `The journal cannot be read at the action ${id}`, {
        cause,
        details: { operation: id },
      })
    }
  }
  /** Loads operations; `unreadable` is called for each damaged one, without failing the others. */
  const loadEach = (rows: readonly Row[], unreadable: (id: string) => void): Operation[] =>
    rows.flatMap((row) => {
      try {
        return load(row)
      } catch (error) {
        const id =
          error instanceof AppError && error.code === 'JOURNAL_UNREADABLE' && error.details?.operation
        if (typeof id !== 'string') throw error
        unreadable(id)
        return []
      }
    })
  const find = (id: string): Operation | undefined => {
    const row = one('SELECT * FROM operation WHERE id = ?', id)
    return row && load(row)
  }
  const step = (id: string, index: number, becomes: StepState, why: string, recorded?: Recorded): void => {
    const was = stateOf(id, index)
    run('UPDATE step SET state = ? WHERE operation = ? AND idx = ?', becomes, id, index)
    note(id, index, was, becomes, why, recorded)
  }
  const release = (id: string, index: number, why: string): void => {
    run(
      "UPDATE step SET state = 'PLANNED', nonce = NULL, from_block = NULL WHERE operation = ? AND idx = ?",
      id,
      index,
    )
    note(id, index, 'RESERVED', 'PLANNED', why)
  }
  const settle = (
    id: string,
    becomes: OperationState,
    why: string,
    exit?: Exit,
    result?: unknown,
    recorded?: Recorded,
  ): void => {
    const was = String(one('SELECT state FROM operation WHERE id = ?', id)?.state)
    if (was === becomes) return
    run(
      'UPDATE operation SET state = ?, exit = ?, result = ? WHERE id = ?',
      becomes,
      exit ?? null,
      result === undefined ? null : canonicalJson(result),
      id,
    )
    note(id, null, was, becomes, why, recorded)
  }

  return { note, stateOf, load, loadEach, find, step, release, settle }
}
