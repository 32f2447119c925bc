import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { syncSendMethod } from '../../../src/chain/rpc/sync-send.ts'
import {
  type Act,
  isWayFault,
  type RpcCall,
  type RpcReply,
  replyFaults,
  wayFaults,
  written,
} from './rpc-faults.ts'

/**
 * A fault for some calls of a method (`*` means every method), counted from 1. `value` is the parameter of the act:
 * the text of Retry-After (429), milliseconds (latency), blocks (stale-head), a URL (redirect; otherwise the node itself).
 */
export type Rule = { method: string; act: Act; value?: string | number } & (
  | { nth: number }
  | { from: number; to: number }
  | { always: true }
)

/** A fault-injecting proxy in front of a node. */
export type FaultyRpc = {
  url: string
  /** The rules; they can be changed at any time, and the call counts continue. */
  rules: Rule[]
  /** The methods received, with each call of a batch listed separately. */
  calls: string[]
  /** The signed transactions received. */
  sends: string[]
  /** The signed transactions forwarded to the node; some are lost before. */
  passed: string[]
  stop: () => Promise<void>
}

const isSend = ({ method }: RpcCall): boolean => method === 'eth_sendRawTransaction'

/** Starts a proxy with rules; `beforeSend` runs before a signed transaction is processed. */
export async function startFaultyRpc(
  target: string,
  rules: readonly Rule[] = [],
  beforeSend: (raw: string) => unknown = () => undefined,
): Promise<FaultyRpc> {
  const counts = new Map<string, number>()
  const ruleFor = ({ method }: RpcCall): Rule | undefined => {
    const nth = (counts.get(method) ?? 0) + 1
    counts.set(method, nth)
    return proxy.rules.find(
      (rule) =>
        (rule.method === method || rule.method === '*') &&
        ('always' in rule || ('nth' in rule ? rule.nth === nth : rule.from <= nth && nth <= rule.to)),
    )
  }
  const post = async (body: unknown): Promise<unknown> => {
    const answer = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return answer.json()
  }
  /** The reply of the node to one call, changed by its rule. */
  const reply = async (call: RpcCall, rule: Rule | undefined): Promise<unknown> => {
    // Faults of a send method apply to the plain method.
    if (call.method === syncSendMethod)
      return { jsonrpc: '2.0', id: call.id, error: { code: -32601, message: 'Method not found' } }
    const pass = (one: RpcCall) => {
      if (isSend(one)) proxy.passed.push(String(one.params?.[0]))
      return post(one) as Promise<RpcReply>
    }
    if (!rule || isWayFault(rule.act)) return pass(call)
    const ask = async (method: string, params: unknown[]) =>
      (await pass({ jsonrpc: '2.0', id: 1, method, params })).result
    const bent = await replyFaults[rule.act](call, ask, Number(rule.value ?? 0))
    return { jsonrpc: '2.0', id: call.id, ...bent }
  }
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as RpcCall | RpcCall[]
    const calls = [body].flat()
    const ruled = calls.map((call) => ({ call, rule: ruleFor(call) }))
    for (const call of calls) {
      proxy.calls.push(call.method)
      if (!isSend(call)) continue
      proxy.sends.push(String(call.params?.[0]))
      await beforeSend(String(call.params?.[0]))
    }
    const pass = async (): Promise<string> => {
      const replies = []
      for (const { call, rule } of ruled) replies.push(await reply(call, rule))
      return written(Array.isArray(body) ? replies : replies[0])
    }
    response.setHeader('content-type', 'application/json')
    const way = ruled.find(({ rule }) => rule && isWayFault(rule.act))?.rule
    if (!way || !isWayFault(way.act)) return void response.end(await pass())
    const value = way.value ?? (way.act === 'redirect' ? target : '')
    await wayFaults[way.act](response, pass, value)
  }
  const running = new Set<Promise<unknown>>()
  const server = createServer((request, response) => {
    // An unreachable node closes the connection.
    const work: Promise<unknown> = handle(request, response)
      .catch(() => response.destroy())
      .finally(() => running.delete(work))
    running.add(work)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  const proxy: FaultyRpc = {
    url: `http://127.0.0.1:${address.port}`,
    rules: [...rules],
    calls: [],
    sends: [],
    passed: [],
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      // Transactions in flight must reach the node before the test continues.
      await Promise.all(running)
    },
  }
  return proxy
}
