import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/*
 * Loaded into an instance before the sources of the program, whose driver of PostgreSQL it breaks: a bundle has a driver of its own. Run by `failover.ts` with
 * the name of the fault in FAILOVER_SABOTAGE, and a file in FAILOVER_SABOTAGE_MARK that it writes once the fault is in.
 */

/** The faults that the campaign must find. */
export const failoverSabotages = [
  'answer-before-commit',
  'no-idempotency',
  'told-again',
  'sequence-gap',
] as const

/** A fault that is put into the instances. */
export type FailoverSabotage = (typeof failoverSabotages)[number]

const changes: Partial<Record<string, (text: string) => string>> = {
  'no-idempotency': (text) => text.replace('where idempotent_requests.until < $6', 'where $6 = $6'),
  'told-again': (text) =>
    text.replaceAll(/select (s\.)?told from event_subjects (s )?where/g, '$& false and'),
  'sequence-gap': (text) =>
    text.replace('seq = event_subjects.seq + 1', 'seq = event_subjects.seq + 1 + (random() * 0.6)::int'),
}

const { FAILOVER_SABOTAGE: name, FAILOVER_SABOTAGE_MARK: mark } = process.env
if (name !== undefined) {
  const { Client } = createRequire(import.meta.url)('pg') as { Client: { prototype: Asking } }
  const { query } = Client.prototype
  let isMarked = false
  /** Tells the campaign that the fault is in. */
  const put = () => {
    if (!isMarked) writeFileSync(mark!, '')
    isMarked = true
  }
  const changed = (text: string): string => {
    const other = changes[name]?.(text) ?? text
    if (other !== text) put()
    return other
  }
  Client.prototype.query = function (this: unknown, asked: unknown, ...rest: unknown[]) {
    if (name === 'answer-before-commit' && asked === 'commit') {
      put()
      setTimeout(() => query.call(this, 'commit').catch(() => undefined), 300)
      return Promise.resolve({ command: 'COMMIT', rows: [] })
    }
    if (typeof asked === 'string') return query.call(this, changed(asked), ...rest)
    const { text } = asked as { text?: unknown }
    return query.call(
      this,
      typeof text === 'string' ? { ...(asked as object), text: changed(text) } : asked,
      ...rest,
    )
  }
}

type Asking = { query: (this: unknown, asked: unknown, ...rest: unknown[]) => Promise<unknown> }
