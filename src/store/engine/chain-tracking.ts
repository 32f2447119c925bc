import { insertOf } from '../sql/insert.ts'
import type { Sql } from '../sql/sql-types.ts'
import { isThere } from './action-tables.ts'

/**
 * How far a chain was followed, and by which process: `block` is the newest block whose senders were compared with the open actions. Both are `null`
 * before the first. Times are epoch ms.
 */
export type ChainPosition = { block: number | null; blockHash: string | null; lookedAt: number | null }

/** An action that is to be read from its chains. `marks` counts how often it was marked, so that a mark made meanwhile is not lost. */
export type MarkedAction = {
  actionId: string
  customer: string
  wallet: string
  marks: number
  dueAt: number
}

/** A log filter of JSON-RPC without its blocks, as JSON, whose next log may end an action. */
export type DeliveryWatch = { actionId: string; filter: string }

/** What a followed part of a chain can have changed. Blocks are inclusive. */
export type SeenChange = {
  /** The senders of its transactions, in lower case. */
  senders: readonly string[]
  /** Transactions in these blocks may have become final, or have left the chain. */
  reread: { from: number; to: number } | undefined
  /** Everything open, because its blocks were not followed. */
  isAll: boolean
  /** The actions whose delivery was seen. */
  delivered: readonly string[]
}

/** The tables of the trackers of chains. */
export const chainTrackingSchema = `create table chain_tracking (
     chain_id bigint primary key, holder text not null, leased_until bigint not null, block bigint, block_hash text, looked_at bigint);
   create table marked_actions (
     chain_id bigint not null, action_id text not null references actions (id), due_at bigint not null, marks bigint not null default 1,
     primary key (chain_id, action_id));
   create index marked_actions_due on marked_actions (chain_id, due_at);
   create table delivery_watches (chain_id bigint not null, action_id text not null references actions (id), filter text not null,
     primary key (chain_id, action_id, filter));
   create index watches_of_action on delivery_watches (action_id);
   create index actions_by_sender on actions (lower(wallet));
   create index actions_open on actions (created_at) where status in ('pending', 'confirmed', 'processing');
   create index txs_by_block on action_txs (chain_id, block_number);
   create index quotes_by_end on quotes (expires_at)`

/** The chains of an action beside its status, so that the chains of open actions are found without reading these. `null`: an older version issued it. */
export const chainsOfActions = `alter table actions add column chains text;
   create index actions_open_by_chains on actions (chains, status, created_at) where status in ('pending', 'confirmed', 'processing');
   drop index actions_open`

/** The value of `chains` of an action with these transactions: their chain ids, joined by commas. */
export const chainsOf = (txs: readonly { chainId: number }[]): string | null =>
  [...new Set(txs.map(({ chainId }) => chainId))].toSorted((a, b) => a - b).join(',') || null

/** How long an action that nothing was sent of is followed without a sign of it, in ms. Whoever asks for it reads it at any time. */
const unsentMs = 7 * 24 * 3_600_000

/** The number of values of one statement. */
const valuesAtOnce = 200

const isOpen = `(a.status in ('confirmed', 'processing') or (a.status = 'pending' and a.created_at > $3))`

/** The different values of a column that an index begins with, as SQL: one look into the index for each, however many rows have it. */
const valuesOf = (column: string, rows: string): string =>
  `(with recursive found (value) as (select (select min(${column}) ${rows}) union all
     select (select min(${column}) ${rows} and ${column} > found.value) from found where found.value is not null)
   select value from found where value is not null)`

/** The condition of the index of open actions. SQLite uses the index only where a query has these words. */
const isUnended = `a.status in ('pending', 'confirmed', 'processing')`

/** The queries of the trackers of chains. Each is about all customers, because a chain is the same for all. */
export const chainTrackingQueries = (sql: Sql) => ({
  /** The chains with open actions, or with marks or watches. */
  chainsToTrack: async (now: number): Promise<number[]> => {
    const rows = await sql.query<{ chains: string }>(
      `select value as chains from ${valuesOf('a.chains', `from actions a where ${isUnended}`)} as sets
       where ${isThere(`from actions a where ${isUnended} and a.status in ('confirmed', 'processing') and a.chains = sets.value`)}
       or ${isThere(`from actions a where ${isUnended} and a.status = 'pending' and a.created_at > $1 and a.chains = sets.value`)}
       union select cast(t.chain_id as text) from actions a cross join action_txs t
       where t.action_id = a.id and a.chains is null and ${isUnended} and (a.status <> 'pending' or a.created_at > $1)
       union select cast(value as text) from ${valuesOf('chain_id', 'from marked_actions where true')} as marked
       union select cast(value as text) from ${valuesOf('chain_id', 'from delivery_watches where true')} as watched`,
      [now - unsentMs],
    )
    return [...new Set(rows.flatMap(({ chains }) => chains.split(',').map(Number)))]
  },

  /** Takes or renews the right to follow a chain; `undefined` if another process has it. */
  leaseChain: async (
    chainId: number,
    { holder, now, ms }: { holder: string; now: number; ms: number },
  ): Promise<ChainPosition | undefined> => {
    const values = [chainId, holder, now, now + ms]
    const take = `update chain_tracking set holder = $2, leased_until = $4 where chain_id = $1 and (holder = $2 or leased_until <= $3)
       returning block, block_hash as "blockHash", looked_at as "lookedAt"`
    const [held] = await sql.query<ChainPosition>(take, values)
    if (held) return held
    const [first] = await sql.query<ChainPosition>(
      `insert into chain_tracking (chain_id, holder, leased_until) values ($1, $2, $3) on conflict (chain_id) do nothing
       returning block, block_hash as "blockHash", looked_at as "lookedAt"`,
      [chainId, holder, now + ms],
    )
    return first
  },

  /** Gives up the right to follow chains. */
  releaseChains: (holder: string) =>
    sql.query('update chain_tracking set leased_until = 0 where holder = $1', [holder]),

  /** Which senders, in lower case, are wallets of actions. */
  knownSenders: async (senders: readonly string[]): Promise<string[]> => {
    const known: string[] = []
    for (let at = 0; at < senders.length; at += valuesAtOnce) {
      const some = senders.slice(at, at + valuesAtOnce)
      const places = some.map((_, index) => `$${index + 1}`).join(', ')
      const rows = await sql.query<{ wallet: string }>(
        `select distinct lower(wallet) as wallet from actions where lower(wallet) in (${places})`,
        some,
      )
      known.push(...rows.map(({ wallet }) => wallet))
    }
    return known
  },

  /**
   * Moves the position of a chain, and marks in the same transaction every action that the blocks in between can have changed: no change is seen without
   * its mark. False if another process moved it meanwhile.
   */
  advanceChain: (
    chainId: number,
    { holder, was, to, now }: { holder: string; was: ChainPosition; to: ChainPosition; now: number },
    { senders, reread, isAll, delivered }: SeenChange,
  ): Promise<boolean> =>
    sql.transaction(async ({ query }) => {
      const moved = await query(
        `update chain_tracking set block = $3, block_hash = $4, looked_at = $5 where chain_id = $1 and holder = $2
         and block is not distinct from $6 and block_hash is not distinct from $7 returning chain_id`,
        [chainId, holder, to.block, to.blockHash, now, was.block, was.blockHash],
      )
      if (moved.length === 0) return false
      const mark = (where: string, values: readonly (string | number | null)[], tables = '') =>
        query(
          `insert into marked_actions (chain_id, action_id, due_at)
           select distinct cast($1 as bigint), a.id, cast($2 as bigint) from actions a join action_txs t on t.action_id = a.id and t.chain_id = $1 ${tables}
           where ${where} on conflict (chain_id, action_id) do update set marks = marked_actions.marks + 1, due_at = excluded.due_at`,
          [chainId, now, ...values],
        )
      if (isAll) {
        await mark(isOpen, [now - unsentMs])
        return true
      }
      for (let at = 0; at < senders.length; at += valuesAtOnce) {
        const some = senders.slice(at, at + valuesAtOnce)
        const places = some.map((_, index) => `$${index + 3}`).join(', ')
        await mark(`lower(a.wallet) in (${places}) and (t.succeeded is null or t.succeeded = 0)`, some)
      }
      if (reread)
        await mark(`t.block_number between $3 and $4 and a.status not in ('fulfilled', 'refunded')`, [
          reread.from,
          reread.to,
        ])
      for (let at = 0; at < delivered.length; at += valuesAtOnce) {
        const some = delivered.slice(at, at + valuesAtOnce)
        await query(
          `insert into marked_actions (chain_id, action_id, due_at)
           select cast($1 as bigint), a.id, cast($2 as bigint) from actions a where a.id in (${some.map((_, index) => `$${index + 3}`).join(', ')})
           on conflict (chain_id, action_id) do update set marks = marked_actions.marks + 1, due_at = excluded.due_at`,
          [chainId, now, ...some],
        )
      }
      // What expires without a transaction.
      if (was.lookedAt !== null)
        await mark(
          `q.expires_at >= $3 and q.expires_at < $4 and a.status = 'pending'`,
          [was.lookedAt, now],
          'join quotes q on q.id = a.quote_id and q.customer = a.customer',
        )
      return true
    }),

  /** The marked actions of a chain that are due, oldest first. */
  markedActions: (chainId: number, now: number, limit: number): Promise<MarkedAction[]> =>
    sql.query<MarkedAction>(
      `select m.action_id as "actionId", a.customer, a.wallet, m.marks, m.due_at as "dueAt" from marked_actions m join actions a on a.id = m.action_id
       where m.chain_id = $1 and m.due_at <= $2 order by m.due_at, a.created_at, a.id limit $3`,
      [chainId, now, limit],
    ),

  /** The hashes of the transactions of actions on a chain that may change. */
  hashesOnChain: async (chainId: number, actionIds: readonly string[]): Promise<string[]> => {
    const hashes: string[] = []
    for (let at = 0; at < actionIds.length; at += valuesAtOnce) {
      const some = actionIds.slice(at, at + valuesAtOnce)
      const rows = await sql.query<{ hash: string }>(
        `select hash from action_txs where chain_id = $1 and hash is not null and action_id in (${some.map((_, index) => `$${index + 2}`).join(', ')})`,
        [chainId, ...some],
      )
      hashes.push(...rows.map(({ hash }) => hash))
    }
    return hashes
  },

  /** Ends the marks of actions that were read, in one transaction; not of one that was marked again meanwhile. */
  unmark: async (
    chainId: number,
    marked: readonly Pick<MarkedAction, 'actionId' | 'marks'>[],
  ): Promise<void> => {
    if (marked.length === 0) return
    await sql.transaction(async ({ query }) => {
      for (const { actionId, marks } of marked)
        await query('delete from marked_actions where chain_id = $1 and action_id = $2 and marks = $3', [
          chainId,
          actionId,
          marks,
        ])
    })
  },

  /** Moves the marks of an action that was read to a later time; not if it was marked again meanwhile. */
  markLater: (
    chainId: number,
    { actionId, marks }: Pick<MarkedAction, 'actionId' | 'marks'>,
    nextAt: number,
  ) =>
    sql.query('update marked_actions set due_at = $4 where chain_id = $1 and action_id = $2 and marks = $3', [
      chainId,
      actionId,
      marks,
      nextAt,
    ]),

  /** The watches of a chain. */
  deliveryWatches: (chainId: number): Promise<DeliveryWatch[]> =>
    sql.query<DeliveryWatch>(
      'select action_id as "actionId", filter from delivery_watches where chain_id = $1',
      [chainId],
    ),

  /** Adds watches of an action, by chain; returns whether one is new. */
  watchDeliveries: async (
    actionId: string,
    watches: readonly { chainId: number; filter: string }[],
  ): Promise<boolean> => {
    const known = await sql.query<{ chainId: number; filter: string }>(
      'select chain_id as "chainId", filter from delivery_watches where action_id = $1',
      [actionId],
    )
    const isKnown = new Set(known.map(({ chainId, filter }) => `${chainId} ${filter}`))
    const fresh = watches.filter((watch) => !isKnown.has(`${watch.chainId} ${watch.filter}`))
    const again = 'on conflict (chain_id, action_id, filter) do nothing'
    for (const watch of fresh) await sql.query(...insertOf('delivery_watches', { actionId, ...watch }, again))
    return fresh.length > 0
  },

  /** Ends what an action that has ended waited for: its watches, and its marks for a later time. */
  endWaiting: async (actionId: string, now: number): Promise<void> => {
    await sql.query('delete from delivery_watches where action_id = $1', [actionId])
    await sql.query('delete from marked_actions where action_id = $1 and due_at > $2', [actionId, now])
  },
})
