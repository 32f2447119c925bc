import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { afterEach, expect, test } from 'vitest'

import { useSandbox } from '../support/sandbox.ts'
import { useServe } from '../support/serving.ts'

const sandbox = useSandbox()
const served = useServe(sandbox)
const slow = new Set<Socket>()
afterEach(() => {
  for (const socket of slow) socket.destroy()
  slow.clear()
})

/** A connection that begins so and then drips a byte at a time; `ended` once the server has cut it off. */
function dripping(begin: string, drip: string): { begun: Promise<unknown>; ended: Promise<void> } {
  const { hostname, port } = new URL(served.url())
  const socket = connect(Number(port), hostname, () => socket.write(begin))
  slow.add(socket)
  socket.on('error', () => undefined)
  socket.resume()
  const timer = setInterval(() => drip !== '' && socket.writable && socket.write(drip), 1_000)
  return {
    begun: new Promise((resolve) => socket.once('connect', resolve)),
    ended: new Promise((resolve) =>
      socket.once('close', () => {
        clearInterval(timer)
        slow.delete(socket)
        resolve()
      }),
    ),
  }
}

const head = 'host: x\r\nx-api-key: k\r\n'
const kinds: [begin: string, drip: string][] = [
  ['', ''],
  ['GET /a', 'a'],
  [`GET /strategies HTTP/1.1\r\n${head}`, 'x'],
  [`GET /strategies HTTP/1.1\r\n${head}x-a: `, 'x'],
]

// Another test file may have both cores for a moment, which is not what is measured here.
test('2,000 slow sockets are cut off, and a good client has its answers at once all the while', {
  retry: 2,
  timeout: 60_000,
}, async () => {
  const agent = new Agent({ connections: 1 })
  const ask = async () => {
    const began = performance.now()
    const { statusCode, body } = await request(`${served.url()}/healthz`, { dispatcher: agent })
    await body.dump()
    expect(statusCode).toBe(200)
    return performance.now() - began
  }
  await ask()
  const all = Array.from({ length: 2_000 }, (_, at) => dripping(...kinds[at % kinds.length]!))
  let left = all.length
  for (const { ended } of all) void ended.then(() => left--)
  await Promise.all(all.map(({ begun }) => begun))
  expect(slow.size).toBe(2_000)
  const took: number[] = []
  const began = performance.now()
  while (left > 0 && performance.now() - began < 25_000) {
    took.push(await ask())
    await sleep(10)
  }
  await agent.close()
  expect(left).toBe(0)
  expect(took.length).toBeGreaterThan(200)
  const p99 = took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)]!
  expect(p99).toBeLessThan(50)
})
