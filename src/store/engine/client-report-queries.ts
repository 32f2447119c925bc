import { insertOf } from '../sql/insert.ts'
import type { Sql } from '../sql/sql-types.ts'

/**
 * A hash that a client reported for an operation and that none of its transactions has: no node knew it yet, or it belongs to a
 * second send of transaction `idx`. `chainId` is `null` if the client named none.
 */
type ClientReportRow = {
  actionId: string
  hash: string
  chainId: number | null
  idx: number | null
  toldAt: number
}

export const clientReportSchema = `create table action_told (
     action_id text not null references actions (id), hash text not null, customer text not null, chain_id bigint, idx integer, told_at bigint not null,
     primary key (action_id, hash));
   create index told_hashes on action_told (customer, hash)`

/** How many reported hashes of an operation are stored, newest first. */
const maxReports = 8

/**
 * Whether a hash was reported for another operation of the customer with the same call, as SQL: then it belongs to that one. `tx`
 * is the candidate row; the hash is $4 and its nonce $6.
 */
export const isReportedForOther = (tx: string): string =>
  `exists (select 1 from action_told told join action_txs twin on twin.action_id = told.action_id
   where told.customer = ${tx}.customer and told.hash = $4 and told.action_id <> ${tx}.action_id and told.idx is null
   and twin.chain_id = ${tx}.chain_id and twin.recipient = ${tx}.recipient and twin.data = ${tx}.data and twin.value = ${tx}.value
   and twin.from_nonce <= $6 and (twin.succeeded is null or twin.succeeded = 0))`

/** The queries about client reports. */
export const clientReportQueries = (sql: Sql) => ({
  /**
   * The reports of an operation, oldest first. A hash that another transaction already has may belong to an identical operation.
   */
  clientReports: (actionId: string): Promise<readonly ClientReportRow[]> =>
    sql.cachedQuery<ClientReportRow>(
      `select action_id as "actionId", hash, chain_id as "chainId", idx, told_at as "toldAt" from action_told told where action_id = $1
       and (idx is null or not exists (select 1 from action_txs tx where tx.customer = told.customer and tx.chain_id = told.chain_id and tx.hash = told.hash)) order by told_at, hash`,
      [actionId],
    ),

  saveClientReport: (customer: string, row: ClientReportRow): Promise<void> =>
    sql.transaction(async ({ query }) => {
      const again =
        'on conflict (action_id, hash) do update set chain_id = excluded.chain_id, idx = excluded.idx'
      await query(...insertOf('action_told', { customer, ...row }, again))
      await query(
        `delete from action_told where action_id = $1 and hash not in
         (select hash from action_told where action_id = $1 order by told_at desc, hash limit ${maxReports})`,
        [row.actionId],
      )
    }),

  deleteClientReport: ({ actionId, hash }: Pick<ClientReportRow, 'actionId' | 'hash'>) =>
    sql.query('delete from action_told where action_id = $1 and hash = $2', [actionId, hash]),
})
