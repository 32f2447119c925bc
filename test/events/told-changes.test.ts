import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventSamples, eventTable } from '../../src/domain/events/event-table.ts'
import type { State } from '../../src/domain/swap-outcome.ts'
import type { QuoteRow } from '../../src/store/engine/action-tables.ts'
import { eventStore, issued } from '../support/event-store.ts'

const quote = (id: string, change: Partial<QuoteRow> = {}): QuoteRow => ({
  id,
  customer: 'acme',
  provider: 'cctp',
  originChain: 'one',
  destinationChain: 'two',
  wire: '{}',
  offer: '{}',
  createdAt: 1,
  expiresAt: 1_800_000_300_000,
  draft: 0,
  outcome: null,
  ...change,
})

/** Moves an action to a state, as a reader of its chains does. */
const moving =
  ({ store }: ReturnType<typeof eventStore>) =>
  async (id: string, to: State) => {
    const { action, txs } = (await store.action('acme', id))!
    const isEnded = ['fulfilled', 'failed', 'refunded', 'expired'].includes(to)
    const row = { ...action, status: to, updatedAt: 2, finishedAt: isEnded ? 2 : null }
    return store.moveAction(row, { action, txs })
  }

describe('the events of an action', () => {
  it('are written for each change of its state, in the order of the changes, and not for a change that was refused', async () => {
    const one = eventStore()
    const move = moving(one)
    await one.store.issueOperation(...issued('a'))
    await one.store.issueOperation(...issued('b'))
    const stale = (await one.store.action('acme', 'a'))!
    for (const state of ['confirmed', 'pending', 'confirmed', 'fulfilled'] as const) await move('a', state)
    await move('b', 'failed')
    await move('b', 'confirmed')
    await move('b', 'refunded')
    const late = { ...stale.action, status: 'failed' }
    expect(await one.store.moveAction(late, stale)).toBe(false)
    expect((await one.told()).toSorted()).toEqual([
      'action:a 1 action.created',
      'action:a 2 action.updated',
      'action:a 3 action.updated',
      'action:a 4 action.updated',
      'action:a 5 action.succeeded',
      'action:b 1 action.created',
      'action:b 2 action.failed',
      'action:b 3 action.updated',
      'action:b 4 action.refunded',
    ])
  })

  it('have data that their schema reads, and are no other customer’s', async () => {
    const one = eventStore()
    const move = moving(one)
    await one.store.issueOperation(...issued('a'))
    await move('a', 'fulfilled')
    await one.store.issueOperation(...issued('x', { customer: 'other' }))
    await one.told('other')
    await one.told()
    const { events } = await one.service().listEvents({})
    for (const { type, data } of events)
      expect(eventTable[type as keyof typeof eventTable].data.parse(data)).toEqual(data)
    expect(JSON.stringify(events)).not.toContain('other')
    expect(events.map(({ subject }) => subject)).toEqual(['action:a', 'action:a'])
    expect((await one.service('other').listEvents({})).events).toHaveLength(1)
    expect((await one.service('third').listEvents({})).events).toEqual([])
  })

  it('begin when a draft is listed: its client signed it, or its transaction was found', async () => {
    const one = eventStore()
    const move = moving(one)
    for (const id of ['signed', 'found', 'unsent'])
      await one.store.issueOperation(...issued(id, { draft: 1 }))
    expect(await one.told()).toEqual([])
    await move('unsent', 'failed')
    await one.store.listAction('acme', 'signed')
    await one.store.listAction('acme', 'signed')
    const [tx] = (await one.store.action('acme', 'found'))!.txs
    await one.store.claim(tx!, '0xhash', 0)
    expect((await one.told()).toSorted()).toEqual([
      'action:found 1 action.created',
      'action:signed 1 action.created',
    ])
  })

  it('tell that a report took the transaction of an action that had ended', async () => {
    const one = eventStore()
    const move = moving(one)
    for (const id of ['a', 'b']) await one.store.issueOperation(...issued(id))
    const [first] = (await one.store.action('acme', 'a'))!.txs
    await one.store.claim(first!, '0xhash', 0)
    await move('a', 'fulfilled')
    const [second] = (await one.store.action('acme', 'b'))!.txs
    expect(await one.store.bindTx('acme', second!, '0xhash', false)).toBe(true)
    expect((await one.told()).filter((line) => line.startsWith('action:a'))).toEqual([
      'action:a 1 action.created',
      'action:a 2 action.succeeded',
      'action:a 3 action.updated',
    ])
  })

  it('are one order for all issues of a quote, whose furthest counts', async () => {
    const one = eventStore()
    const move = moving(one)
    await one.store.saveQuote(quote('q'))
    const swap = { type: 'CROSSCHAIN_SWAP', quoteId: 'q' }
    await one.store.issueOperation(...issued('q', swap))
    await one.store.issueOperation(...issued('q', { ...swap, wallet: '0x9', receiver: '0x9' }))
    const again = 'q-again'
    await move('q', 'expired')
    await move(again, 'processing')
    await move('q', 'failed')
    await move(again, 'fulfilled')
    expect((await one.told()).toSorted()).toEqual([
      'action:q 1 action.created',
      'action:q 2 action.updated',
      'action:q 3 action.updated',
      'action:q 4 action.succeeded',
      'quote:q 1 swap.status_changed',
      'quote:q 2 swap.status_changed',
      'quote:q 3 swap.status_changed',
    ])
  })

  it('are none if the transaction of the change is undone', async () => {
    const one = eventStore()
    await one.store.issueOperation(...issued('a'))
    await one.sql.query('drop table events')
    await expect(moving(one)('a', 'fulfilled')).rejects.toThrow()
    expect((await one.store.action('acme', 'a'))!.action.status).toBe('pending')
  })
})

describe('the events of a quote', () => {
  it('tell once that it expired, if it is listed and nothing of it was issued', async () => {
    const one = eventStore()
    await one.store.saveQuote(quote('old'))
    await one.store.saveQuote(quote('draft', { draft: 1 }))
    await one.store.saveQuote(quote('used'))
    await one.store.issueOperation(...issued('used', { type: 'CROSSCHAIN_SWAP', quoteId: 'used' }))
    const tellAll = async () => {
      for (const id of ['old', 'draft', 'used']) await one.store.tellQuoteExpiry(id)
    }
    await tellAll()
    expect((await one.told()).filter((line) => line.startsWith('quote'))).toEqual([])
    one.time.now += 400_000
    expect(await one.store.expiredQuotes(0, one.time.now)).toEqual(['old'])
    await tellAll()
    await tellAll()
    expect((await one.told()).filter((line) => line.startsWith('quote'))).toEqual([
      'quote:old 1 quote.expired',
    ])
    expect(await one.store.expiredQuotes(0, one.time.now)).toEqual([])
    expect(one.jobs).toContainEqual({ queue: 'quotes.expire', key: 'old', at: quote('old').expiresAt + 1 })
  })

  it('tell each status of a swap without an action once', async () => {
    const one = eventStore()
    await one.store.saveQuote(quote('btc', { originChain: 'bitcoin' }))
    const tell = (status: string, was: string | null) => one.store.tellQuoteStatus('acme', 'btc', status, was)
    await tell('pending', null)
    await tell('processing', null)
    // Two readers saw it; the second was late.
    await tell('processing', null)
    await tell('confirmed', null)
    await tell('confirmed', 'processing')
    await one.store.keepOutcome('acme', 'btc', 'fulfilled', null)
    await one.store.keepOutcome('acme', 'btc', 'failed', null)
    await tell('processing', 'fulfilled')
    await one.told()
    const { events } = await one.service().listEvents({ types: ['swap.status_changed'] })
    expect(events.map(({ data }) => `${data!.previousStatus} ${data!.status}`)).toEqual([
      'pending processing',
      'processing confirmed',
      'confirmed fulfilled',
    ])
  })
})

describe('strategies', () => {
  it('tell a crossing once to the endpoint with the line, and a pause to the customer', async () => {
    const { watchStrategies } = await import('../../src/events/watch-strategies.ts')
    const one = eventStore()
    const add = (line: object) => one.service().addWebhook({ url: 'http://127.0.0.1:9/', ...line })
    const [low, high] = [await add({ apyLine: 0.03 }), await add({ apyLine: 0.05, liquidityLine: 1_000 })]
    const look = (apy: number | null, liquidityUsd = 5_000, isPaused: boolean | null = false) =>
      watchStrategies(one.store, async () => [{ slug: 's', network: 'one', isPaused, apy, liquidityUsd }])
    await look(0.04)
    await look(0.04)
    expect(await one.told()).toEqual([])
    await look(0.029)
    await look(0.029)
    await look(null, 999, null)
    await look(0.031, 999, true)
    await look(0.06, 999, false)
    await one.told()
    const told = (await one.service().listEvents({ limit: 100 })).events.map(({ type, data, seq }) =>
      `${seq} ${type} ${data!.line ?? ''} ${data!.side ?? ''}`.trim(),
    )
    expect(told).toEqual([
      '1 strategy.apy_changed 0.03 below',
      '2 strategy.liquidity_changed 1000 below',
      '3 strategy.paused',
      '4 strategy.apy_changed 0.03 above',
      '5 strategy.resumed',
      '6 strategy.apy_changed 0.05 above',
    ])
    const sent = async (id: string) =>
      (await one.service().webhookDeliveries({ id, limit: 100 })).items.map(({ seq }) => seq).toSorted()
    expect(await sent(low.id)).toEqual([1, 3, 4, 5])
    expect(await sent(high.id)).toEqual([2, 3, 5, 6])
  })
})

it('only action-writes.ts writes actions and their transactions, and only quote-queries.ts quotes', () => {
  const root = join(import.meta.dirname, '../../src')
  const writes =
    /(update|delete from|insert into) (actions|action_txs|quotes)\b|insertOf\(\s*'(actions|action_txs|quotes)'/
  const found = globSync('**/*.ts', { cwd: root }).filter((file) =>
    writes.test(readFileSync(join(root, file), 'utf8')),
  )
  // The tables themselves are moved by a migration.
  expect(found.toSorted()).toEqual([
    'store/engine/action-tables.ts',
    'store/engine/action-writes.ts',
    'store/engine/quote-queries.ts',
  ])
})

it.each(Object.entries(eventTable))('%s has sample data that its schema reads', (type, { data }) => {
  const sample = eventSamples[type as keyof typeof eventSamples]
  expect(data.parse(sample)).toEqual(sample)
})
