import { insertOf } from '../sql/insert.ts'
import type { Sql } from '../sql/sql-types.ts'

/** A stored log of a final block: its position and JSON. */
type StoredLog = { block: number; idx: number; log: string }

/** A mark: everything up to a block was read; `hash` is that block's hash then. */
type ReadMark = { block: number; hash: string }

/** The logs of one contract about one owner. Chains are public, so there is no customer. */
export type LogSource = { chainId: number; source: string; owner: string }

/** The tables of historical chain data: logs of owners, marks of how far they were read, and immutable facts by name. */
export const chainLogSchema = `create table chain_logs (
     chain_id bigint not null, source text not null, owner text not null, block bigint not null, idx bigint not null, log text not null,
     primary key (chain_id, source, owner, block, idx));
   create table chain_log_marks (
     chain_id bigint not null, source text not null, owner text not null, block bigint not null, hash text not null,
     primary key (chain_id, source, owner, block));
   create table chain_facts (chain_id bigint not null, name text not null, value text not null, primary key (chain_id, name))`

/** Deletes all logs, to read them again: earlier ones may be from nodes that lagged. */
export const chainLogReset = `delete from chain_log_marks;
   delete from chain_logs`

/** How many marks are stored: after a reorganisation reading continues at the newest valid one. */
const keptMarks = 8

/** The queries about historical chain data. */
export function chainLogQueries(sql: Sql) {
  const where = 'chain_id = $1 and source = $2 and owner = $3'
  const valuesOf = ({ chainId, source, owner }: LogSource) => [chainId, source, owner]
  return {
    /** How far a source was read, newest first. */
    marks: (place: LogSource): Promise<ReadMark[]> =>
      sql.query<ReadMark>(
        `select block, hash from chain_log_marks where ${where} order by block desc`,
        valuesOf(place),
      ),

    storedLogs: (place: LogSource): Promise<StoredLog[]> =>
      sql.query<StoredLog>(
        `select block, idx, log from chain_logs where ${where} order by block, idx`,
        valuesOf(place),
      ),

    /** The sources on a chain with logs about an owner. */
    storedSources: async (chainId: number, owner: string): Promise<string[]> =>
      (
        await sql.query<{ source: string }>(
          'select distinct source from chain_logs where chain_id = $1 and owner = $2',
          [chainId, owner],
        )
      ).map(({ source }) => source),

    /** Deletes what was read above a block; below zero is everything. */
    deleteLogs: (place: LogSource, above: number): Promise<void> =>
      sql.transaction(async ({ query }) => {
        const values = [...valuesOf(place), above]
        await query(`delete from chain_log_marks where ${where} and block > $4`, values)
        await query(`delete from chain_logs where ${where} and block > $4`, values)
      }),

    /**
     * Stores the next piece of every source, up to a mark. A piece continues `after` a mark; if that mark is gone, or another
     * process has started, there would be a gap: nothing is stored, and it returns false.
     */
    storeLogs: (
      pieces: readonly { place: LogSource; after: number | null; logs: readonly StoredLog[] }[],
      mark: ReadMark,
    ): Promise<boolean> =>
      sql.transaction(async ({ query }) => {
        for (const { place, after } of pieces) {
          if (after === null) continue
          const values = [...valuesOf(place), after]
          const found = await query(`select 1 from chain_log_marks where ${where} and block = $4`, values)
          if (found.length === 0) return false
        }
        for (const { place, logs } of pieces) {
          const values = valuesOf(place)
          for (const row of logs)
            await query(
              ...insertOf(
                'chain_logs',
                { ...place, ...row },
                'on conflict (chain_id, source, owner, block, idx) do update set log = excluded.log',
              ),
            )
          await query(
            ...insertOf(
              'chain_log_marks',
              { ...place, ...mark },
              'on conflict (chain_id, source, owner, block) do update set hash = excluded.hash',
            ),
          )
          await query(
            `delete from chain_log_marks where ${where} and block not in
             (select block from chain_log_marks where ${where} order by block desc limit ${keptMarks})`,
            values,
          )
        }
        return true
      }),

    fact: async (chainId: number, name: string): Promise<string | undefined> =>
      (
        await sql.query<{ value: string }>(
          'select value from chain_facts where chain_id = $1 and name = $2',
          [chainId, name],
        )
      )[0]?.value,

    /** All facts of a chain by name prefix; no name contains a wildcard of `like`. */
    facts: (chainId: number, beginning: string): Promise<{ name: string; value: string }[]> =>
      sql.query('select name, value from chain_facts where chain_id = $1 and name like $2', [
        chainId,
        `${beginning}%`,
      ]),

    storeFact: (chainId: number, name: string, value: string) =>
      sql.query(
        ...insertOf(
          'chain_facts',
          { chainId, name, value },
          'on conflict (chain_id, name) do update set value = excluded.value',
        ),
      ),
  }
}
