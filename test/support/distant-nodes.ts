import { once } from 'node:events'
import { type Listener, listener } from './listener.ts'

/** Nodes that are far away: what is asked at once is answered at once, and so is one round trip. */
export type DistantNodes = {
  /** A node in front of another one, and how many requests it had meanwhile. */
  inFrontOf: (target: string) => Promise<Listener & { requests: () => number }>
  /** Counts the rounds of answers, one after the other, of some work, and tells what each asked. Outside of it the nodes answer at once. */
  during: <value>(work: () => Promise<value>) => Promise<{ value: value; rounds: string[] }>
}

/** Nobody asks any more for so long, in ms: what depends on no answer is asked by then. */
const quietMs = 80

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
        const answer = await fetch(target, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        })
        response.writeHead(answer.status, { 'content-type': 'application/json' })
        response.end(await answer.text())
      })
      return { ...node, requests: () => requests }
    },
  }
}
