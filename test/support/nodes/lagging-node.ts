import { httpRpc } from '../../../src/chain/rpc/failover.ts'
import { hexQuantity } from '../../../src/chain/rpc/quantities.ts'
import { type Listener, listener } from '../services/listener.ts'

type Call = { id: number; method: string; params?: unknown[] }

/**
 * A second node of a chain, at its own URL, without the newest `missing` blocks. With `other: 'newest'`
 * a current node answers every second exchange, as behind a load balancer.
 */
export async function laggingNode(
  url: string,
  missing: (newest: number) => number,
  other: 'newest' | 'none' = 'none',
): Promise<Listener & { asked: string[] }> {
  const rpc = httpRpc(url)
  const asked: string[] = []
  let exchanges = 0

  const answer = async ({ id, method, params = [] }: Call, isAll: boolean): Promise<unknown> => {
    asked.push(method)
    const reply = (rest: object) => ({ jsonrpc: '2.0', id, ...rest })
    const unknown = reply({ error: { code: -32000, message: 'header not found' } })
    const newest = Number(await rpc.request('eth_blockNumber'))
    const mine = isAll ? newest : newest - missing(newest)
    if (method === 'eth_blockNumber') return reply({ result: hexQuantity(mine) })
    for (const param of params) {
      const number =
        typeof param === 'object' && param !== null && 'blockHash' in param
          ? (await rpc.request<{ number: string } | null>('eth_getBlockByHash', [param.blockHash, false]))
              ?.number
          : undefined
      if (number !== undefined && Number(number) > mine) return unknown
    }
    if (method === 'eth_getBlockByNumber' && Number(params[0]) > mine) return reply({ result: null })
    const here = params.map((param) => (param === 'latest' ? hexQuantity(mine) : param))
    return rpc.request(method, here).then(
      (result) =>
        reply({ result: method === 'eth_getTransactionReceipt' && isLater(result, mine) ? null : result }),
      (error: { details: object }) => reply({ error: error.details }),
    )
  }

  const node = await listener(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Call | Call[]
    const isAll = other === 'newest' && exchanges++ % 2 === 0
    const answers = Array.isArray(body)
      ? await Promise.all(body.map((call) => answer(call, isAll)))
      : await answer(body, isAll)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers))
  })
  return { ...node, asked }
}

const isLater = (receipt: unknown, newest: number): boolean =>
  Number((receipt as { blockNumber: string } | null)?.blockNumber ?? 0) > newest
