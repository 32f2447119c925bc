import { untilAccessChanges } from '../api-keys/access-changes.ts'
import { insertOf } from '../sql/insert.ts'
import type { Migration, Sql } from '../sql/sql-types.ts'

const changeColumns =
  'at bigint not null, customer text not null, name text not null, was text, value text not null, changed_by text not null'

/** The table of setting changes: whose, by whom, old and new value. */
export const settingChanges: Migration = {
  sqlite: `create table setting_changes (id integer primary key, ${changeColumns})`,
  // The sequence grows in the order of inserts, like SQLite's row ids.
  postgres: `create table setting_changes (id bigint generated always as identity primary key, ${changeColumns})`,
}

/** The customer name under which the operator's own settings are stored; no customer has it. */
export const operatorCustomer = ''

/** A change of a setting. `by` is an API key id, or `operator`; `customer` is empty for the operator. `at` is epoch ms. */
type SettingChange = {
  at: number
  by: string
  customer: string
  name: string
  was: string | null
  value: string
}

type Settings = Readonly<Partial<Record<string, string>>>

/** The queries about settings over any SQL database. */
export function settingQueries(sql: Sql) {
  const { kept, changed } = untilAccessChanges<Settings>(sql)
  return {
    /** The settings of a customer, by name. A change by another process is seen within 10 ms. */
    settings: (customer: string): Promise<Settings> =>
      kept(customer, async () => {
        const rows = await sql.query<{ name: string; value: string }>(
          'select name, value from settings where customer = $1',
          [customer],
        )
        return Object.freeze(Object.fromEntries(rows.map(({ name, value }) => [name, value])))
      }),

    /** Saves settings of a customer, all or none, and logs each change with its author. */
    saveSettings: (
      customer: string,
      all: readonly (readonly [name: string, value: string])[],
      { by, at }: Pick<SettingChange, 'by' | 'at'>,
    ): Promise<void> =>
      sql
        .transaction(async ({ query }) => {
          for (const [name, value] of all) {
            const [old] = await query<{ value: string }>(
              'select value from settings where customer = $1 and name = $2',
              [customer, name],
            )
            if (old?.value === value) continue
            const again = 'on conflict (customer, name) do update set value = excluded.value'
            await query(...insertOf('settings', { customer, name, value }, again))
            const was = old?.value ?? null
            await query(...insertOf('setting_changes', { at, customer, name, was, value, changedBy: by }))
          }
        })
        .finally(changed),

    /** The newest setting changes first. */
    settingChanges: (most: number): Promise<SettingChange[]> =>
      sql.query<SettingChange>(
        'select at, changed_by as "by", customer, name, was, value from setting_changes order by id desc limit $1',
        [most],
      ),
  }
}
