import { once } from 'node:events'
import { type Listener, listener } from './listener.ts'

/** Nodes that are far away: what is asked at once is answered at once, and so is one round trip. */
export type DistantNodes = {
  /** A node in front of another one. */
  inFrontOf: (target: string) => Promise<Listener & { requests: () => number }>
  /** How many rounds of answers there were, one after the other, since `reset`. */
  rounds: () => number
  reset: () => void
}

/** Nobody asks any more for so long, in ms: what depends on no answer is asked by then. */
const quietMs = 30

/**
 * Counts dependent round trips without a clock: every request is held until none has come for a while, then all are answered. A process
 * that is slow is waited for, as it runs on the same loop.
 */
export function distantNodes(): DistantNodes {
  let rounds = 0
  const resets: (() => void)[] = []
  let held: (() => void)[] = []
  let quiet: NodeJS.Timeout | undefined
  const turn = () =>
    new Promise<void>((resolve) => {
      held.push(resolve)
      clearTimeout(quiet)
      quiet = setTimeout(() => {
        rounds++
        for (const go of held.splice(0)) go()
      }, quietMs)
    })
  return {
    rounds: () => rounds,
    reset: () => {
      rounds = 0
      held = []
      for (const reset of resets) reset()
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
        await turn()
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
