import { insertOf } from '../sql/insert.ts'
import type { Sql } from '../sql/sql-types.ts'

/**
 * A snapshot of a market's index, the value of one unit, at a block; `day` is counted from 1970, `at` is Unix seconds. `last` is 1
 * if the block is taken as the end of that day.
 */
export type Snapshot = {
  market: string
  day: number
  at: number
  block: number
  hash: string
  idx: string
  last: number
}

/** The table of snapshots: one for each market and day, from archive nodes or our own readings. */
export const snapshotSchema = `create table index_snapshots (
     chain_id bigint not null, market text not null, day bigint not null, at bigint not null, block bigint not null, hash text not null, idx text not null,
     primary key (chain_id, market, day))`

/** Marks the snapshots at the end of their day. */
export const lastOfDay = 'alter table index_snapshots add column last bigint not null default 0'

/** How many days of snapshots are stored. */
const keptDays = 40

/** The queries about snapshots. */
export function snapshotQueries(sql: Sql) {
  let pastReadings = 0
  return {
    /** The snapshots of a chain's markets, or one of them, between two days, oldest first. */
    snapshots: (
      chainId: number,
      { from, to, market }: { from: number; to: number; market?: string },
    ): Promise<Snapshot[]> =>
      sql.query<Snapshot>(
        `select market, day, at, block, hash, idx, last from index_snapshots where chain_id = $1 and day >= $2 and day <= $3
       and (cast($4 as text) is null or market = $4) order by at`,
        [chainId, from, to, market ?? null],
      ),

    /** Stores snapshots and deletes old ones; the first of a day stays, unless its block left the chain. */
    storeSnapshots: async (chainId: number, rows: readonly Snapshot[], isAgain: boolean): Promise<void> => {
      await sql.transaction(async ({ query }) => {
        const newest = Math.max(...rows.map(({ day }) => day))
        await query('delete from index_snapshots where chain_id = $1 and day < $2', [
          chainId,
          newest - keptDays,
        ])
        const again = isAgain
          ? 'update set at = excluded.at, block = excluded.block, hash = excluded.hash, idx = excluded.idx, last = excluded.last'
          : 'nothing'
        for (const row of rows)
          await query(
            ...insertOf(
              'index_snapshots',
              { chainId, ...row },
              `on conflict (chain_id, market, day) do ${again}`,
            ),
          )
      })
      if (isAgain) pastReadings++
    },

    /** Deletes snapshots by block hash. */
    deleteSnapshots: async (chainId: number, hashes: readonly string[]): Promise<void> => {
      await sql.transaction(async ({ query }) => {
        for (const hash of hashes)
          await query('delete from index_snapshots where chain_id = $1 and hash = $2', [chainId, hash])
      })
      pastReadings++
    },

    /** How often this process has stored or deleted snapshots of past days: unchanged means that past days are unchanged. */
    pastReadings: (): number => pastReadings,
  }
}
