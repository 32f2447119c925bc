import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openKeyLimits } from '../../../src/store/api-keys/server-key-limits.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-limits-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const windows = [{ ms: 60_000, most: 3 }]
const full = { ok: false, retryAfterSeconds: expect.any(Number) }

test('requests recorded in the older file format still count for their key', async () => {
  const path = join(home, 'x.limits')
  const older = new DatabaseSync(path)
  older.exec(`create table ids (key integer primary key, id text not null unique) strict;
    create table log (seq integer primary key, key integer not null, at integer not null) strict;
    insert into ids values (1, 'one'), (2, 'two');
    insert into log (key, at) values (1, 999000), (2, 999500), (1, 999900), (1, 1000000);
    pragma user_version = 1`)
  older.close()
  const limits = await openKeyLimits(path, { windows, now: () => 1_000_000 })
  expect([await limits.take('one'), await limits.take('two')]).toEqual([full, { ok: true }])
  await limits.close()
})

test('requests accepted together count after a restart, each for its own key', async () => {
  const path = join(home, 'x.limits')
  const first = await openKeyLimits(path, { windows, now: () => 1_000_000 })
  const taken = await Promise.all(['one', 'two', 'one', 'two', 'one', 'one'].map(first.take))
  expect(taken.map(({ ok }) => ok)).toEqual([true, true, true, true, true, false])
  await first.close()
  const next = await openKeyLimits(path, { windows, now: () => 1_000_001 })
  expect(await Promise.all(['one', 'two', 'two'].map(next.take))).toEqual([full, { ok: true }, full])
  await next.close()
})

describe('a disk that is full temporarily', () => {
  /** A file that refuses new rows until a time, as SQLite does when there is no space. */
  async function fullUntil(at: number): Promise<string> {
    const path = join(home, 'x.limits')
    await (await openKeyLimits(path, { windows, now: () => 0 })).close()
    const db = new DatabaseSync(path)
    db.exec(`create trigger full before insert on turns when new.at < ${at}
      begin select raise(abort, 'database or disk is full'); end`)
    db.close()
    return path
  }

  test('does not count refused requests against the limit of their key', async () => {
    let now = 1_000_000
    const limits = await openKeyLimits(await fullUntil(1_000_010), { windows, now: () => now })
    for (let at = 0; at < 5; at++)
      await expect(Promise.all(['one', 'one', 'two'].map(limits.take))).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
      })
    now += 10
    const taken = await Promise.all(['one', 'one', 'two', 'one', 'one'].map(limits.take))
    expect(taken.map(({ ok }) => ok)).toEqual([true, true, true, true, false])
    await limits.close()
  })
})
