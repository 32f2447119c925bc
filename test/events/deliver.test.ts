import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { type EventType, eventSamples } from '../../src/domain/events/event-table.ts'
import { type DeliveryNeeds, deliverToEndpoint, deliverySettings } from '../../src/events/deliver.ts'
import type { GuardedAnswer } from '../../src/http/guarded-post.ts'
import { eventStore } from '../support/event-store.ts'

type Sent = {
  id: string
  subject: string
  seq: number
  headers: Record<string, string>
  body: string
  at: number
}

/** A customer with one endpoint, whose receiver answers as `receive` says. */
async function receiver(
  receive: (sent: Sent, before: readonly Sent[]) => GuardedAnswer | Promise<GuardedAnswer>,
  wanted: { payload?: 'thin' | 'full'; types?: EventType[] } = {},
) {
  const one = eventStore()
  const service = one.service()
  const { secret, ...endpoint } = await service.addWebhook({ url: 'http://127.0.0.1:9/hook', ...wanted })
  const sent: Sent[] = []
  let clock = one.time.now
  const later: number[] = []
  const needs: DeliveryNeeds = {
    store: one.store,
    sql: one.sql,
    jobs: { add: async (_, jobs) => void later.push(...jobs.map(({ at = 0 }) => at)) },
    now: () => one.time.now,
    clock: () => clock,
    random: () => 0,
    settings: deliverySettings,
    isStopping: () => false,
    post: async ({ headers, body }) => {
      const { subject, seq } = JSON.parse(body)
      const this_ = { id: headers['webhook-id']!, subject, seq, headers, body, at: clock }
      sent.push(this_)
      return receive(this_, sent.slice(0, -1))
    },
  }
  const tell = (id: string) =>
    one.store.tell({ customer: 'acme', type: 'action.updated', id, data: eventSamples['action.updated'] })
  return {
    one,
    service,
    endpoint,
    secret,
    sent,
    needs,
    tell,
    later,
    wait: (ms: number) => {
      clock += ms
    },
    deliver: async () => {
      await one.store.numberEvents('acme')
      await deliverToEndpoint(needs, endpoint.id)
    },
    states: async () =>
      (await service.webhookDeliveries({ id: endpoint.id, limit: 100 })).items
        .map(({ subject, seq, state, attempts }) => `${subject} ${seq} ${state} ${attempts}`)
        .toSorted(),
  }
}

const ok: GuardedAnswer = { status: 200, retryAfterMs: null }
const failed: GuardedAnswer = { status: 500, retryAfterMs: null }

describe('a delivery', () => {
  it('is signed and sent again under the same id until it is received, by the schedule', async () => {
    const one = await receiver((_, before) => (before.length < 2 ? failed : ok))
    await one.tell('a')
    for (const wait of [0, 4_999, 1, 299_999, 1]) {
      one.wait(wait)
      await one.deliver()
    }
    expect(one.sent.map(({ at }) => at - one.sent[0]!.at)).toEqual([0, 5_000, 305_000])
    expect(new Set(one.sent.map(({ id, body }) => id + body)).size).toBe(1)
    expect(await one.states()).toEqual(['action:a 1 delivered 3'])
    // The reference library refuses a signature that is five minutes old; this clock is of the year 2027.
    const { body, headers } = one.sent[2]!
    expect(headers['webhook-timestamp']).toBe(String(Math.floor(one.sent[2]!.at / 1000)))
    const { webhookHeaders } = await import('../../src/events/signature.ts')
    const again = webhookHeaders([one.secret], { id: one.sent[2]!.id, at: Date.now(), body })
    expect(new Webhook(one.secret).verify(body, again)).toEqual(JSON.parse(body))
    expect(webhookHeaders([one.secret], { id: one.sent[2]!.id, at: one.sent[2]!.at, body })).toEqual(headers)
  })

  it('waits for the earlier ones of its subject, and for no other subject', async () => {
    const one = await receiver(({ subject }, before) =>
      subject === 'action:a' && before.filter((earlier) => earlier.subject === subject).length < 1
        ? failed
        : ok,
    )
    for (const id of ['a', 'a', 'b', 'a', 'b', 'c']) await one.tell(id)
    await one.deliver()
    expect(one.sent.map(({ subject, seq }) => `${subject} ${seq}`)).toEqual([
      'action:a 1',
      'action:b 1',
      'action:c 1',
      'action:b 2',
    ])
    one.wait(5_000)
    await one.deliver()
    expect(one.sent.filter(({ subject }) => subject === 'action:a').map(({ seq }) => seq)).toEqual([
      1, 1, 2, 3,
    ])
  })

  it('is in order although the clock of the service went back', async () => {
    const one = await receiver(() => ok)
    for (let at = 0; at < 5; at++) {
      one.one.time.now -= 60_000
      await one.tell('a')
    }
    await one.deliver()
    expect(one.sent.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
  })

  it('goes on with the next of its subject after it was given up, and is sent again on demand', async () => {
    const one = await receiver((_, before) => (before.length < 3 ? { status: 422, retryAfterMs: null } : ok))
    await one.tell('a')
    await one.tell('a')
    for (let at = 0; at < 3; at++) {
      await one.deliver()
      one.wait(400_000)
    }
    expect(await one.states()).toEqual(['action:a 1 dead 3', 'action:a 2 delivered 1'])
    const [dead] = (await one.service.webhookDeliveries({ id: one.endpoint.id, state: 'dead' })).items
    await one.service.resendDelivery({ id: one.endpoint.id, deliveryId: dead!.id })
    await one.deliver()
    expect(await one.states()).toEqual(['action:a 1 delivered 4', 'action:a 2 delivered 1'])
    expect(one.sent.at(-1)!.id).toBe(one.sent[0]!.id)
  })

  it('of an endpoint that answers 410 disables it, which its customer is told, and no more is sent', async () => {
    const one = await receiver(() => ({ status: 410, retryAfterMs: null }))
    const other = await one.service.addWebhook({ url: 'http://127.0.0.1:9/other' })
    for (const id of ['a', 'b']) await one.tell(id)
    await one.deliver()
    await one.tell('c')
    await one.deliver()
    expect(one.sent.length).toBeLessThanOrEqual(2)
    expect((await one.states()).every((line) => line.includes(' dead '))).toBe(true)
    const told = (await one.service.webhookDeliveries({ id: other.id, limit: 100 })).items.map(
      ({ type }) => type,
    )
    expect(told.toSorted()).toEqual([
      'action.updated',
      'action.updated',
      'action.updated',
      'endpoint.disabled',
    ])
    await expect(
      one.service.replayWebhook({ id: one.endpoint.id, since: '2020-01-01T00:00:00Z' }),
    ).rejects.toThrow('disabled')
  })

  it('rests after five failures in a row, and then makes one attempt at a time', async () => {
    let isDown = true
    const one = await receiver(() => (isDown ? { error: 'the connection was refused' } : ok))
    for (let at = 0; at < 20; at++) await one.tell(`a${at}`)
    await one.deliver()
    const first = one.sent.length
    expect(first).toBeGreaterThanOrEqual(5)
    expect(first).toBeLessThanOrEqual(12)
    await one.deliver()
    expect(one.sent).toHaveLength(first)
    one.wait(1_000)
    await one.deliver()
    expect(one.sent).toHaveLength(first + 1)
    isDown = false
    one.wait(120_000)
    await one.deliver()
    one.wait(300_000)
    await one.deliver()
    expect((await one.states()).every((line) => line.includes('delivered'))).toBe(true)
  })

  it('whose process ended is made again after its lease, and the late result of the first attempt counts no more', async () => {
    const hanging = Promise.withResolvers<GuardedAnswer>()
    const one = await receiver((_, before) => (before.length === 0 ? hanging.promise : failed))
    await one.tell('a')
    const first = one.deliver()
    await expect.poll(() => one.sent.length).toBe(1)
    await one.deliver()
    expect(one.sent).toHaveLength(1)
    one.wait(deliverySettings.timeoutMs + deliverySettings.spareMs)
    await one.deliver()
    expect(one.sent).toHaveLength(2)
    hanging.resolve(ok)
    await first
    expect(await one.states()).toEqual(['action:a 1 pending 2'])
  })

  it('has the payload and the types that the endpoint wants; test events go to every endpoint', async () => {
    const one = await receiver(() => ok, { payload: 'thin', types: ['action.succeeded'] })
    await one.tell('a')
    await one.service.triggerEvent({ type: 'strategy.paused' })
    await one.deliver()
    expect(one.sent.map(({ body }) => JSON.parse(body))).toEqual([
      {
        id: one.sent[0]!.id,
        type: 'strategy.paused',
        timestamp: expect.any(String),
        subject: expect.stringMatching(/^strategy:test-[0-9a-f]{8}$/),
        seq: 1,
        test: true,
      },
    ])
  })

  it('of a test event does not wait behind one that was not received', async () => {
    const one = await receiver((_, before) => (before.length === 0 ? failed : ok))
    for (let at = 0; at < 2; at++) {
      await one.service.triggerEvent({ type: 'action.failed' })
      await one.deliver()
    }
    const states = (await one.states()).map((line) => line.split(' ').slice(1).join(' '))
    expect(states.toSorted()).toEqual(['1 delivered 1', '1 pending 1'])
  })

  it('that waits behind another one has no time of its next attempt', async () => {
    const one = await receiver(() => failed)
    for (let at = 0; at < 2; at++) await one.tell('a')
    await one.deliver()
    const { items } = await one.service.webhookDeliveries({ id: one.endpoint.id })
    expect(items.map(({ seq, nextAttemptAt }) => [seq, nextAttemptAt])).toEqual([
      [2, null],
      [1, expect.any(String)],
    ])
  })

  it('that waits for its next attempt is due at once after a replay, and those behind it follow in order', async () => {
    let answer = failed
    const one = await receiver(() => answer)
    for (let at = 0; at < 3; at++) await one.tell('a')
    await one.deliver()
    answer = ok
    const since = '2020-01-01T00:00:00Z'
    expect(await one.service.replayWebhook({ id: one.endpoint.id, since })).toEqual({ count: 3 })
    await one.deliver()
    expect(one.sent.map(({ seq }) => seq)).toEqual([1, 1, 2, 3])
  })

  it('is signed with the old and the new secret for a day after a rotation', async () => {
    const one = await receiver(() => ok)
    const { secret } = await one.service.rotateWebhook({ id: one.endpoint.id })
    expect(secret).not.toBe(one.secret)
    await one.tell('a')
    await one.deliver()
    one.one.time.now += 25 * 3_600_000
    await one.tell('a')
    await one.deliver()
    expect(one.sent.map(({ headers }) => headers['webhook-signature']!.split(' ').length)).toEqual([2, 1])
    expect(JSON.stringify(await one.service.listWebhooks({}))).not.toContain('whsec_')
  })
})

describe('an endpoint that is enabled again', () => {
  it('gets the events from then on, and what it missed only by a replay', async () => {
    let answer: { status: number; retryAfterMs: null } = { status: 410, retryAfterMs: null }
    const one = await receiver(() => answer)
    const { id } = one.endpoint
    await one.tell('a')
    await one.deliver()
    expect((await one.service.listWebhooks({})).items[0]).toMatchObject({
      disabledReason: expect.any(String),
    })
    await one.tell('a')
    await one.one.store.numberEvents('acme')
    await expect(one.service.replayWebhook({ id, since: '2020-01-01T00:00:00Z' })).rejects.toMatchObject({
      hint: `sluice webhooks enable ${id}`,
    })
    answer = { status: 200, retryAfterMs: null }
    expect(await one.service.enableWebhook({ id })).toMatchObject({ disabledAt: null, disabledReason: null })
    one.sent.length = 0
    await one.tell('a')
    await one.deliver()
    const seqs = () =>
      one.sent
        .map(({ body }) => JSON.parse(body))
        .filter(({ subject }) => subject === 'action:a')
        .map(({ seq }) => seq)
    expect(seqs()).toEqual([3])
    await one.service.replayWebhook({ id, since: '2020-01-01T00:00:00Z' })
    await one.deliver()
    expect(seqs()).toEqual([3, 1, 2, 3])
  })
})

describe('a consumer', () => {
  it('goes on after the cursor that it committed, forward only unless it seeks', async () => {
    const one = await receiver(() => ok)
    for (let at = 0; at < 5; at++) await one.tell('a')
    await one.one.store.numberEvents('acme')
    const poll = () => one.service.listEvents({ consumer: 'c', limit: 2 })
    const first = await poll()
    expect(first.events.map(({ seq }) => seq)).toEqual([1, 2])
    expect(first.hasMore).toBe(true)
    // A consumer that ends before its commit gets them again.
    expect(await poll()).toEqual(first)
    await one.service.commitEvents({ consumer: 'c', cursor: first.cursor })
    const second = await poll()
    expect(second.events.map(({ seq }) => seq)).toEqual([3, 4])
    await one.service.commitEvents({ consumer: 'c', cursor: second.cursor })
    expect(await one.service.commitEvents({ consumer: 'c', cursor: first.cursor })).toMatchObject({
      cursor: second.cursor,
    })
    expect(await one.service.commitEvents({ consumer: 'c', cursor: first.cursor, seek: true })).toMatchObject(
      { cursor: first.cursor },
    )
    await expect(one.service.commitEvents({ consumer: 'c', cursor: '99' })).rejects.toThrow('last event')
    await expect(one.service.listEvents({ after: '6' })).rejects.toThrow('last event')
    expect((await one.service.listEvents({ after: '5' })).events).toEqual([])
    expect((await one.service.listEvents({ consumer: 'other' })).events).toHaveLength(5)
  })

  it('never meets an event before a cursor that it has, and replays since a time', async () => {
    const one = await receiver(() => ok)
    await one.tell('a')
    await one.one.store.numberEvents('acme')
    const { cursor } = await one.service.listEvents({})
    one.one.time.now += 60_000
    await one.tell('b')
    // An event without a place yet is not shown.
    expect((await one.service.listEvents({})).events).toHaveLength(1)
    await one.deliver()
    expect((await one.service.listEvents({ after: cursor })).events.map(({ subject }) => subject)).toEqual([
      'action:b',
    ])
    const since = new Date(one.one.time.now - 1).toISOString()
    expect((await one.service.listEvents({ since, consumer: 'c' })).events).toHaveLength(1)
    const before = one.sent.length
    expect(await one.service.replayWebhook({ id: one.endpoint.id, since })).toEqual({ count: 1 })
    await one.deliver()
    expect(one.sent.slice(before).map(({ subject }) => subject)).toEqual(['action:b'])
  })

  it('loses events only after 30 days, and never the place of the next one', async () => {
    const one = await receiver(() => ok)
    await one.tell('a')
    await one.tell('b')
    await one.deliver()
    await one.one.store.deleteOldEvents(one.one.time.now + 1)
    const { cursor } = await one.service.listEvents({})
    await one.tell('c')
    await one.deliver()
    const { events } = await one.service.listEvents({ after: cursor })
    expect(events.map(({ subject, cursor: place }) => `${subject} ${place}`)).toEqual(['action:c 3'])
  })
})
