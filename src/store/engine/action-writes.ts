import type { Alongside, Announcing } from '../events/write-event.ts'
import { insertOf, insertOfAll } from '../sql/insert.ts'
import type { Sql, TransactionOptions } from '../sql/sql-types.ts'
import type { ActionRow, ActionTxRow } from './action-tables.ts'
import { chainsOf } from './chain-tracking.ts'
import { isReportedForOther } from './client-report-queries.ts'
import { type IssuedOperation, operationsOf } from './issued-transactions.ts'
import { tellAction } from './tell-changes.ts'

/** The id and customer of an action whose rows a transaction has changed. */
type Changed = { customer: string; id: string }

/**
 * The writes of issued actions and their transactions: the only ones, so that none changes a state without its event. A claim, a client's report and a
 * change of status each apply only while the row is as it was read.
 */
export const actionWrites = (sql: Sql, announcing: Announcing) => {
  /** Runs `work` and tells what it changed, in one transaction. */
  const telling = <T>(
    work: (query: Sql['query'], changed: (rows: readonly Changed[]) => void) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> =>
    sql.transaction(async (tx) => {
      const all: Changed[] = []
      const result = await work(tx.query, (rows) => all.push(...rows))
      for (const { customer, id } of all) await tellAction(tx, announcing, customer, id)
      return result
    }, options)

  return {
    /** Lists an action that was a draft: its client has signed it. */
    listAction: (customer: string, id: string): Promise<void> =>
      telling(async (query, changed) => {
        changed(
          await query<Changed>(
            'update actions set draft = 0 where customer = $1 and id = $2 and draft = 1 returning customer, id',
            [customer, id],
          ),
        )
      }),

    /** Keeps that the client of an action, and of the other issues of its quote, sends no more of it. Its state changes when its chains are read. */
    endAction: (customer: string, id: string, now: number) =>
      sql.query(
        'update actions set cancelled_at = $3 where customer = $1 and (id = $2 or quote_id = $2) and cancelled_at is null',
        [customer, id, now],
      ),

    /**
     * Assigns a hash found on chain to a transaction, unless another transaction of the customer has it, it was reported for
     * another one, or the row changed since it was read; returns the row's hash.
     */
    claim: (tx: ActionTxRow, hash: string, nonce: number): Promise<string | null> =>
      telling(async (query, changed) => {
        const { actionId, idx, chainId } = tx
        changed(
          await query<Changed>(
            `update action_txs set hash = $4 where action_id = $1 and idx = $2 and hash is not distinct from $5
             and not exists (select 1 from action_txs other where other.customer = action_txs.customer and other.chain_id = $3 and other.hash = $4)
             and not ${isReportedForOther('action_txs')} returning customer, action_id as id`,
            [actionId, idx, chainId, hash, tx.hash, nonce],
          ),
        )
        const [row] = await query<{ hash: string | null }>(
          'select hash from action_txs where action_id = $1 and idx = $2',
          [actionId, idx],
        )
        return row?.hash ?? null
      }),

    /**
     * Assigns a hash to a transaction. A client's report takes it from a transaction that was only guessed; both are checked again,
     * but a confirmed one stays, unless its block was lost (`isLost`). Returns false if the row changed since it was read.
     */
    bindTx: (customer: string, tx: ActionTxRow, hash: string, isLost: boolean): Promise<boolean> =>
      telling(async (query, changed) => {
        const { actionId, idx, chainId } = tx
        const [row] = await query<Pick<ActionTxRow, 'hash' | 'succeeded'>>(
          'select hash, succeeded from action_txs where action_id = $1 and idx = $2',
          [actionId, idx],
        )
        if (row?.hash !== tx.hash || (row.succeeded === 1 && !isLost)) return false
        changed(
          await query<Changed>(
            `update actions set status = 'pending', destination_hash = null, finished_at = null
             where (id = $4 and (status not in ('fulfilled', 'refunded') or $5 = 1))
             or id in (select action_id from action_txs where customer = $1 and chain_id = $2 and hash = $3 and action_id <> $4)
             returning customer, id`,
            [customer, chainId, hash, actionId, isLost ? 1 : 0],
          ),
        )
        await query(
          `update action_txs set hash = null, nonce = null, block_number = null, block_hash = null, succeeded = null, gas_used = null
           where (customer = $1 and chain_id = $2 and hash = $3) or (action_id = $4 and idx = $5)`,
          [customer, chainId, hash, actionId, idx],
        )
        await query('update action_txs set hash = $3 where action_id = $1 and idx = $2', [
          actionId,
          idx,
          hash,
        ])
        changed([{ customer, id: actionId }])
        return true
      }),

    /** Stores a transaction's on-chain state, if it still has the same hash. */
    saveTx: (tx: ActionTxRow): Promise<void> =>
      telling(async (query, changed) => {
        changed(
          await query<Changed>(
            `update action_txs set nonce = $4, block_number = $5, block_hash = $6, succeeded = $7, gas_used = $8
             where action_id = $1 and idx = $2 and hash = $3 returning customer, action_id as id`,
            [tx.actionId, tx.idx, tx.hash, tx.nonce, tx.blockNumber, tx.blockHash, tx.succeeded, tx.gasUsed],
          ),
        )
      }),

    /** Changes an operation's status, unless it or its transactions' hashes changed since they were read; returns whether it did. */
    moveAction: (
      row: Pick<ActionRow, 'id' | 'status' | 'destinationHash' | 'updatedAt' | 'finishedAt'>,
      was: {
        action: Pick<ActionRow, 'status' | 'destinationHash'>
        txs: readonly Pick<ActionTxRow, 'hash'>[]
      },
    ): Promise<boolean> =>
      telling(async (query, changed) => {
        const txs = await query<{ hash: string | null }>(
          'select hash from action_txs where action_id = $1 order by idx',
          [row.id],
        )
        if (txs.some(({ hash }, at) => hash !== was.txs[at]?.hash)) return false
        const moved = await query<Changed>(
          `update actions set status = $2, destination_hash = $3, updated_at = $4, finished_at = $5
           where id = $1 and status = $6 and destination_hash is not distinct from $7 returning customer, id`,
          [
            row.id,
            row.status,
            row.destinationHash,
            row.updatedAt,
            row.finishedAt,
            was.action.status,
            was.action.destinationHash,
          ],
        )
        changed(moved)
        return moved.length > 0
      }),

    /**
     * Stores an operation with its transactions. An operation of the same quote, wallet and receiver that includes these
     * transactions is the same, and no draft any more if this one is none; another one gets `otherId`. False if the quote already has `most` of them.
     */
    issueOperation: async (
      row: ActionRow,
      txs: readonly ActionTxRow[],
      {
        otherId,
        most,
        alongside,
      }: { otherId: string; most: number; alongside?: Alongside<void> | undefined },
    ): Promise<boolean> => {
      // The issues of a quote are one action, so the execution of one lists them all, and none is ended any more.
      const isToList = (issues: readonly IssuedOperation[]) =>
        row.draft === 0 && issues.some(({ action }) => action.draft === 1 || action.cancelledAt !== null)
      const same = (one: IssuedOperation) => isSame(one, row, txs)
      const earlier = async (query: Parameters<typeof operationsOf>[0]) =>
        row.quoteId === null ? [] : operationsOf(query, row.customer, row.quoteId)
      // The same operation again, which is frequent, needs no write.
      const known = await earlier(sql.cachedQuery)
      if (known.some(same) && !isToList(known)) return true
      return telling(
        async (query, changed) => {
          const before = await earlier(query)
          if (isToList(before))
            changed(
              await query<Changed>(
                'update actions set draft = 0, cancelled_at = null where customer = $1 and quote_id = $2 returning customer, id',
                [row.customer, row.quoteId],
              ),
            )
          if (before.some(same)) return true
          if (before.length >= most) return false
          const id = before.some(({ action }) => action.id === row.id) ? otherId : row.id
          await query(...insertOf('actions', { ...row, id, chains: chainsOf(txs) }))
          const issued = txs.map((tx) => ({ ...tx, actionId: id, customer: row.customer }))
          if (issued.length > 0) await query(...insertOfAll('action_txs', issued))
          if (row.draft === 0) changed([{ customer: row.customer, id }])
          await alongside?.({ query })
          return true
          // Without a quote all its rows are new, so nobody else reads or writes them; PostgreSQL would see conflicts between any two.
        },
        { isOrderedByLocks: row.quoteId === null },
      )
    },
  }
}

const isSame = ({ action, txs }: IssuedOperation, row: ActionRow, wanted: readonly ActionTxRow[]): boolean =>
  action.type === row.type &&
  action.wallet === row.wallet &&
  action.receiver === row.receiver &&
  wanted.every((tx) => txs.some((known) => callOf(known) === callOf(tx)))

const callOf = ({ chainId, recipient, data, value }: ActionTxRow): string =>
  JSON.stringify([Number(chainId), recipient, data, value])
