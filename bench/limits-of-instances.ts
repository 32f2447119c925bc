import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Window } from '../src/store/api-keys/rate-limiter.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { seeded } from './seeded.ts'

/** What an instance does: where the database is, the windows, for how long, and a deliberate fault. */
export type InstanceOrders = { url: string; windows: readonly Window[]; ms: number; sabotage: string | null }

/** Faults of several instances that the campaign must detect. */
export const instanceSabotages = ['each-by-itself', 'leases-not-counted'] as const

/** The real limits, in windows short enough to be filled several times in a cell. */
const shortWindows = [
  { ms: 3_000, most: 100 },
  { ms: 33_000, most: 1_000 },
] as const
const shortCellMs = 40_000

/** The windows of a server. */
const realWindows = [
  { ms: 60_000, most: 100 },
  { ms: 3_600_000, most: 1_000 },
] as const

/** An accepted request, between the times when it was asked and answered (epoch ms). */
type Accepted = { asked: number; answered: number }

/**
 * Runs several processes with one key over one PostgreSQL and its own clock, one of which is killed and replaced now and then. Returns what is
 * wrong: a window with more requests than its limit, or a limit that was never reached. With `realSeconds`, for so long with the real windows of a minute and
 * an hour, of which those count as to be reached that fit in.
 */
export async function instancesCell(
  count: number,
  seed: number,
  cell: number,
  { sabotage, realSeconds }: { sabotage: string | undefined; realSeconds?: number | undefined },
): Promise<string[]> {
  const windows = realSeconds === undefined ? shortWindows : realWindows
  const cellMs = realSeconds === undefined ? shortCellMs : realSeconds * 1_000
  const server = await startPostgres()
  if (typeof server === 'string') throw new Error(server)
  const random = seeded(seed * 1_000_003 + cell)
  const accepted: Accepted[] = []
  const ends = Date.now() + cellMs
  const begin = () => {
    const orders: InstanceOrders = {
      url: server.url,
      windows,
      ms: Math.max(0, ends - Date.now()),
      sabotage: sabotage ?? null,
    }
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, 'limits-instance.ts'), JSON.stringify(orders)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n')
      rest = lines.pop()!
      for (const line of lines) {
        const [asked, answered] = line.split(' ').map(Number)
        accepted.push({ asked: asked!, answered: answered! })
      }
    })
    return { child, ended: once(child, 'close') }
  }
  const instances = Array.from({ length: count }, begin)
  while (Date.now() < ends - 4_000) {
    await sleep(3_000 + random() * 4_000)
    const at = Math.floor(random() * count)
    instances[at]!.child.kill('SIGKILL')
    await instances[at]!.ended
    instances[at] = begin()
  }
  await Promise.all(instances.map(({ ended }) => ended))
  await server.stop()
  return windows.flatMap(({ ms, most }) => {
    const { surely, perhaps } = fullest(accepted, ms)
    console.log(
      `cell ${cell}: ${accepted.length} accepted; in ${ms} ms at most ${surely} surely, ${perhaps} perhaps; the limit is ${most}`,
    )
    return [
      ...(surely > most ? [`cell ${cell}: ${surely} requests in ${ms} ms, and ${most} are allowed`] : []),
      ...(perhaps < most && ms * 2 < cellMs
        ? [`cell ${cell}: never more than ${perhaps} requests in ${ms} ms, although ${most} are allowed`]
        : []),
    ]
  })
}

/** The most requests in any stretch of `ms`: those that lie in it whole, and those that touch it. */
function fullest(accepted: readonly Accepted[], ms: number): { surely: number; perhaps: number } {
  let surely = 0
  let perhaps = 0
  for (const { asked: from } of accepted) {
    surely = Math.max(surely, accepted.filter((one) => one.asked >= from && one.answered <= from + ms).length)
    perhaps = Math.max(
      perhaps,
      accepted.filter((one) => one.answered >= from && one.asked <= from + ms).length,
    )
  }
  return { surely, perhaps }
}
