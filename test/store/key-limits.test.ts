import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { openKeyLimits } from '../../src/store/key-limits.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-limits-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const windows = [{ ms: 60_000, most: 3 }]
const full = { ok: false, retryAfterSeconds: expect.any(Number) }

test('what was let in before the file had a row a turn still counts, for the key that it was', async () => {
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

test('all that one turn lets in counts after the next start, each for its own key', async () => {
  const path = join(home, 'x.limits')
  const first = await openKeyLimits(path, { windows, now: () => 1_000_000 })
  const taken = await Promise.all(['one', 'two', 'one', 'two', 'one', 'one'].map(first.take))
  expect(taken.map(({ ok }) => ok)).toEqual([true, true, true, true, true, false])
  await first.close()
  const next = await openKeyLimits(path, { windows, now: () => 1_000_001 })
  expect(await Promise.all(['one', 'two', 'two'].map(next.take))).toEqual([full, { ok: true }, full])
  await next.close()
})
