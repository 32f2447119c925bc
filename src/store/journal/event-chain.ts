import { AppError } from '../../domain/errors.ts'
import { canonicalJson } from '../../domain/text/canonical-json.ts'
import { type JournalDb, type JournalQueries, sha256 } from './journal-db.ts'
import type { IntegrityJournal } from './journal-interface.ts'
import type { Row } from './rows.ts'

type Hashed = Pick<Row, 'operation' | 'idx' | 'was' | 'becomes' | 'why' | 'at'>

/** The hash of an audit event, including the hash of the event before it. */
export const eventHash = (
  previous: string,
  { operation, idx, was, becomes, why, at, kind, ref }: Hashed & Pick<Row, 'kind' | 'ref'>,
): string => sha256(canonicalJson([previous, operation, idx, was, becomes, why, at, kind, ref]))

/** Whether an event is as it was written. Those of earlier versions were hashed before they had a kind. */
const isIntact = (previous: string, event: Row): boolean => {
  const { operation, idx, was, becomes, why, at, hash } = event
  return (
    hash === eventHash(previous, event as never) ||
    hash === sha256(canonicalJson([previous, operation, idx, was, becomes, why, at]))
  )
}

/** The hash of an operation's immutable data. It is recorded in the audit trail, which is chained. */
export function operationSeal({ all, one }: Pick<JournalQueries, 'all' | 'one'>, id: string): string {
  const operation = one(
    'SELECT idem_key, request_hash, plan, kind, wallet, created FROM operation WHERE id = ?',
    id,
  )
  const legs = all(
    `SELECT leg, chain_id, arrival_token, arrival_minimum, arrival_recipient,
     deposit_address, deposit_memo, deposit_amount, deposit_until FROM leg WHERE operation = ? ORDER BY leg`,
    id,
  ).map(({ deposit_address, deposit_memo, deposit_amount, deposit_until, ...leg }) =>
    // The seals of other legs were made without these columns.
    deposit_amount === null ? leg : { ...leg, deposit_address, deposit_memo, deposit_amount, deposit_until },
  )
  const steps = all(
    'SELECT idx, leg, chain_id, wallet, role, text, target, value, data FROM step WHERE operation = ? ORDER BY idx',
    id,
  )
  return sha256(canonicalJson([id, operation, legs, steps]))
}

/** The hash of an attempt's immutable columns, without the time when it was signed. */
export const attemptHash = (row: Row): string => {
  const { created: _, sends, answer_class, last_answer, demanded_fee, demanded_tip, ...fixed } = row
  return sha256(canonicalJson(fixed))
}

/** Checks the file against itself, so that corruption or tampering is detected before anything is signed. */
export function journalIntegrity(db: JournalDb): IntegrityJournal {
  const { all, one, write } = db
  const broken = (id: string, what: string) =>
    new AppError('JOURNAL_UNREADABLE', `The journal was changed after it was written: ${what} of ${id}`, {
      details: { operation: id },
    })

  // One transaction, so that no other process writes in between.
  const checkNow = (id: string): void => {
    const events = all('SELECT * FROM event WHERE operation = ? ORDER BY seq', id)
    for (const event of events)
      if (!isIntact(String(event.prev_hash), event)) throw broken(id, `line ${event.seq} of the trail`)
    const operation = one('SELECT state, request, request_hash FROM operation WHERE id = ?', id)
    // Of what an earlier version kept elsewhere the request is known by its hash only.
    const isRequest =
      operation?.request === 'null' || operation?.request_hash === sha256(String(operation?.request))
    if (!operation || !isRequest) throw broken(id, 'the request')
    // Operations of the first versions have no seal.
    if (events[0]?.kind === 'planned' && events[0].ref === null) return
    const seal = events.findLast(({ kind }) => kind === 'planned' || kind === 'replanned')?.ref
    if (seal !== operationSeal(db, id)) throw broken(id, 'the plan')
    const last = (idx: number | null) => events.findLast((event) => event.idx === idx && event.becomes !== '')
    const about = events.findLast(({ idx, was }) => idx === null && !String(was).startsWith('leg '))
    if (about?.becomes !== operation.state) throw broken(id, 'the state')
    for (const { idx, state } of all('SELECT idx, state FROM step WHERE operation = ?', id))
      if ((last(Number(idx))?.becomes ?? 'PLANNED') !== state) throw broken(id, `the state of step ${idx}`)
    checkNonces(id, events)
    checkAttempts(id, events)
  }

  const checkNonces = (id: string, events: readonly Row[]): void => {
    for (const { idx, nonce } of all(
      'SELECT idx, nonce FROM step WHERE operation = ? AND nonce IS NOT NULL',
      id,
    ))
      if (events.findLast((event) => event.idx === idx && event.kind === 'reserved')?.ref !== String(nonce))
        throw broken(id, `the nonce of step ${idx}`)
  }
  const checkAttempts = (id: string, events: readonly Row[]): void => {
    const attempts = all('SELECT * FROM attempt WHERE operation = ?', id)
    const signed = events.flatMap(({ kind, ref }) => (kind === 'signed' ? [ref] : []))
    if (attempts.length !== signed.length || attempts.some((row) => !signed.includes(attemptHash(row))))
      throw broken(id, 'what was signed')
  }

  return {
    verify: (id) => write(() => checkNow(id)),
    firstBrokenEvent: () => {
      let previous = ''
      for (const event of all('SELECT * FROM event ORDER BY seq')) {
        if (event.prev_hash !== previous || !isIntact(previous, event)) return Number(event.seq)
        previous = String(event.hash)
      }
      return undefined
    },
  }
}
