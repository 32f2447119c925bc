import type { Sql } from '../sql/sql.ts'

/** Every change of a setting: whose it is, who made it, what it was and what it is. */
export const settingChanges = `create table setting_changes (
     id integer primary key, at bigint not null, customer text not null, name text not null, was text, value text not null, changed_by text not null)`

/** Whose settings those of the operator are: no customer has this name. */
export const operatorCustomer = ''

/** A change of a setting. `by` is the id of an API key, or `operator`; `customer` is empty where it is the operator's own. `at` is in epoch milliseconds. */
type SettingChange = {
  at: number
  by: string
  customer: string
  name: string
  was: string | null
  value: string
}

/** The queries about settings over any SQL database. */
export function settingQueries(sql: Sql) {
  return {
    setting: async (customer: string, name: string): Promise<string | undefined> =>
      (
        await sql.cachedQuery<{ value: string }>(
          'select value from settings where customer = $1 and name = $2',
          [customer, name],
        )
      )[0]?.value,

    /** Keeps settings of a customer, all of them or none, and with each that changes who changed it. */
    saveSettings: (
      customer: string,
      all: readonly (readonly [name: string, value: string])[],
      { by, at }: Pick<SettingChange, 'by' | 'at'>,
    ) =>
      sql.transaction(async ({ query }) => {
        for (const [name, value] of all) {
          const [old] = await query<{ value: string }>(
            'select value from settings where customer = $1 and name = $2',
            [customer, name],
          )
          if (old?.value === value) continue
          await query(
            'insert into settings (customer, name, value) values ($1, $2, $3) on conflict (customer, name) do update set value = excluded.value',
            [customer, name, value],
          )
          await query(
            'insert into setting_changes (at, customer, name, was, value, changed_by) values ($1, $2, $3, $4, $5, $6)',
            [at, customer, name, old?.value ?? null, value, by],
          )
        }
      }),

    /** The newest changes of settings, the newest first. */
    settingChanges: (most: number): Promise<SettingChange[]> =>
      sql.query<SettingChange>(
        'select at, changed_by as "by", customer, name, was, value from setting_changes order by id desc limit $1',
        [most],
      ),
  }
}
