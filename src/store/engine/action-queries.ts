import type { Sql } from '../sql/sql-types.ts'
import {
  type ActionRow,
  type ActionTxRow,
  actionColumns,
  isListedAction,
  isSwapColumn,
  isThere,
  txColumns,
} from './action-tables.ts'
import type { IssuedOperation } from './issued-transactions.ts'
import { conditions, totalsOf } from './list-conditions.ts'

/** The filters of a list of actions; null is no filter. `start` is the beginning of an id; `states` are words of `shownState`. */
export type ActionFilter = {
  wallet: string | null
  states: readonly string[] | null
  start: string | null
  hash: string | null
  chainIds: readonly number[]
}

/** The state of an action as it is shown, as SQL: one that expired after a part of it succeeded has failed. */
const shownState = `case when status = 'expired' and ${isThere('from action_txs t where t.action_id = actions.id and t.succeeded = 1')} then 'failed' else status end`

/** The chains of a customer's transactions, by one look into the index for each. */
const chainsOf = async (sql: Sql, customer: string): Promise<number[]> =>
  (
    await sql.query<{ chainId: number }>(
      `with recursive chains (chain_id) as (select min(chain_id) from action_txs where customer = $1 union all
         select (select min(chain_id) from action_txs where customer = $1 and chain_id > chains.chain_id) from chains where chain_id is not null)
       select chain_id as "chainId" from chains where chain_id is not null`,
      [customer],
    )
  ).map(({ chainId }) => Number(chainId))

/** The reads of issued actions and their transactions. */
export const actionQueries = (sql: Sql, totals = totalsOf(sql)) => ({
  action: async (customer: string, id: string): Promise<IssuedOperation | undefined> => {
    const [action] = await sql.cachedQuery<ActionRow>(
      `select ${actionColumns} from actions where customer = $1 and id = $2`,
      [customer, id],
    )
    return (
      action && {
        action,
        txs: await sql.cachedQuery<ActionTxRow>(
          `select ${txColumns} from action_txs where action_id = $1 order by idx`,
          [id],
        ),
      }
    )
  },

  /** The ids of strategies in which a wallet had an action, of any customer: chains are public. */
  strategiesOf: async (wallet: string): Promise<string[]> =>
    (
      await sql.query<{ id: string }>(
        'select distinct strategy_id as id from actions where wallet = $1 and strategy_id is not null',
        [wallet],
      )
    ).map(({ id }) => id),

  /** The fee payments of a wallet's actions in strategies that succeeded or were not seen yet, newest first. */
  feePayments: async (
    customer: string,
    wallet: string,
  ): Promise<readonly (ActionTxRow & { strategyId: string })[]> =>
    sql.query<ActionTxRow & { strategyId: string }>(
      `select ${txColumns}, (select strategy_id from actions where id = action_id) as "strategyId" from action_txs where kind = 'fee'
       and action_id in (select id from actions where customer = $1 and wallet = $2 and strategy_id is not null)
       and (succeeded = 1 or succeeded is null) order by from_block desc, action_id, idx`,
      [customer, wallet],
    ),

  /**
   * A page of a customer's actions, newest first, with the total. Drafts are left out, also one whose id is asked for, and several
   * operations of one quote count as one. Actions with a transaction outside of `chainIds` are left out.
   */
  actionPage: async (
    customer: string,
    { wallet, states, start, hash, chainIds }: ActionFilter,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<{ ids: string[]; total: number }> => {
    const { where, values } = conditions([customer])
    where.push('customer = $1', `(id = quote_id or not ${isSwapColumn('type')})`, isListedAction('actions'))
    if (wallet !== null) where.push(`lower(wallet) = ${values.mark(wallet.toLowerCase())}`)
    if (start !== null) {
      const mark = values.mark(start)
      where.push(`substr(id, 1, length(${mark})) = ${mark}`)
    }
    if (hash !== null)
      where.push(
        `exists (select 1 from action_txs t where t.action_id = actions.id and t.hash = ${values.mark(hash.toLowerCase())})`,
      )
    if (states !== null) {
      // What is stored for a shown state narrows the rows by an index.
      const stored = states.includes('failed') ? [...states, 'expired'] : states
      where.push(`status in (${values.marks(stored)})`, `${shownState} in (${values.marks(states)})`)
    }
    // Only what is on other chains too is looked at action by action.
    const others = (await chainsOf(sql, customer)).filter((chainId) => !chainIds.includes(chainId))
    if (others.length > 0)
      where.push(
        `not (${isThere(`from action_txs t where t.action_id = actions.id and t.chain_id in (${values.marks(others)})`)})`,
      )
    const all = where.join(' and ')
    const total = await totals(`select count(*) as n from actions where ${all}`, values.list())
    const rows = await sql.query<{ id: string }>(
      `select id from actions where ${all} order by created_at desc, id limit ${values.mark(limit)} offset ${values.mark(offset)}`,
      values.list(),
    )
    return { ids: rows.map(({ id }) => id), total }
  },

  /** Whether the identical call was issued to the wallet again later and is not found on chain: the sent one may be that. */
  hasTwin: async ({
    actionId,
    chainId,
    recipient,
    data,
    value,
    fromNonce,
  }: ActionTxRow): Promise<boolean> => {
    const [twin] = await sql.query<{ id: string }>(
      `select t.action_id as id from actions own join actions a on a.wallet = own.wallet and a.customer = own.customer
       join action_txs t on t.action_id = a.id
       where own.id = $1 and t.action_id <> $1 and t.hash is null and t.chain_id = $2 and t.recipient = $3 and t.data = $4 and t.value = $5
       and t.from_nonce >= $6 and a.created_at > own.created_at limit 1`,
      [actionId, chainId, recipient, data, value, fromNonce],
    )
    return twin !== undefined
  },

  /** Whether a transaction is what another action of a customer was delivered by. */
  isDeliveryOfAnother: async (customer: string, actionId: string, hash: string): Promise<boolean> => {
    const [other] = await sql.query<{ id: string }>(
      'select id from actions where customer = $1 and id <> $2 and destination_hash = $3 limit 1',
      [customer, actionId, hash],
    )
    return other !== undefined
  },
})
