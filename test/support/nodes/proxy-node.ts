import { syncSendMethod } from '../../../src/chain/rpc/sync-send.ts'
import { type Listener, listener } from '../services/listener.ts'

/** One call as the provider receives it. */
export type ProviderCall = { id: number; method: string; params: unknown[] }

/** The reply of a provider instead of its node: a result or an error, or, with a status, a page for the whole exchange. */
type Said = { result: unknown } | { error: unknown } | { status: number }

/** A provider in front of a node. Its replies can be changed at any time; `asked` lists the methods received. */
export type Provider = Listener & {
  says: (call: ProviderCall, ask: (method: string, params: unknown[]) => Promise<unknown>) => unknown
  asked: string[]
}

/** Starts a provider that forwards every call without a reply from the test. */
export async function provider(target: string, says: Provider['says']): Promise<Provider> {
  const post = async (body: object): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(target, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await answer.json()) as Record<string, unknown>
  }
  const ask = async (method: string, params: unknown[]) =>
    (await post({ jsonrpc: '2.0', id: 1, method, params })).result
  const reply = async (call: ProviderCall): Promise<Record<string, unknown>> => {
    node.asked.push(call.method)
    // A reply for a send method applies to the plain method.
    if (call.method === syncSendMethod)
      return { jsonrpc: '2.0', id: call.id, error: { code: -32601, message: 'Method not found' } }
    const said = (await node.says(call, ask)) as Said | undefined
    return said ? { jsonrpc: '2.0', id: call.id, ...said } : post(call)
  }
  const served = await listener(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as
      | ProviderCall
      | ProviderCall[]
    const replies = await Promise.all([body].flat().map(reply))
    const page = replies.find((one) => 'status' in one)
    if (page) return void response.writeHead(Number(page.status)).end('<html>Forbidden</html>')
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(body) ? replies : replies[0]))
  })
  const node: Provider = { ...served, says, asked: [] }
  return node
}
