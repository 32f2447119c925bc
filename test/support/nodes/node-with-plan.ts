import { type Listener, listener } from '../services/listener.ts'

type Call = { id: number; method: string }

/** How a node refuses calls above its plan: the whole exchange with a status or with one error, or each call by itself. */
export type PlanRefusal = 'status' | 'one error' | 'each'

/**
 * A node whose plan allows so many calls a second; each call of a batch counts. `refused` is the number of exchanges with a refusal. Without a
 * target every result is the first parameter of its call.
 */
export async function nodeWithPlan(
  callsPerSecond: number,
  { target, how, words }: { target?: string; how: PlanRefusal; words: string },
): Promise<Listener & { refused: () => number }> {
  let [second, used, refused] = [0, 0, 0]
  const mayTake = (calls: number) => {
    const now = Math.floor(Date.now() / 1_000)
    if (now !== second) [second, used] = [now, 0]
    if (used + calls > callsPerSecond) return false
    used += calls
    return true
  }
  const error = { code: -32007, message: words }
  const own = async (call: Call & { params: unknown[] }) => ({
    jsonrpc: '2.0',
    id: call.id,
    result: call.method === 'eth_chainId' ? '0x1' : call.params[0],
  })
  const ask = async (call: unknown) => {
    if (target === undefined) return own(call as Call & { params: unknown[] })
    const headers = { 'content-type': 'application/json' }
    return (await fetch(target, { method: 'POST', headers, body: JSON.stringify(call) })).json()
  }
  const node = await listener(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Call | Call[]
    const calls = [body].flat()
    const end = (status: number, answer: unknown) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    if (how !== 'each' && !mayTake(calls.length)) {
      refused++
      const id = calls.length === 1 && how === 'one error' ? calls[0]!.id : null
      return end(how === 'status' ? 429 : 200, { jsonrpc: '2.0', id, error })
    }
    const isAllowed = calls.map(() => how !== 'each' || mayTake(1))
    if (isAllowed.includes(false)) refused++
    const answers = await Promise.all(
      calls.map((call, at) => (isAllowed[at] ? ask(call) : { jsonrpc: '2.0', id: call.id, error })),
    )
    end(200, Array.isArray(body) ? answers : answers[0])
  })
  return { ...node, refused: () => refused }
}
