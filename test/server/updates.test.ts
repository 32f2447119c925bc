import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { AppError } from '../../src/domain/errors.ts'
import { createApp } from '../../src/server/app.ts'
import type { Update, UpdateLimits, UpdateReader } from '../../src/server/updates.ts'

const limits: UpdateLimits = {
  ...{ pollMs: 20, heartbeatMs: 200, longestMs: 60_000 },
  ...{ ofCustomer: 3, ofServer: 4 },
}
const [one, two] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`]
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A server whose customers have these events. */
async function serving(own: Partial<UpdateLimits> = {}) {
  const events: (Update & { at: number })[] = []
  const listEvents: UpdateReader = async ({ after = '0', since, limit }) => {
    if (Number(after) > events.length) throw new AppError('VALIDATION_ERROR', 'after is after the last event')
    const from = since === undefined ? 0 : Date.parse(since)
    const later = events.filter(({ cursor, at }) => Number(cursor) > Number(after) && at >= from)
    const some = later.slice(0, limit)
    return { events: some, cursor: some.at(-1)?.cursor ?? after, hasMore: later.length > limit }
  }
  const app = createApp({
    access: async (key) => ({
      ...{ keyId: key, customer: key },
      service: (key === 'none' ? {} : { listEvents }) as never,
    }),
    allow: async () => ({ ok: true }),
    updates: { ...limits, ...own },
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  closing.push(() => app.close())
  const add = (action: string, wallet = one, text = '') => {
    const cursor = String(events.length + 1)
    const data = { actionId: action, originAddress: wallet, receiverAddress: wallet, text }
    const event = { id: `evt_${cursor}`, type: 'action.updated', subject: `action:${action}`, cursor, data }
    events.push({ ...event, at: Date.now() })
  }
  return { app, url, add }
}

/** Opens a stream, and reads its lines as they come. */
async function stream(url: string, query = '', headers: Record<string, string> = {}) {
  const stop = new AbortController()
  closing.unshift(async () => stop.abort())
  const answer = await fetch(`${url}/updates${query}`, {
    headers: { 'x-api-key': 'acme', ...headers },
    signal: stop.signal,
  })
  let text = ''
  const ended = (async () => {
    const decoder = new TextDecoder()
    for await (const part of answer.body!) text += decoder.decode(part as Uint8Array, { stream: true })
  })().catch(() => undefined)
  const ids = () => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id)
  const has = async (wanted: string) => {
    while (!text.includes(wanted)) await sleep(5)
  }
  return { answer, ended, ids, has, text: () => text, stop: () => stop.abort() }
}

describe('GET /updates', () => {
  test('sends events as they come, those of one wallet or action', async () => {
    const { url, add } = await serving()
    add('before')
    const [all, ofWallet, ofAction] = await Promise.all([
      stream(url),
      stream(url, `?wallet=${two.toUpperCase().replace('X', 'x')}`),
      stream(url, '?action=b'),
    ])
    expect(all.answer.headers.get('content-type')).toBe('text/event-stream')
    await all.has('event: open')
    await sleep(5)
    add('a', one)
    add('b', one)
    add('c', two)
    await Promise.all([all.has('id: 4'), ofWallet.has('id: 4'), ofAction.has('id: 3')])
    expect(all.ids().slice(1)).toEqual(['2', '3', '4'])
    expect(ofWallet.ids().slice(1)).toEqual(['4'])
    expect(ofAction.ids().slice(1)).toEqual(['3'])
    const [, data] = /^event: action\.updated\ndata: (.*)$/m.exec(ofAction.text())!
    expect(JSON.parse(data!)).toMatchObject({ id: 'evt_3', subject: 'action:b', cursor: '3' })
  })

  test('goes on after Last-Event-ID without a gap, also before the first event', async () => {
    const { url, add } = await serving()
    for (let at = 0; at < 250; at++) add(`a${at}`)
    const first = await stream(url, '', { 'last-event-id': '100' })
    await first.has('id: 250')
    expect(first.ids()).toEqual(Array.from({ length: 150 }, (_, at) => String(101 + at)))
    const quiet = await stream(url)
    await quiet.has('event: open')
    const [open] = quiet.ids()
    quiet.stop()
    await sleep(5)
    add('missed')
    const again = await stream(url, '', { 'last-event-id': open! })
    await again.has('id: 251')
    expect(again.ids()).toEqual([open, '251'])
  })

  test('goes on with what comes next if no event has the cursor of Last-Event-ID, as in a restored database', async () => {
    const { url, add } = await serving()
    add('a')
    const one = await stream(url, '', { 'last-event-id': '9' })
    await sleep(100)
    add('b')
    await one.has('id: 2')
    expect(one.ids()).toEqual(['2'])
  })

  test('has a heartbeat, and ends at the end of the server without an error', async () => {
    const { url, app } = await serving()
    const open = await stream(url)
    await open.has(': heartbeat')
    await app.close()
    await open.ended
    expect(open.text()).toMatch(/\n\n$/)
  })

  test('closes a reader that takes nothing, and keeps little for it', async () => {
    const { url, add, app } = await serving()
    const { port } = new URL(url)
    const closed = new Promise<void>((done) =>
      app.server.once('connection', (taken: Socket) => taken.once('close', () => done())),
    )
    const socket = connect(Number(port), '127.0.0.1')
    socket.pause()
    socket.write('GET /updates HTTP/1.1\r\nhost: localhost\r\nx-api-key: slow\r\nlast-event-id: 0\r\n\r\n')
    const text = 'x'.repeat(20_000)
    for (let at = 0; at < 2_000; at++) add('a', one, text)
    await closed
    socket.destroy()
  })

  test('refuses more streams than a customer or the server may have, and takes them again when one ends', async () => {
    const { url } = await serving()
    const some = await Promise.all([stream(url), stream(url), stream(url)])
    const fourth = await stream(url)
    expect([fourth.answer.status, fourth.answer.headers.get('retry-after')]).toEqual([429, '30'])
    expect((await stream(url, '', { 'x-api-key': 'other' })).answer.status).toBe(200)
    expect((await stream(url, '', { 'x-api-key': 'third' })).answer.status).toBe(429)
    some[0]!.stop()
    await sleep(50)
    expect((await stream(url)).answer.status).toBe(200)
  })

  test.each([
    ['?wallet=0x12', {}, 422],
    [`?wallet=${one}&wallet=${two}`, {}, 422],
    ['?actions=a', {}, 422],
    ['', { 'last-event-id': 'evt_1' }, 422],
    ['', { 'x-api-key': '' }, 401],
    ['', { 'x-api-key': 'none' }, 404],
  ])('refuses %s with %j by %s', async (query, headers, status) => {
    const { url } = await serving()
    expect((await stream(url, query, headers as Record<string, string>)).answer.status).toBe(status)
  })
})
