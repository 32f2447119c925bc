import { once } from 'node:events'
import { type Listener, listener } from '../services/listener.ts'

/** Proxies that simulate distant nodes: concurrent requests are answered together, as one round trip. */
export type DistantNodes = {
  /** A proxy in front of a node, and the number of its requests. */
  inFrontOf: (target: string) => Promise<Listener & { requests: () => number }>
  /** Counts the sequential rounds of some work, and returns the requests of each. Outside of it the proxies answer at once. */
  during: <value>(work: () => Promise<value>) => Promise<{ value: value; rounds: string[] }>
}

/** The time in ms without a request after which all independent requests have been sent. */
const quietMs = 80

/** Waits until a sent transaction is in a block, if the answer contains its hash. */
async function untilMined(ask: (body: string) => Promise<Response>, answered: string): Promise<void> {
  const [{ result: hash }] = [JSON.parse(answered)].flat() as [{ result?: string }]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [hash] })
  for (let tries = 0; hash && tries < 4_000; tries++) {
    const { result } = (await (await ask(body)).json()) as { result?: unknown }
    if (result) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/**
 * Counts dependent round trips without a clock: requests are held until none has arrived for a while, then all are answered. A slow
 * process is waited for, because it runs on the same event loop.
 */
export function distantNodes(): DistantNodes {
  let rounds: string[] = []
  let asked: string[] = []
  let isFar = false
  const resets: (() => void)[] = []
  let held: (() => void)[] = []
  let quiet: NodeJS.Timeout | undefined
  /**
   * Answers all held requests after this number of event-loop turns without a new one: after a long turn, timers run before
   * the requests that have arrived meanwhile are read.
   */
  const answerAfter = (turns: number) => {
    const before = held.length
    setImmediate(() => {
      if (held.length !== before) return
      if (turns > 0) return answerAfter(turns - 1)
      rounds.push(asked.splice(0).join(' | '))
      for (const go of held.splice(0)) go()
    })
  }
  const turn = () =>
    new Promise<void>((resolve) => {
      held.push(resolve)
      clearTimeout(quiet)
      quiet = setTimeout(answerAfter, quietMs, 10)
    })
  return {
    during: async (work) => {
      rounds = []
      asked = []
      held = []
      for (const reset of resets) reset()
      isFar = true
      try {
        return { value: await work(), rounds }
      } finally {
        isFar = false
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
        requests++
        asked.push(
          [JSON.parse(body)]
            .flat()
            .map(({ method }: { method: string }) => method)
            .join(' '),
        )
        if (isFar) await turn()
        const ask = (text: string) =>
          fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text })
        const answer = await ask(body)
        const text = await answer.text()
        // A node answers before it has mined; while rounds are counted, no request arrives in between.
        if (isFar && body.includes('"eth_sendRawTransaction"')) await untilMined(ask, text)
        response.writeHead(answer.status, { 'content-type': 'application/json' })
        response.end(text)
      })
      return { ...node, requests: () => requests }
    },
  }
}
