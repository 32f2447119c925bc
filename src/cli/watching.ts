import { setTimeout as sleep } from 'node:timers/promises'

import { AppError } from '../domain/errors.ts'
import type { Cli } from './cli.ts'
import type { View } from './output.ts'
import { toJson } from './to-json.ts'

type Watch<value> = { isOver: (value: value) => boolean; view: View<value>; intervalMs: number }

/** Looks at something until it is over, and prints it whenever it changed: a document a line with `--json`, else in words. Gives back the last look. */
export async function observe<value>(
  cli: Cli,
  look: () => Promise<value>,
  { isOver, view, intervalMs }: Watch<value>,
): Promise<value> {
  const until = performance.now() + (cli.globals.timeoutMs ?? 30 * 60_000)
  let shown = ''
  for (;;) {
    let now: value
    try {
      now = await look()
    } catch (error) {
      const waitMs = limitMs(error)
      if (waitMs === undefined || performance.now() + waitMs > until) throw error
      await sleep(waitMs, undefined, { signal: cli.world.interrupt.signal })
      continue
    }
    const line = toJson(now, false)
    if (line !== shown) {
      shown = line
      if (cli.globals.json) cli.io.out.write(`${line}\n`)
      else cli.emit(now, view)
    }
    if (isOver(now)) return now
    if (performance.now() + intervalMs > until)
      throw new AppError('PENDING', 'It is not over yet', {
        details: { last: now as never },
        hint: 'Watch it again, or with a longer --timeout.',
      })
    await sleep(intervalMs, undefined, { signal: cli.world.interrupt.signal })
  }
}

/** How long a limit of requests asks to wait, in ms: who only watches does. */
const limitMs = (error: unknown): number | undefined =>
  error instanceof AppError && error.code === 'RATE_LIMITED'
    ? Number(error.details?.retryAfterSeconds) * 1000
    : undefined
