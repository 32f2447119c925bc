import { setTimeout as sleep } from 'node:timers/promises'
import { type Listener, listener } from '../services/listener.ts'

type Call = { id: number; method: string; params: [{ fromBlock: string; toBlock: string }] }

/** A proxy in front of a node that returns logs of a few blocks only. Its limits can be changed at any time. */
export type LimitedNode = Listener & {
  /** The maximum range of blocks per log request. */
  limit: number
  /** The form and the text of its refusal. */
  words: (limit: number) => string
  /** The number of further ranges it answers before it drops every connection. */
  breaksAfter: number
  /** The time that a log request takes, in ms. */
  slowMs: number
  /** The answered ranges, as `from-to`. */
  given: string[]
  /** The number of log requests received. */
  asked: number
  /** Runs after logs are read and before they are returned. */
  meanwhile: () => Promise<unknown>
}

/** Starts the proxy. */
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
    // Sequential, so that two reorganisations never overlap.
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
      // A node that disappears during a request drops the connection.
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
