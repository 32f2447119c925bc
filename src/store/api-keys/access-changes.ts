import type { Migration, Sql } from '../sql/sql-types.ts'

const tables = ['api_keys', 'settings'] as const

/** The tables of `access_changes`, which counts the changes of keys and settings in the transaction of each, whoever makes it. */
export const accessChanges: Migration = {
  sqlite: `create table access_changes (n integer not null);
   insert into access_changes (n) values (0);
   ${tables
     .flatMap((table) =>
       ['insert', 'update', 'delete'].map(
         (change) =>
           `create trigger ${table}_${change} after ${change} on ${table} begin update access_changes set n = n + 1; end;`,
       ),
     )
     .join('\n   ')}`,
  postgres: `create table access_changes (n bigint not null);
   insert into access_changes (n) values (0);
   create function sluice_count_access_change() returns trigger language plpgsql as $count$
     begin update access_changes set n = n + 1; return null; end $count$;
   ${tables
     .map(
       (table) =>
         `create trigger ${table}_changed after insert or update or delete or truncate on ${table} for each statement execute function sluice_count_access_change();`,
     )
     .join('\n   ')}`,
}

/** How long a change by another process may stay unseen, in ms. */
const maxStaleMs = 10

const maxKept = 10_000

/**
 * Keeps what is read of keys and settings until one of them changes. A change by another process is seen within 10 ms, because the count is asked for
 * once in that time, whatever is read; one of this process is seen at once after `changed`.
 */
export function untilAccessChanges<value>(sql: Pick<Sql, 'query'>) {
  const known = new Map<string, Promise<value>>()
  let seen: number | undefined
  let checked = Number.NEGATIVE_INFINITY
  let checking: Promise<void> | undefined
  const check = async () => {
    try {
      const [row] = await sql.query<{ n: number }>('select n from access_changes')
      if (row!.n !== seen || known.size > maxKept) known.clear()
      seen = row!.n
    } catch (error) {
      checked = Number.NEGATIVE_INFINITY
      throw error
    }
  }
  return {
    /** The value under a name, read if it is not known. `undefined` is not kept. */
    kept: async (name: string, read: () => Promise<value>): Promise<value> => {
      const now = performance.now()
      if (now - checked > maxStaleMs) {
        checked = now
        const started = check().finally(() => {
          if (checking === started) checking = undefined
        })
        checking = started
      }
      // Others that ask meanwhile wait for the same check.
      if (checking) await checking
      const found = known.get(name)
      if (found) return found
      // It is there before it is read: a check that sees a later change drops it, also while it is read.
      const reading = read()
      known.set(name, reading)
      const drop = () => {
        if (known.get(name) === reading) known.delete(name)
      }
      reading.then((value) => value === undefined && drop(), drop)
      return reading
    },
    /** Says that this process has changed keys or settings. */
    changed: (): void => {
      checked = Number.NEGATIVE_INFINITY
    },
  }
}
