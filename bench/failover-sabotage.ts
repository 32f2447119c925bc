import { createRequire } from 'node:module'

/*
 * Loaded into an instance before the program, whose driver of PostgreSQL it breaks. Run by `failover.ts` with the name of the fault in FAILOVER_SABOTAGE.
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

const { FAILOVER_SABOTAGE: name } = process.env
if (name !== undefined) {
  const { Client } = createRequire(import.meta.url)('pg') as { Client: { prototype: Asking } }
  const { query } = Client.prototype
  const change = changes[name] ?? ((text: string) => text)
  Client.prototype.query = function (this: unknown, text: unknown, ...rest: unknown[]) {
    if (name === 'answer-before-commit' && text === 'commit') {
      setTimeout(() => query.call(this, 'commit').catch(() => undefined), 300)
      return Promise.resolve({ command: 'COMMIT', rows: [] })
    }
    return query.call(this, typeof text === 'string' ? change(text) : text, ...rest)
  }
}

type Asking = { query: (this: unknown, text: unknown, ...rest: unknown[]) => Promise<unknown> }
