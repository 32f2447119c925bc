import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { vi } from 'vitest'
import { type Listener, listener } from '../services/listener.ts'

/** Proxies that simulate distant nodes: concurrent requests are answered together, as one round trip. */
export type DistantNodes = {
  /** A proxy in front of a node, and the number of its requests in the last measured work. */
  inFrontOf: (target: string) => Promise<Listener & { requests: () => number }>
  /** Counts the sequential rounds of some work, and returns the requests of each. Requests of other work are answered at once. */
  during: <value>(work: () => Promise<value>) => Promise<{ value: value; rounds: string[] }>
}

/** Some work whose rounds are counted: its requests without an answer, and those of them that wait at a proxy. */
type Measured = { id: string; open: Set<object>; held: (() => void)[]; asked: string[]; rounds: string[] }

const current = new AsyncLocalStorage<Measured>()
const measuredHeader = 'x-measured-work'

/** A request of undici as its diagnostics channels publish it. */
type Published = { request: { addHeader: (name: string, value: string) => void } }

// The work that starts a request is known from its asynchronous context. Each request carries its id, and is open until its end.
const owners = new WeakMap<object, Measured>()
subscribe('undici:request:create', (message) => {
  const work = current.getStore()
  if (!work) return
  const { request } = message as Published
  request.addHeader(measuredHeader, work.id)
  owners.set(request, work)
  work.open.add(request)
})
for (const end of ['undici:request:trailers', 'undici:request:error'])
  subscribe(end, (message) => {
    const { request } = message as Published
    owners.get(request)?.open.delete(request)
  })

/** Whether this process waits for a file or for the start of a connection. */
const isReading = (): boolean => process.getActiveResourcesInfo().some((name) => /Req|ConnectWrap/.test(name))

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The number of turns of the event loop in which nothing happens before work counts as waiting. */
const idleTurns = 10

/** Waits until all open requests of some work have arrived, and it does nothing but wait for their answers. */
async function untilWaiting({ open, held }: Measured): Promise<void> {
  for (let idle = 0, before = -1; idle < idleTurns; ) {
    await vi.dynamicImportSettled()
    await turn()
    idle = held.length === open.size && held.length === before && !isReading() ? idle + 1 : 0
    before = held.length
  }
}

/** Waits until a sent transaction is in a block, if the answer contains its hash. */
async function untilMined(ask: (body: string) => Promise<Response>, answered: string): Promise<void> {
  const [{ result: hash }] = [JSON.parse(answered)].flat() as [{ result?: string }]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [hash] })
  while (hash) {
    const { result } = (await (await ask(body)).json()) as { result?: unknown }
    if (result) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/**
 * Counts dependent round trips without a clock: requests are held until the work that sent them does nothing but wait, then all are
 * answered.
 */
export function distantNodes(): DistantNodes {
  let last: Measured | undefined
  let count = 0
  const resets: (() => void)[] = []
  /** Holds a request until the end of its round. The first request of a round waits for that end. */
  const untilAnswered = (work: Measured) =>
    new Promise<void>((resolve) => {
      if (work.held.push(resolve) > 1) return
      void untilWaiting(work).then(() => {
        work.rounds.push(work.asked.splice(0).join(' | '))
        for (const go of work.held.splice(0)) go()
      })
    })
  return {
    during: async (work) => {
      for (const reset of resets) reset()
      const measured = { id: String(++count), open: new Set<object>(), held: [], asked: [], rounds: [] }
      last = measured
      // The monotonic clock stands still, so that a slow machine makes no answer too old to be used.
      const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
      try {
        const value = await current.run(measured, work)
        return { value, rounds: [...measured.rounds] }
      } finally {
        clock.mockRestore()
      }
    },
    inFrontOf: async (target) => {
      let requests = 0
      resets.push(() => {
        requests = 0
      })
      const node = await listener(async (request, response) => {
        let body = ''
        request.on('data', (part: Buffer) => {
          body += part.toString('utf8')
        })
        await once(request, 'end')
        const work = request.headers[measuredHeader] === last?.id ? last : undefined
        if (work) {
          requests++
          const calls = [JSON.parse(body)].flat() as { method: string }[]
          work.asked.push(calls.map(({ method }) => method).join(' '))
          await untilAnswered(work)
        }
        const ask = (text: string) =>
          fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text })
        const answer = await ask(body)
        const text = await answer.text()
        // A node answers before it has mined; while rounds are counted, no request arrives in between.
        if (work && body.includes('"eth_sendRawTransaction"')) await untilMined(ask, text)
        response.writeHead(answer.status, { 'content-type': 'application/json' })
        response.end(text)
      })
      // By this address a node counts as another machine, whose answers take longer than those of a node here.
      return { ...node, url: node.url.replace('127.0.0.1', '0.0.0.0'), requests: () => requests }
    },
  }
}
