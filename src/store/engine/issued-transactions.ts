import type { Sql } from '../sql/sql-types.ts'
import { type ActionRow, type ActionTxRow, actionColumns, txColumns } from './action-tables.ts'

/** An operation with its transactions. */
export type IssuedOperation = { action: ActionRow; txs: readonly ActionTxRow[] }

const ofQuote = `select ${actionColumns} from actions where customer = $1 and quote_id = $2 order by created_at, id`
const ofAction = `select ${txColumns} from action_txs where action_id = $1 order by idx`

const aDay = 24 * 3_600_000

/** Reads the operations of a quote with their transactions, oldest first. */
export async function operationsOf(
  query: (text: string, values: readonly string[]) => Promise<readonly unknown[]>,
  customer: string,
  quoteId: string,
): Promise<IssuedOperation[]> {
  const actions = (await query(ofQuote, [customer, quoteId])) as ActionRow[]
  return Promise.all(
    actions.map(async (action) => ({ action, txs: (await query(ofAction, [action.id])) as ActionTxRow[] })),
  )
}

/** The queries about issued transactions. They are never deleted, since any may still be sent. */
export const issuedTransactionQueries = (sql: Sql) => ({
  /** The operations of a quote, oldest first. */
  issuedOperations: (customer: string, quoteId: string): Promise<IssuedOperation[]> =>
    operationsOf(sql.cachedQuery, customer, quoteId),

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
      `select t.action_id as id from actions own join actions a on a.wallet = own.wallet and a.customer = own.customer
         join action_txs t on t.action_id = a.id
         where own.id = $1 and t.action_id <> $1 and t.hash is null and t.chain_id = $2 and t.recipient = $3 and t.data = $4 and t.value = $5
         and t.from_nonce <= $6 and a.created_at > own.created_at - $7 limit 1`,
      [actionId, chainId, recipient, data, value, nonce, aDay],
    )
    return twin !== undefined
  },
})
