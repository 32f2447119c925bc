import { type Listener, listener } from '../services/listener.ts'

type Call = { id: number; method: string; params: unknown[] }
type Block = { number: string; transactions: unknown[] }

/** A proxy in front of a node that simulates a busy chain. Its limits can be changed at any time. */
export type BusyNode = Listener & {
  /** The number of foreign transactions in each block, and the size of their inputs in bytes. */
  strangers: number
  inputBytes: number
  /** The number of blocks whose states it keeps; for older ones it returns an error, or the newest state instead. */
  states: number
  lies: boolean
  /** Refuses whole blocks and transactions. */
  refuses: boolean
  /** The bytes, the exchanges and the whole blocks that it has returned. */
  bytes: number
  exchanges: number
  blocks: number
}

/** Starts the proxy. */
export async function busyNode(target: string): Promise<BusyNode> {
  const ask = async (call: Call): Promise<{ result?: unknown }> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(target, { method: 'POST', headers, body: JSON.stringify(call) })
    return (await answer.json()) as { result?: unknown }
  }
  const stranger = (block: string, at: number) => ({
    hash: `0x${'e'.repeat(32)}${(BigInt(block) * 10_000n + BigInt(at)).toString(16).padStart(32, '0')}`,
    from: '0x00000000000000000000000000000000000000e0',
    to: '0x00000000000000000000000000000000000000e1',
    input: `0x${'ab'.repeat(node.inputBytes)}`,
    value: '0x0',
    nonce: '0x0',
    blockNumber: block,
  })
  const reply = async (call: Call): Promise<unknown> => {
    const { id, method, params } = call
    const error = (message: string) => ({ jsonrpc: '2.0', id, error: { code: -32000, message } })
    if (method === 'eth_getTransactionCount' && typeof params[1] === 'string' && params[1].startsWith('0x')) {
      const { result } = await ask({ id: 1, method: 'eth_blockNumber', params: [] })
      if (Number(params[1]) <= Number(result) - node.states)
        return node.lies ? ask({ ...call, params: [params[0], 'latest'] }) : error('missing trie node')
    }
    if (method === 'eth_getTransactionByHash' && node.refuses) return error('response size exceeded')
    if (method === 'eth_getTransactionByHash' && String(params[0]).startsWith('0xeeee')) {
      const number = BigInt(`0x${String(params[0]).slice(34)}`)
      return { jsonrpc: '2.0', id, result: stranger(`0x${(number / 10_000n).toString(16)}`, 0) }
    }
    if (method !== 'eth_getBlockByNumber') return ask(call)
    const isWhole = params[1] === true
    if (isWhole && node.refuses) return error('response size exceeded')
    const answer = await ask(call)
    const block = answer.result as Block | null
    if (!block) return answer
    if (isWhole) node.blocks++
    const others = Array.from({ length: node.strangers }, (_, at) => stranger(block.number, at))
    // Some chains have transaction types of their own, without a sender or an input.
    const odd = isWhole && node.strangers > 0 ? [{ ...others[0], from: null }, { hash: others[0]!.hash }] : []
    const transactions = [...others.map((tx) => (isWhole ? tx : tx.hash)), ...odd, ...block.transactions]
    return { ...answer, result: { ...block, transactions } }
  }
  const served = await listener(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Call | Call[]
    const text = JSON.stringify(Array.isArray(body) ? await Promise.all(body.map(reply)) : await reply(body))
    node.bytes += text.length
    node.exchanges++
    response.setHeader('content-type', 'application/json').end(text)
  })
  const node: BusyNode = {
    ...served,
    strangers: 0,
    inputBytes: 0,
    states: Number.POSITIVE_INFINITY,
    lies: false,
    refuses: false,
    bytes: 0,
    exchanges: 0,
    blocks: 0,
  }
  return node
}
