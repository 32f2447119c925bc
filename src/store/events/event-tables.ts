/**
 * The tables of events. `seq` counts the events of a subject without gaps; `cursor` is the place of an event among all of its customer, which it gets once
 * its transaction is committed; `told` is the state that the last event of a subject told. An event with an `endpoint_id` is for that endpoint only.
 * A delivery is an event on its way to an endpoint: `pending`, `delivered` or `dead`. `sides` has the last seen side of every line. Times are epoch ms.
 */
export const eventSchema = `create table event_subjects (
     customer text not null, subject text not null, seq bigint not null, told text, at bigint not null, primary key (customer, subject));
   create table events (
     id text primary key, customer text not null, type text not null, subject text not null, seq bigint not null, at bigint not null, data text not null,
     test integer not null default 0, endpoint_id text, cursor bigint, unique (customer, subject, seq));
   create unique index events_by_cursor on events (customer, cursor);
   create index events_without_cursor on events (customer, at) where cursor is null;
   create index events_by_time on events (at);
   create table event_consumers (
     customer text not null, name text not null, cursor bigint not null, committed_at bigint not null, primary key (customer, name));
   create table webhook_endpoints (
     id text primary key, customer text not null, url text not null, types text, payload text not null, apy_line text, liquidity_line text,
     secrets text not null, created_at bigint not null, disabled_at bigint, reason text, failures integer not null default 0, rests_until bigint not null default 0);
   create index endpoints_of_customer on webhook_endpoints (customer, created_at);
   create table webhook_deliveries (
     id text primary key, endpoint_id text not null, event_id text not null, customer text not null, subject text not null, seq bigint not null, state text not null,
     attempt integer not null default 0, tries integer not null default 0, due_at bigint not null, leased_until bigint not null default 0, response integer, error text,
     created_at bigint not null, updated_at bigint not null, unique (endpoint_id, event_id));
   create index deliveries_waiting on webhook_deliveries (endpoint_id, subject, seq) where state = 'pending';
   create index deliveries_due on webhook_deliveries (endpoint_id, due_at) where state = 'pending';
   create index deliveries_newest on webhook_deliveries (endpoint_id, created_at);
   create table event_sides (
     customer text not null, endpoint_id text not null, slug text not null, kind text not null, side text not null, primary key (customer, endpoint_id, slug, kind))`

/** When a waiting delivery may be claimed: when it is due, or when the claim of another process ends. As SQL, the same text in the index and in queries. */
export const freeAt = 'case when leased_until > due_at then leased_until else due_at end'

/** The index of dead letters, for their number. */
export const deadLetters = `create index deliveries_dead on webhook_deliveries (endpoint_id) where state = 'dead'`

/** The place of the last numbered event of each customer; the events stay numbered after older ones are deleted. */
export const eventPlaces = `create table event_places (customer text primary key, last bigint not null);
   insert into event_places (customer, last) select customer, max(cursor) from events where cursor is not null group by customer`

/**
 * The deliveries that may be the next of their subject, marked by `is_next`, so that what waits behind them is not read. A delivery is unmarked only behind
 * one that waits; the end of that one marks it. `followed` is the cursor up to which deliveries were put behind this one.
 */
export const nextDeliveries = `alter table webhook_deliveries add column is_next integer not null default 1;
   alter table webhook_deliveries add column followed bigint not null default 0;
   update webhook_deliveries set is_next = 0 where state = 'pending' and exists (select 1 from webhook_deliveries earlier
     where earlier.endpoint_id = webhook_deliveries.endpoint_id and earlier.subject = webhook_deliveries.subject and earlier.state = 'pending'
     and earlier.seq < webhook_deliveries.seq);
   create index deliveries_next on webhook_deliveries (endpoint_id, (${freeAt}), seq) where state = 'pending' and is_next = 1;
   create index deliveries_next_of_subject on webhook_deliveries (endpoint_id, subject) where state = 'pending' and is_next = 1;
   drop index deliveries_due_in_order`

/** The indexes by which a page, and what a write looks for, is read without reading what is not on it. */
export const pageIndexes = `create index actions_by_quote on actions (customer, quote_id);
   create index actions_by_wallet on actions (lower(wallet), customer, created_at);
   create index actions_of_wallet_by_time on actions (wallet, customer, created_at);
   create index actions_by_status on actions (customer, status, created_at);
   create index actions_by_delivery on actions (destination_hash, customer) where destination_hash is not null;
   create index events_of_customer_by_time on events (customer, at);
   create index deliveries_by_state on webhook_deliveries (endpoint_id, state, created_at);
   create index deliveries_of_event on webhook_deliveries (event_id);
   create index deliveries_due_in_order on webhook_deliveries (endpoint_id, due_at, seq) where state = 'pending';
   drop index deliveries_due;
   drop index actions_quote`
