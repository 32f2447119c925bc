/** A quote as the engine stores it. `wire` is the JSON of the response; times are epoch ms. */
export type QuoteRow = {
  id: string
  customer: string
  provider: string
  originChain: string
  destinationChain: string
  wire: string
  /** The provider's offer and the request, as JSON. */
  offer: string
  createdAt: number
  expiresAt: number
  /** 1 if it was requested for a comparison or a dry run: it is listed once its transactions are issued for execution. */
  draft: number
  /** The final status as it was last seen, where it is kept here: for a swap from Bitcoin, and for the bridge of a deposit. */
  outcome: string | null
}

/** A tracked operation as the engine stores it. `status` is the internal word (pending, confirmed, ...). */
export type ActionRow = {
  id: string
  customer: string
  type: string
  status: string
  strategyId: string | null
  strategySlug: string | null
  wallet: string
  receiver: string
  amounts: string
  quoteId: string | null
  destinationHash: string | null
  createdAt: number
  updatedAt: number
  finishedAt: number | null
  /** 1 if its transactions were built for a dry run: it is listed once one of them is found or reported. */
  draft: number
  /** When its client reported that it sends no more of it; `null` otherwise. */
  cancelledAt: number | null
}

/** One transaction of a tracked operation: its call, and what was found on chain. */
export type ActionTxRow = {
  actionId: string
  idx: number
  kind: string
  chainId: number
  recipient: string
  data: string
  value: string
  /** The block and nonce when the bytecode was made: the search starts there. */
  fromBlock: number
  fromNonce: number
  hash: string | null
  nonce: number | null
  blockNumber: number | null
  blockHash: string | null
  /** 1 succeeded, 0 reverted, `null` not in a block yet. */
  succeeded: number | null
  gasUsed: string | null
}

/** The columns of a `QuoteRow`. */
export const quoteRowColumns = `id, customer, provider, origin_chain as "originChain", destination_chain as "destinationChain", wire, offer, created_at as "createdAt", expires_at as "expiresAt", draft, outcome`
/** The columns of an `ActionRow`. */
export const actionColumns = `id, customer, type, status, strategy_id as "strategyId", strategy_slug as "strategySlug", wallet, receiver, amounts, quote_id as "quoteId",
  destination_hash as "destinationHash", created_at as "createdAt", updated_at as "updatedAt", finished_at as "finishedAt", draft, cancelled_at as "cancelledAt"`
/** The columns of an `ActionTxRow`. */
export const txColumns = `action_id as "actionId", idx, kind, chain_id as "chainId", recipient, data, value, from_block as "fromBlock", from_nonce as "fromNonce",
  hash, nonce, block_number as "blockNumber", block_hash as "blockHash", succeeded, gas_used as "gasUsed"`

/** The initial tables. */
export const initialSchema = `create table quotes (
     id text primary key, customer text not null, provider text not null, origin_chain text not null, destination_chain text not null,
     wire text not null, offer text not null, created_at bigint not null, expires_at bigint not null);
   create index quotes_newest on quotes (customer, created_at);
   create table actions (
     id text primary key, customer text not null, type text not null, status text not null, strategy_id text, strategy_slug text,
     wallet text not null, receiver text not null, amounts text not null, quote_id text, destination_hash text,
     created_at bigint not null, updated_at bigint not null, finished_at bigint);
   create table action_txs (
     action_id text not null references actions (id), idx integer not null, kind text not null, chain_id bigint not null,
     recipient text not null, data text not null, value text not null, from_block bigint not null, from_nonce bigint not null,
     hash text, nonce bigint, block_number bigint, block_hash text, succeeded integer, gas_used text,
     primary key (action_id, idx), unique (chain_id, hash));
   create table settings (customer text not null, name text not null, value text not null, primary key (customer, name))`

/**
 * Makes a hash unique for a customer only: two customers may have requested the same call for the same wallet, and both see it
 * done.
 */
export const hashesByCustomer = `alter table action_txs rename to action_txs_of_all;
   create table action_txs (
     action_id text not null references actions (id), idx integer not null, customer text not null, kind text not null, chain_id bigint not null,
     recipient text not null, data text not null, value text not null, from_block bigint not null, from_nonce bigint not null,
     hash text, nonce bigint, block_number bigint, block_hash text, succeeded integer, gas_used text,
     primary key (action_id, idx), unique (customer, chain_id, hash));
   insert into action_txs (action_id, idx, customer, kind, chain_id, recipient, data, value, from_block, from_nonce, hash, nonce, block_number, block_hash, succeeded, gas_used)
     select t.action_id, t.idx, a.customer, t.kind, t.chain_id, t.recipient, t.data, t.value, t.from_block, t.from_nonce, t.hash, t.nonce, t.block_number, t.block_hash, t.succeeded, t.gas_used
     from action_txs_of_all t join actions a on a.id = t.action_id;
   drop table action_txs_of_all`

/** Marks quotes of comparisons, actions of dry runs and actions that their client ended, and keeps the final status of a quote. */
export const drafts = `alter table quotes add column draft integer not null default 0;
   alter table quotes add column outcome text;
   alter table actions add column draft integer not null default 0;
   alter table actions add column cancelled_at bigint`

/**
 * Whether a row exists, as SQL that is looked up for each row of a list. PostgreSQL answers `exists` by reading the whole table where it expects many rows, also for a
 * page of ten.
 */
export const isThere = (rows: string): string => `(select 1 ${rows} limit 1) is not null`

/** Whether an action is listed: a draft is none until one of its transactions is found, as SQL. */
export const isListedAction = (alias: string): string =>
  `(${alias}.draft = 0 or ${isThere(`from action_txs shown where shown.action_id = ${alias}.id and shown.hash is not null`)})`

/** The index for a customer's newest operations. */
export const actionsNewest = 'create index actions_newest on actions (customer, created_at)'

/** The index for a wallet's operations. */
export const actionsOfWallet = 'create index actions_of_wallet on actions (wallet, strategy_id)'

/** Whether a type is a swap, as SQL. */
export const isSwapColumn = (column: string): string => `${column} in ('SAMECHAIN_SWAP', 'CROSSCHAIN_SWAP')`

/** The order of the operations issued for a quote, as SQL: the furthest advanced first, otherwise the newest. */
export const furthestFirst = `case a.status when 'pending' then 5 when 'expired' then 5 when 'failed' then 4 when 'confirmed' then 3 when 'processing' then 2 else 1 end,
  a.created_at desc, a.id`
