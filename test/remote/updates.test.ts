import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { Announcements } from '../../src/api/announcements-type.ts'
import type { RateLimiter } from '../../src/remote/rate-limiter.ts'
import { followUpdates } from '../../src/remote/updates.ts'

const times = { silenceMs: 60_000, retryMs: 5, mostMs: 20 }
const never = new AbortController().signal
const open: Announcements[] = []
afterEach(() => {
  for (const one of open.splice(0)) one.close()
})

type Answer = (response: ServerResponse, request: IncomingMessage) => void
const head = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 3000\n\n')
/** An event of a stream. */
const event = (id: number) => `id: ${id}\nevent: action.updated\ndata: {}\n\n`

/** A deployment that answers each opening of a stream by the next of these, then by the last. */
async function deployment(...answers: Answer[]) {
  const asked: { path: string; last: string | undefined }[] = []
  const server = createServer((request, response) => {
    asked.push({ path: request.url!, last: request.headers['last-event-id'] as string | undefined })
    answers[Math.min(asked.length, answers.length) - 1]!(response, request)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/`
  const follow = (own: Partial<typeof times> = {}, governor?: RateLimiter) => {
    const announcements = followUpdates({ baseUrl, apiKey: 'key', governor }, 'a b', { ...times, ...own })
    open.push(announcements)
    return announcements
  }
  return { asked, follow }
}

const live = async ({ areLive }: Announcements, wanted = true) => {
  while (areLive() !== wanted) await sleep(2)
}

test('is live from the first bytes on, and wakes whoever waits at each event', async () => {
  let stream: ServerResponse | undefined
  const { asked, follow } = await deployment((response) => {
    head(response)
    stream = response
  })
  const announced = follow()
  await live(announced)
  expect(asked).toEqual([{ path: '/v2/updates?action=a+b', last: undefined }])
  // What changed while it was not open may be seen now.
  await announced.wait(60_000, never)
  const woken = announced.wait(60_000, never)
  stream!.write(event(1))
  await woken
  // One that came while nobody waited is not lost, and heartbeats are none.
  stream!.write(event(2))
  stream!.write(': heartbeat\n\n')
  await announced.wait(60_000, never)
  const began = performance.now()
  await announced.wait(30, never)
  expect(performance.now() - began).toBeGreaterThan(25)
  const stop = new AbortController()
  const stopped = announced.wait(60_000, stop.signal)
  stop.abort()
  await stopped
})

test.each<[string, Answer]>([
  ['404', (response) => response.writeHead(404).end('{}')],
  ['405', (response) => response.writeHead(405).end('{}')],
  ['501', (response) => response.writeHead(501).end('{}')],
  ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ['a redirect', (response) => response.writeHead(302, { location: 'http://localhost:1/' }).end()],
])('is never live where the deployment answers %s, and asks it once', async (_, answer) => {
  const { asked, follow } = await deployment(answer)
  const announced = follow()
  await announced.wait(200, never)
  expect([announced.areLive(), asked.length]).toEqual([false, 1])
})

test('a stream that breaks wakes whoever waits, is opened again after its last event, and is live again', async () => {
  const { asked, follow } = await deployment(
    (response) => {
      head(response)
      response.write(event(41))
      setTimeout(() => response.destroy(), 20)
    },
    (response) => response.writeHead(503).end(),
    (response) => response.writeHead(429, { 'retry-after': '1' }).end(),
    head,
  )
  const announced = follow({ retryMs: 30 })
  await live(announced)
  await live(announced, false)
  await live(announced)
  expect(asked.map(({ last }) => last)).toEqual([undefined, '41', '41', '41'])
})

test('a silent stream is broken, as of a proxy that keeps its bytes', async () => {
  const { asked, follow } = await deployment(head)
  const announced = follow({ silenceMs: 50 })
  await live(announced)
  await live(announced, false)
  await expect.poll(() => asked.length).toBeGreaterThan(1)
})

test('opens no stream while the key has no request left', async () => {
  const { asked, follow } = await deployment(head)
  let left = 0
  const governor = {
    take: () => (left > 0 ? { ok: true as const } : { ok: false as const, retryAfterSeconds: 1 }),
    block: () => undefined,
    unblock: () => undefined,
  }
  const announced = follow({}, governor)
  await announced.wait(100, never)
  expect(asked).toEqual([])
  left = 1
  await live(announced)
})
