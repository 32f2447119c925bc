import { randomUUID } from 'node:crypto'
import { AppError } from '../../domain/errors.ts'
import type { Migration, Sql } from '../sql/sql-types.ts'
import type { LimitResult, Window } from './rate-limiter.ts'
import type { KeyLimits } from './server-key-limits.ts'

/**
 * The accepted requests of keys, for several instances over one PostgreSQL; a SQLite server has its limits in a file of its own.
 *
 * A row is `n` requests at a time (epoch ms of the database), or a lease: requests that one instance may accept by itself until `at`. A lease
 * counts in full from its taking until its end plus the window, so that the limit holds whatever its holder does. `sluice_take_limit` counts
 * under a lock of the key and writes what it grants. It gives a lease only while less than half of every window is used, and then at most a
 * quarter of what is left to that half; above it, each request is counted here, and exactly.
 */
export const sharedLimits: Migration = {
  sqlite: '',
  postgres: `create table limit_uses (key text not null, at bigint not null, n integer not null, lease text);
   create index limit_uses_newest on limit_uses (key, at);
   create function sluice_take_limit(the_key text, wanted integer, spans bigint[], mosts integer[], lease_ms bigint, most_leased integer,
     clock_ms bigint, new_lease text, old_lease text, used bigint[])
   returns table (taken_at bigint, granted integer, leased integer, wait_ms bigint) language plpgsql as $take$
   declare
     now_ms bigint;
     sums integer;
     oldest bigint;
     lease_end bigint;
     free integer;
   begin
     -- A crash of the server may lose the newest requests, which a limit is not worth waiting for.
     perform set_config('synchronous_commit', 'off', true);
     perform pg_advisory_xact_lock(hashtextextended(the_key, 7576873));
     now_ms := coalesce(clock_ms, floor(extract(epoch from clock_timestamp()) * 1000)::bigint);
     if old_lease is not null then
       delete from limit_uses where key = the_key and lease = old_lease;
       insert into limit_uses select the_key, one, 1, null from unnest(used) as one;
     end if;
     -- After the clock was set back, requests count as of now.
     update limit_uses set at = now_ms where key = the_key and lease is null and at > now_ms;
     update limit_uses set at = now_ms + lease_ms where key = the_key and lease is not null and at > now_ms + lease_ms;
     delete from limit_uses where key = the_key and at < now_ms - (select max(one) from unnest(spans) as one);
     granted := wanted;
     leased := most_leased;
     for i in 1 .. cardinality(spans) loop
       select coalesce(sum(n), 0) into sums from limit_uses where key = the_key and at >= now_ms - spans[i];
       granted := least(granted, greatest(0, mosts[i] - sums));
       leased := least(leased, greatest(0, (mosts[i] / 2 - sums - wanted) / 4));
     end loop;
     if granted > 0 then insert into limit_uses values (the_key, now_ms, granted, null); end if;
     if leased > 0 then insert into limit_uses values (the_key, now_ms + lease_ms, leased, new_lease); end if;
     wait_ms := 0;
     if granted < wanted then
       for i in 1 .. cardinality(spans) loop
         select coalesce(sum(n), 0), min(at) into sums, oldest from limit_uses where key = the_key and at >= now_ms - spans[i];
         if sums >= mosts[i] then wait_ms := greatest(wait_ms, oldest + spans[i] + 1 - now_ms); end if;
       end loop;
       -- A lease may end with requests to spare.
       select min(at) into lease_end from limit_uses where key = the_key and lease is not null and at >= now_ms;
       wait_ms := greatest(1, least(wait_ms, coalesce(lease_end + 1 - now_ms, wait_ms)));
     end if;
     taken_at := now_ms;
     return next;
   end $take$`,
}

/** How long an instance may use a lease, in ms. */
const leaseMs = 2_000

/** Maximum number of requests of a lease. */
const mostLeased = 25

/** How often requests of keys that are no longer used are deleted, in ms. */
const sweepMs = 600_000

type Answer = { taken_at: number; granted: number; leased: number; wait_ms: number }

/** Requests that this instance may accept by itself. `asked` is before the database took them, `until` is the end; both of this process's clock. */
type Lease = { id: string; left: number; takenAt: number; asked: number; until: number; used: number[] }

/** A key of this instance: its lease, the requests that wait for the database, and whether it is to be given back. */
type Key = {
  lease: Lease | undefined
  waiting: PromiseWithResolvers<LimitResult>[]
  settling: NodeJS.Timeout | undefined
}

/** The windows, and clocks for tests: `clock` is epoch ms instead of the database's, `elapsed` is of this process. */
type Options = { windows: readonly Window[]; clock?: () => number; elapsed?: () => number }

/** The number of keys of one question. */
const keysAtOnce = 200

/** The keys of a question, each under its own lock, which all instances take in the same order. */
const take = `select asked.id, answer.taken_at, answer.granted, answer.leased, answer.wait_ms
  from unnest($1::text[], $2::integer[], $3::integer[], $4::text[], $5::text[], $6::text[]) as asked (id, wanted, most_leased, new_lease, old_lease, used),
  lateral sluice_take_limit(asked.id, asked.wanted, $7::bigint[], $8::integer[], $9, asked.most_leased, $10, asked.new_lease, asked.old_lease, asked.used::bigint[]) as answer`

/**
 * Opens the rate limits of one of several servers over one PostgreSQL, exact in any window by the database's clock, whatever instance a request
 * comes to. One question is under way at a time, and all keys that need one meanwhile are the next. SERVICE_UNAVAILABLE if the database does not
 * answer; those requests are refused.
 */
export function openSharedKeyLimits(
  sql: Pick<Sql, 'query'>,
  { windows, clock, elapsed = () => performance.now() }: Options,
): KeyLimits {
  const keys = new Map<string, Key>()
  /** The keys that are to be asked for. */
  const due = new Set<string>()
  let asking: Promise<void> | undefined
  const spans = arrayOf(windows.map(({ ms }) => ms))
  const mosts = arrayOf(windows.map(({ most }) => most))
  const keyOf = (id: string): Key => {
    const known = keys.get(id) ?? { lease: undefined, waiting: [], settling: undefined }
    keys.set(id, known)
    return known
  }
  const askAll = async (): Promise<void> => {
    // Whatever arrives in this turn of the event loop belongs to it.
    await new Promise((resolve) => setImmediate(resolve))
    while (due.size > 0) {
      const some = [...due].slice(0, keysAtOnce).toSorted((a, b) => (a < b ? -1 : 1))
      for (const id of some) due.delete(id)
      await ask(some)
    }
    asking = undefined
  }
  /** Asks for the requests that wait, and gives back what the leases of their keys left, with the times of their requests. */
  const ask = async (ids: readonly string[]): Promise<void> => {
    const asked = elapsed()
    const all = ids.map((id) => {
      const key = keyOf(id)
      const { lease: old } = key
      const waiting = key.waiting.splice(0)
      key.lease = undefined
      clearTimeout(key.settling)
      return { id, key, old, waiting, lease: randomUUID() }
    })
    try {
      const rows = await sql.query<Answer & { id: string }>(take, [
        arrayOf(ids.map((id) => JSON.stringify(id))),
        arrayOf(all.map(({ waiting }) => waiting.length)),
        arrayOf(all.map(({ waiting }) => (waiting.length === 0 ? 0 : mostLeased))),
        arrayOf(all.map(({ lease }) => lease)),
        arrayOf(all.map(({ old }) => old?.id ?? 'null')),
        arrayOf(all.map(({ old }) => `"${arrayOf(old?.used ?? [])}"`)),
        ...[spans, mosts, leaseMs, clock?.() ?? null],
      ])
      const answers = new Map(rows.map((row) => [row.id, row]))
      for (const { id, key, waiting, lease } of all) {
        const { granted, leased, taken_at: takenAt, wait_ms } = answers.get(id)!
        const refusal: LimitResult = { ok: false, retryAfterSeconds: Math.ceil(wait_ms / 1000) }
        for (const [at, { resolve }] of waiting.entries()) resolve(at < granted ? { ok: true } : refusal)
        if (leased === 0) continue
        key.lease = { id: lease, left: leased, takenAt, asked, until: asked + leaseMs, used: [] }
        key.settling = setTimeout(() => askFor(id), leaseMs).unref()
      }
    } catch (cause) {
      // What the leases left stays counted until their window ends.
      const error = new AppError('SERVICE_UNAVAILABLE', 'The limits cannot be written', { cause })
      for (const { waiting } of all) for (const { reject } of waiting) reject(error)
    }
    for (const { id, key } of all) if (!key.lease && key.waiting.length === 0) keys.delete(id)
  }
  const askFor = (id: string): void => {
    due.add(id)
    asking ??= askAll()
  }
  const sweep = setInterval(() => {
    const old = Math.max(...windows.map(({ ms }) => ms))
    const text =
      'delete from limit_uses where at < coalesce($1, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) - $2'
    void sql.query(text, [clock?.() ?? null, old]).catch(() => undefined)
  }, sweepMs).unref()
  return {
    take: (id) => {
      const key = keyOf(id)
      const { lease } = key
      const now = elapsed()
      if (lease && lease.left > 0 && now < lease.until) {
        lease.left--
        // Never earlier than by the database's clock.
        lease.used.push(Math.ceil(lease.takenAt + (now - lease.asked)))
        return Promise.resolve({ ok: true })
      }
      const request = Promise.withResolvers<LimitResult>()
      key.waiting.push(request)
      askFor(id)
      return request.promise
    },
    close: async () => {
      clearInterval(sweep)
      for (const [id, { lease }] of keys) if (lease) askFor(id)
      await asking
    },
  }
}

/** An array as PostgreSQL reads it. */
const arrayOf = (values: readonly (string | number)[]): string => `{${values.join(',')}}`
