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

/** How long the result of the last write is valid, in ms. */
const writeCheckMs = 1_000

/** How often requests of keys that are no longer used are deleted, in ms. */
const sweepMs = 600_000

type Answer = { taken_at: number; granted: number; leased: number; wait_ms: number }

/** Requests that this instance may accept by itself. `asked` is before the database took them, `until` is the end; both of this process's clock. */
type Lease = { id: string; left: number; takenAt: number; asked: number; until: number; used: number[] }

/** A key of this instance: its lease, the requests that wait for the database, and whether it is being asked. */
type Key = {
  lease: Lease | undefined
  waiting: PromiseWithResolvers<LimitResult>[]
  isAsking: boolean
  settling: NodeJS.Timeout | undefined
}

/** The windows, and clocks for tests: `clock` is epoch ms instead of the database's, `elapsed` is of this process. */
type Options = { windows: readonly Window[]; clock?: () => number; elapsed?: () => number }

/**
 * Opens the rate limits of one of several servers over one PostgreSQL, exact in any window by the database's clock, whatever instance a request
 * comes to. SERVICE_UNAVAILABLE if the database does not answer; those requests are refused.
 */
export function openSharedKeyLimits(
  sql: Pick<Sql, 'query'>,
  { windows, clock, elapsed = () => performance.now() }: Options,
): KeyLimits {
  const keys = new Map<string, Key>()
  const spans = windows.map(({ ms }) => ms)
  const mosts = windows.map(({ most }) => most)
  const array = (values: readonly number[]) => `{${values.join(',')}}`
  let isWorking = true
  let lastAnswer = elapsed()
  const answered = (isWell: boolean) => {
    isWorking = isWell
    lastAnswer = elapsed()
  }
  /** Asks the database for requests of a key, and gives back what its last lease left. */
  const ask = async (
    id: string,
    wanted: number,
    old: Lease | undefined,
  ): Promise<{ answer: Answer; next: Lease | undefined }> => {
    const lease = randomUUID()
    const asked = elapsed()
    const [answer] = await sql.query<Answer>(
      'select taken_at, granted, leased, wait_ms from sluice_take_limit($1, $2, $3::bigint[], $4::integer[], $5, $6, $7, $8, $9, $10::bigint[])',
      [
        ...[id, wanted, array(spans), array(mosts), leaseMs, wanted === 0 ? 0 : mostLeased],
        ...[clock?.() ?? null, lease, old?.id ?? null, array(old?.used ?? [])],
      ],
    )
    const { leased, taken_at: takenAt } = answer!
    const next = { id: lease, left: leased, takenAt, asked, until: asked + leaseMs, used: [] }
    return { answer: answer!, next: leased > 0 ? next : undefined }
  }
  const keyOf = (id: string): Key => {
    const known = keys.get(id) ?? { lease: undefined, waiting: [], isAsking: false, settling: undefined }
    keys.set(id, known)
    return known
  }
  /** Answers the requests of a key that wait, together, and again as long as there are some. */
  const serve = async (id: string, key: Key): Promise<void> => {
    key.isAsking = true
    while (key.waiting.length > 0) {
      const all = key.waiting.splice(0)
      const old = key.lease
      key.lease = undefined
      clearTimeout(key.settling)
      try {
        const { answer, next } = await ask(id, all.length, old)
        answered(true)
        const refusal: LimitResult = { ok: false, retryAfterSeconds: Math.ceil(answer.wait_ms / 1000) }
        for (const [at, { resolve }] of all.entries()) resolve(at < answer.granted ? { ok: true } : refusal)
        key.lease = next
        if (next) key.settling = setTimeout(() => void settle(id, key), leaseMs).unref()
      } catch (cause) {
        answered(false)
        // What the lease left stays counted until its window ends.
        const error = new AppError('SERVICE_UNAVAILABLE', 'The limits cannot be written', { cause })
        for (const { reject } of all) reject(error)
      }
    }
    key.isAsking = false
    if (!key.lease) keys.delete(id)
  }
  /** Gives back what a lease left, with the times of its requests. */
  const settle = async (id: string, key: Key): Promise<void> => {
    const { lease } = key
    clearTimeout(key.settling)
    key.lease = undefined
    if (!key.isAsking) keys.delete(id)
    // An error leaves the lease counted in full.
    if (lease)
      await ask(id, 0, lease).then(
        () => answered(true),
        () => answered(false),
      )
  }
  const sweep = setInterval(() => {
    const old = Math.max(...spans)
    const text =
      'delete from limit_uses where at < coalesce($1, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) - $2'
    void sql.query(text, [clock?.() ?? null, old]).catch(() => answered(false))
  }, sweepMs).unref()
  return {
    works: () => {
      if (Math.abs(elapsed() - lastAnswer) > writeCheckMs) {
        lastAnswer = elapsed()
        void sql.query('select 1 as one').then(
          () => answered(true),
          () => answered(false),
        )
      }
      return isWorking
    },
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
      if (!key.isAsking) {
        key.isAsking = true
        setImmediate(() => void serve(id, key))
      }
      return request.promise
    },
    close: async () => {
      clearInterval(sweep)
      await Promise.all([...keys].map(([id, key]) => settle(id, key)))
    },
  }
}
