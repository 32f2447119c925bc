import { once } from 'node:events'
import { type Listener, listener } from '../services/listener.ts'

/** Nodes that are far away: what is asked at once is answered at once, and so is one round trip. */
export type DistantNodes = {
  /** A node in front of another one, and how many requests it had meanwhile. */
  inFrontOf: (target: string) => Promise<Listener & { requests: () => number }>
  /** Counts the rounds of answers, one after the other, of some work, and tells what each asked. Outside of it the nodes answer at once. */
  during: <value>(work: () => Promise<value>) => Promise<{ value: value; rounds: string[] }>
}

/** Nobody asks any more for so long, in ms: what depends on no answer is asked by then. */
const quietMs = 80

/** Waits until what was sent is in a block, as far as the answer names it. */
async function untilMined(ask: (body: string) => Promise<Response>, answered: string): Promise<void> {
  const [{ result: hash }] = [JSON.parse(answered)].flat() as [{ result?: string }]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [hash] })
  for (let tries = 0; hash && tries < 200; tries++) {
    const { result } = (await (await ask(body)).json()) as { result?: unknown }
    if (result) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/**
 * Counts dependent round trips without a clock: every request is held until none has come for a while, then all are answered. A process
 * that is slow is waited for, as it runs on the same loop.
 */
export function distantNodes(): DistantNodes {
  let rounds: string[] = []
  let asked: string[] = []
  let isFar = false
  const resets: (() => void)[] = []
  let held: (() => void)[] = []
  let quiet: NodeJS.Timeout | undefined
  /**
   * Answers all that is held, once nothing has come for so many turns of the loop: after a long turn its timers run before what has
   * arrived meanwhile is read.
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
        // A node answers before it has mined; where the rounds are counted, nobody looks in between.
        if (isFar && body.includes('"eth_sendRawTransaction"')) await untilMined(ask, text)
        response.writeHead(answer.status, { 'content-type': 'application/json' })
        response.end(text)
      })
      return { ...node, requests: () => requests }
    },
  }
}
