import { setTimeout as sleep } from 'node:timers/promises'
import { type Listener, listener } from '../services/listener.ts'

type Call = { id: number; method: string; params: [{ fromBlock: string; toBlock: string }] }

/** A node that gives logs of few blocks only, in front of a real one. What it may do can be changed at any time. */
export type LimitedNode = Listener & {
  /** So many blocks it gives logs of at once. */
  limit: number
  /** How it says no, and with which words. */
  words: (limit: number) => string
  /** Of so many ranges more it gives logs before it breaks off every connection. */
  breaksAfter: number
  /** How long it takes over logs, in ms. */
  slowMs: number
  /** The ranges it gave logs of, as `from-to`. */
  given: string[]
  /** How often it was asked for logs. */
  asked: number
  /** What happens right after it has read logs, and before it gives them. */
  meanwhile: () => Promise<unknown>
}

/** Starts such a node. */
export async function limitedNode(target: string, limit = Number.POSITIVE_INFINITY): Promise<LimitedNode> {
  let turn: Promise<unknown> = Promise.resolve()
  const reply = async (call: Call): Promise<unknown> => {
    if (call.method === 'eth_getLogs') {
      node.asked++
      const [from, to] = [Number(call.params[0].fromBlock), Number(call.params[0].toBlock)]
      if (to - from + 1 > node.limit)
        return { jsonrpc: '2.0', id: call.id, error: { code: -32602, message: node.words(node.limit) } }
      if (node.breaksAfter <= 0) throw new Error('gone')
      node.breaksAfter--
      node.given.push(`${from}-${to}`)
      if (node.slowMs > 0) await sleep(node.slowMs)
    }
    const answer = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call),
    })
    const answered: unknown = await answer.json()
    // One after the other: a chain is not rearranged twice at once.
    if (call.method === 'eth_getLogs') {
      turn = turn.then(() => node.meanwhile())
      await turn
    }
    return answered
  }
  const served = await listener(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[]
    try {
      const answer = Array.isArray(body) ? await Promise.all(body.map(reply)) : await reply(body)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answer))
    } catch {
      // What is gone in the middle is a connection that breaks.
      response.destroy()
    }
  })
  const node: LimitedNode = {
    ...served,
    limit,
    words: (most) => `block range is too wide: at most ${most} blocks`,
    breaksAfter: Number.POSITIVE_INFINITY,
    slowMs: 0,
    given: [],
    asked: 0,
    meanwhile: async () => undefined,
  }
  return node
}
