import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { headRetentionMs } from '../../domain/networks.ts'
import { canonicalJson } from '../../domain/text/canonical-json.ts'
import { journalWrites } from './audited-state-changes.ts'
import { journalCodePins } from './code-pins.ts'
import { openJournalDb } from './database.ts'
import { journalDeposits } from './deposits.ts'
import { attemptHash, journalIntegrity, operationSeal } from './event-chain.ts'
import { type JournalDb, sha256 } from './journal-db.ts'
import type { HeadJournal, Journal } from './journal-interface.ts'
import { journalLimitHolds } from './limit-holds.ts'
import { journalLookups } from './lookups.ts'
import type { EventKind } from './operation-types.ts'
import { journalReopening } from './replan-and-reopen-writes.ts'
import { columnsOf, eventOf } from './rows.ts'
import { sendAnswerText } from './send-answer.ts'
import type { StepState } from './states.ts'
import { journalOrders, takeOrderInside } from './used-orders.ts'

/** The hash that identifies a request, independent of key order. */
export const hashRequest = (request: unknown): string => sha256(canonicalJson(request))

/** Opens the journal. JOURNAL_UNREADABLE if it is damaged, since it may have been signed with. */
export function openJournal(path: string, clock: () => number): Journal {
  const db = openJournalDb(path)
  const { all, one, run, put, write, close } = db
  const inside = journalWrites(db, clock)
  const seal = journalIntegrity(db)
  const { note, stateOf, load, loadEach, find, step, release, settle } = inside

  return {
    insert: (operation) => {
      const { id, idemKey, request, kind, wallet, legs } = operation
      write(() => {
        const now = clock()
        put('operation', {
          id,
          idem_key: idemKey,
          request_hash: hashRequest(request),
          request: canonicalJson(request),
          plan: canonicalJson(operation.plan ?? null),
          kind,
          wallet,
          created: now,
          updated: now,
        })
        let idx = 0
        for (const [leg, { chainId, arrival, deposit, steps }] of legs.entries()) {
          put('leg', {
            operation: id,
            leg,
            chain_id: chainId,
            arrival_token: arrival?.token ?? null,
            arrival_minimum: arrival?.minimum.toString() ?? null,
            arrival_recipient: arrival?.recipient ?? null,
            ...(deposit && {
              deposit_address: deposit.address,
              deposit_memo: deposit.memo,
              deposit_amount: deposit.amount.toString(),
              deposit_until: deposit.until,
            }),
          })
          for (const { role, text, transaction } of steps)
            put('step', { operation: id, idx: idx++, leg, wallet, role, text, ...columnsOf(transaction) })
        }
        for (const order of operation.orders ?? []) takeOrderInside(db, clock, order, id)
        note(id, null, '', 'OPEN', 'planned', { kind: 'planned', ref: operationSeal(db, id) })
      })
      return find(id)!
    },
    find,
    findForRequest: (idemKey, request) => {
      const row = one("SELECT * FROM operation WHERE idem_key = ? AND state <> 'DROPPED'", idemKey)
      if (row && row.request_hash !== hashRequest(request)) {
        seal.verify(String(row.id))
        throw new AppError(
          'IDEMPOTENCY_KEY_REUSED',
          `The idempotency key ${idemKey} was used for another request`,
          {
            details: { operation: row.id },
          },
        )
      }
      return row && load(row)
    },
    list: ({ states, wallet, limit = 100 } = {}, unreadable = () => undefined) =>
      loadEach(
        all(
          `SELECT * FROM operation WHERE (? IS NULL OR wallet = ?) AND (? IS NULL OR state IN (SELECT value FROM json_each(?)))
         ORDER BY created DESC, id DESC LIMIT ?`,
          wallet ?? null,
          wallet ?? null,
          states ? 'some' : null,
          JSON.stringify(states ?? []),
          limit,
        ),
        unreadable,
      ),
    reserveNonce: (id, index, nonce, fromBlock) =>
      write(() => {
        run(
          "UPDATE step SET state = 'RESERVED', nonce = ?, from_block = ? WHERE operation = ? AND idx = ?",
          nonce,
          fromBlock,
          id,
          index,
        )
        note(id, index, 'PLANNED', 'RESERVED', `nonce ${nonce}`, { kind: 'reserved', ref: String(nonce) })
      }),
    releaseNonce: (id, index, why) => write(() => release(id, index, why)),
    releaseOtherNonces: (chainId, wallet, id) =>
      write(() => {
        for (const row of all(
          "SELECT * FROM step WHERE chain_id = ? AND wallet = ? AND state = 'RESERVED' AND operation <> ?",
          chainId,
          wallet,
          id,
        ))
          release(String(row.operation), Number(row.idx), 'never signed, and its process is gone')
      }),
    recordSigned: (id, index, attempt) =>
      write(() => {
        put('attempt', {
          operation: id,
          idx: index,
          hash: attempt.hash,
          raw: attempt.raw,
          kind: attempt.kind,
          nonce: attempt.nonce,
          ...columnsOf(attempt.transaction),
          gas: attempt.gas.toString(),
          max_fee: attempt.maxFeePerGas.toString(),
          max_priority: attempt.maxPriorityFeePerGas.toString(),
          created: clock(),
        })
        const sum = attemptHash(one('SELECT * FROM attempt WHERE hash = ?', attempt.hash)!)
        const was = stateOf(id, index)
        const signed = { kind: 'signed', ref: sum } as const
        if (was === 'RESERVED') step(id, index, 'SIGNED', `signed ${attempt.hash}`, signed)
        else note(id, index, was, was, `signed ${attempt.hash}`, signed)
        if (find(id)?.state === 'OPEN') settle(id, 'EXECUTING', 'first signature')
      }),
    recordSent: (hash, answer) =>
      write(() => {
        run(
          `UPDATE attempt SET sends = sends + 1, answer_class = ?, last_answer = ?, demanded_fee = ?, demanded_tip = ?
           WHERE hash = ?`,
          answer.is,
          answer.words,
          answer.demands?.maxFeePerGas.toString() ?? null,
          answer.demands?.maxPriorityFeePerGas.toString() ?? null,
          hash,
        )
        const row = one('SELECT * FROM attempt WHERE hash = ?', hash)
        if (row && stateOf(String(row.operation), Number(row.idx)) === 'SIGNED')
          step(String(row.operation), Number(row.idx), 'BROADCAST', sendAnswerText(answer))
      }),
    moveStep: (id, index, becomes, why, inclusion, ref = null) =>
      write(() => {
        run(
          'UPDATE step SET final_hash = ?, block_number = ?, block_hash = ?, gas_used = ?, gas_price = ? WHERE operation = ? AND idx = ?',
          inclusion?.hash ?? null,
          inclusion?.blockNumber ?? null,
          inclusion?.blockHash ?? null,
          inclusion?.gasUsed.toString() ?? null,
          inclusion?.gasPrice.toString() ?? null,
          id,
          index,
        )
        step(id, index, becomes, why, { kind: kindOfMove(becomes), ref })
      }),
    supersede: (id, index, owner, why, ref) =>
      write(() => {
        step(id, index, 'SUPERSEDED', owner, { kind: 'superseded', ref })
        settle(id, 'ATTENTION', why, 23)
      }),
    recordDelivery: (id, leg, hash) =>
      write(() => {
        run('UPDATE leg SET arrival_hash = ? WHERE operation = ? AND leg = ?', hash, id, leg)
        note(id, null, `leg ${leg} waiting`, `leg ${leg} ready`, hash)
      }),
    settle: (id, becomes, why, exit, result) => write(() => settle(id, becomes, why, exit, result)),
    dropForReplan: (id, why) =>
      write(() => settle(id, 'DROPPED', why, 130, undefined, { kind: 'replaced', ref: null })),
    ...journalReopening(db, inside, clock),
    ...journalLookups(db, inside),
    ...seal,
    ...journalLimitHolds(db, clock),
    ...journalCodePins(db, clock),
    ...journalHeads(db, clock),
    ...journalDeposits(db, inside),
    ...journalOrders(db, clock),
    events: (id) => all('SELECT * FROM event WHERE operation = ? ORDER BY seq', id).map(eventOf),
    close,
  }
}

/** What the move of a step into a state records. */
const kindOfMove = (becomes: StepState): EventKind => {
  if (becomes === 'SUPERSEDED') return 'superseded'
  return becomes === 'FINAL_OK' || becomes === 'FINAL_REVERTED' || becomes === 'CANCELLED' ? 'final' : 'moved'
}

/** The newest recorded block of each chain. */
function journalHeads({ one, run, write }: JournalDb, clock: () => number): HeadJournal {
  return {
    highestHead: (chainId) => {
      const row = one('SELECT * FROM head WHERE chain_id = ?', chainId)
      return row && { number: Number(row.number), hash: String(row.hash) as Hex, seen: Number(row.seen) }
    },
    recordHead: (chainId, number, hash) =>
      write(() =>
        run(
          `INSERT INTO head VALUES (?, ?, ?, ?) ON CONFLICT (chain_id) DO UPDATE
           SET hash = excluded.hash, number = excluded.number, seen = excluded.seen
           WHERE excluded.number >= head.number OR abs(excluded.seen - head.seen) > ?`,
          chainId,
          number,
          hash,
          clock(),
          headRetentionMs,
        ),
      ),
  }
}
