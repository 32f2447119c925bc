import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSharedKeyLimits } from '../src/store/api-keys/shared-key-limits.ts'
import { engineMigrations } from '../src/store/engine/store.ts'
import { postgresSql } from '../src/store/sql/postgres.ts'
import { postgresPlace } from '../src/store/sql/postgres-url.ts'
import type { InstanceOrders } from './limits-of-instances.ts'

/*
 * One of several instances over one PostgreSQL, as a process of its own: it asks for requests of one key as fast as it can, and writes when each
 * accepted one was asked and answered (epoch ms), one a line. It is killed at any time.
 */

const { url, windows, ms, sabotage } = JSON.parse(process.argv[2]!) as InstanceOrders
const place = postgresPlace(url)
const sql = await postgresSql(place, { migrations: engineMigrations, password: () => place.password })
const limits = openSharedKeyLimits(
  {
    query: async (text, values) => {
      const rows = await sql.query<never>(text, values)
      if (sabotage === 'leases-not-counted') await sql.query('delete from limit_uses where lease is not null')
      return rows
    },
  },
  { windows },
)
const key = sabotage === 'each-by-itself' ? `key of ${process.pid}` : 'key'
const now = () => performance.timeOrigin + performance.now()
const ends = now() + ms
await Promise.all(
  Array.from({ length: 6 }, async (_, worker) => {
    while (now() < ends) {
      const asked = now()
      const answer = await limits.take(key)
      if (answer.ok) writeSync(1, `${asked} ${now()}\n`)
      // Calm times, in which leases are taken, and storms, in which they are used while others fill the limits.
      const isCalm = Math.floor(now() / 3_500) % 2 === 0
      await sleep(isCalm ? 200 + Math.random() * 400 : answer.ok ? worker * 20 : 5 + Math.random() * 40)
    }
  }),
)
await limits.close()
await sql.close()
