import type { Sql } from '../sql/sql.ts'

/**
 * What one unit of a market had become at a block; `day` is the day of that block, counted from 1970, and `at` its time in Unix seconds. `last` is 1
 * where it is the block that whoever looks takes for the end of that day, and 0 where it is another of the day.
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

/** One reading of each market a day: those of a node that keeps old states, and our own where none does. */
export const snapshotSchema = `create table index_snapshots (
     chain_id bigint not null, market text not null, day bigint not null, at bigint not null, block bigint not null, hash text not null, idx text not null,
     primary key (chain_id, market, day))`

/** Which readings are those at the end of their day. */
export const lastOfDay = 'alter table index_snapshots add column last bigint not null default 0'

/** Older readings are of no use to anybody. */
const keptDays = 40

/** The queries about what markets had become. */
export function snapshotQueries(sql: Sql) {
  let pastReadings = 0
  return {
    /** The readings of the markets of a chain, or of one of them, from a day to another, oldest first. */
    snapshots: (
      chainId: number,
      { from, to, market }: { from: number; to: number; market?: string },
    ): Promise<Snapshot[]> =>
      sql.query<Snapshot>(
        `select market, day, at, block, hash, idx, last from index_snapshots where chain_id = $1 and day >= $2 and day <= $3
       and ($4 is null or market = $4) order by at`,
        [chainId, from, to, market ?? null],
      ),

    /** Keeps readings and drops the old ones; the first of a day stays, unless it is of a block that is no more. */
    keepSnapshots: async (chainId: number, rows: readonly Snapshot[], isAgain: boolean): Promise<void> => {
      await sql.transaction(async ({ query }) => {
        const newest = Math.max(...rows.map(({ day }) => day))
        await query('delete from index_snapshots where chain_id = $1 and day < $2', [
          chainId,
          newest - keptDays,
        ])
        for (const { market, day, at, block, hash, idx, last } of rows)
          await query(
            `insert into index_snapshots (chain_id, market, day, at, block, hash, idx, last) values ($1, $2, $3, $4, $5, $6, $7, $8)
           on conflict (chain_id, market, day) do ${isAgain ? 'update set at = excluded.at, block = excluded.block, hash = excluded.hash, idx = excluded.idx, last = excluded.last' : 'nothing'}`,
            [chainId, market, day, at, block, hash, idx, last],
          )
      })
      if (isAgain) pastReadings++
    },

    /** Forgets the readings of blocks, by hash. */
    forgetSnapshots: async (chainId: number, hashes: readonly string[]): Promise<void> => {
      await sql.transaction(async ({ query }) => {
        for (const hash of hashes)
          await query('delete from index_snapshots where chain_id = $1 and hash = $2', [chainId, hash])
      })
      pastReadings++
    },

    /** How often this process has kept or forgotten readings of old blocks: as long as it is the same, so are the days before today. */
    pastReadings: (): number => pastReadings,
  }
}
