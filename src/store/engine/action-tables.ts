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
export const quoteColumns = `id, customer, provider, origin_chain as "originChain", destination_chain as "destinationChain", wire, offer, created_at as "createdAt", expires_at as "expiresAt"`
/** The columns of an `ActionRow`. */
export const actionColumns = `id, customer, type, status, strategy_id as "strategyId", strategy_slug as "strategySlug", wallet, receiver, amounts, quote_id as "quoteId",
  destination_hash as "destinationHash", created_at as "createdAt", updated_at as "updatedAt", finished_at as "finishedAt"`
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

/** The index for a customer's newest operations. */
export const actionsNewest = 'create index actions_newest on actions (customer, created_at)'

/** The index for a wallet's operations. */
export const actionsOfWallet = 'create index actions_of_wallet on actions (wallet, strategy_id)'
