import { insertOf } from '../sql/insert.ts'
import type { Sql } from '../sql/sql-types.ts'
import { type ActionRow, type ActionTxRow, actionColumns, txColumns } from './action-tables.ts'

/** An operation with its transactions. */
export type IssuedOperation = { action: ActionRow; txs: readonly ActionTxRow[] }

/** Whether a type is a swap, as SQL. */
export const isSwapColumn = (column: string): string => `${column} in ('SAMECHAIN_SWAP', 'CROSSCHAIN_SWAP')`

const ofQuote = `select ${actionColumns} from actions where customer = $1 and quote_id = $2 order by created_at, id`
const ofAction = `select ${txColumns} from action_txs where action_id = $1 order by idx`

const aDay = 24 * 3_600_000

/** The queries about issued transactions. They are never deleted, since any may still be sent. */
export const issuedTransactionQueries = (sql: Sql) => {
  const all = async (
    query: (text: string, values: readonly string[]) => Promise<readonly unknown[]>,
    customer: string,
    quoteId: string,
  ): Promise<IssuedOperation[]> =>
    Promise.all(
      ((await query(ofQuote, [customer, quoteId])) as ActionRow[]).map(async (action) => ({
        action,
        txs: (await query(ofAction, [action.id])) as ActionTxRow[],
      })),
    )
  return {
    /** The operations of a quote, oldest first. */
    issuedOperations: (customer: string, quoteId: string): Promise<IssuedOperation[]> =>
      all(sql.cachedQuery, customer, quoteId),

    /**
     * Stores an operation with its transactions. An operation of the same quote, wallet and receiver that includes these
     * transactions is the same, and no draft any more if this one is none; another one gets `otherId`. False if the quote already has `most` of them.
     */
    issueOperation: async (
      row: ActionRow,
      txs: readonly ActionTxRow[],
      { otherId, most }: { otherId: string; most: number },
    ): Promise<boolean> => {
      // The issues of a quote are one action, so the execution of one lists them all, and none is ended any more.
      const list = async (query: Sql['query'], issues: readonly IssuedOperation[]): Promise<void> => {
        if (row.draft === 0 && issues.some(({ action }) => action.draft === 1 || action.cancelledAt !== null))
          await query(
            'update actions set draft = 0, cancelled_at = null where customer = $1 and quote_id = $2',
            [row.customer, row.quoteId],
          )
      }
      const same = (one: IssuedOperation) => isSame(one, row, txs)
      const earlier = async (query: Parameters<typeof all>[0]) =>
        row.quoteId === null ? [] : all(query, row.customer, row.quoteId)
      // The same operation again, which is frequent, needs no write.
      const known = await earlier(sql.cachedQuery)
      if (known.some(same)) {
        await list(sql.query, known)
        return true
      }
      return sql.transaction(async ({ query }) => {
        const before = await earlier(query)
        await list(query, before)
        if (before.some(same)) return true
        if (before.length >= most) return false
        const id = before.some(({ action }) => action.id === row.id) ? otherId : row.id
        await query(...insertOf('actions', { ...row, id }))
        for (const tx of txs)
          await query(...insertOf('action_txs', { ...tx, actionId: id, customer: row.customer }))
        return true
      })
    },

    /**
     * Whether a used nonce may belong to another operation with the identical call for the same wallet: issued before that was
     * sent, and not found on chain. Operations left unsent for a day before this one was issued do not count: the person has given
     * those up, and this one would never be confirmed.
     */
    hasOpenTwin: async (
      { actionId, chainId, recipient, data, value }: ActionTxRow,
      nonce: number,
    ): Promise<boolean> => {
      const [twin] = await sql.query<{ id: string }>(
        `select t.action_id as id from action_txs t join actions a on a.id = t.action_id
         where t.action_id <> $1 and t.hash is null and t.chain_id = $2 and t.recipient = $3 and t.data = $4 and t.value = $5
         and t.from_nonce <= $6 and a.created_at > (select created_at from actions where id = $1) - $7
         and (a.customer, a.wallet) in (select customer, wallet from actions where id = $1) limit 1`,
        [actionId, chainId, recipient, data, value, nonce, aDay],
      )
      return twin !== undefined
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
