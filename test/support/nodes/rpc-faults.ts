import type { ServerResponse } from 'node:http'
import { parseTransaction } from 'viem/utils'

/** One JSON-RPC call. */
export type RpcCall = { jsonrpc: string; id: number; method: string; params?: unknown[] }

/** One JSON-RPC reply. */
export type RpcReply = { jsonrpc: string; id: number; result?: unknown; error?: unknown }

type Json = Record<string, unknown>

/** The real node, for a fault that changes its true answer. */
export type AskNode = (method: string, params: unknown[]) => Promise<unknown>

/** Faults of a reply, for a single call or for one call of a batch. `value` is the number in the rule. */
type ReplyFault = (call: RpcCall, ask: AskNode, value: number) => Promise<Partial<RpcReply>>

const error = (message: string): ReplyFault => {
  return async () => ({ error: { code: -32000, message } })
}
const result =
  (make: (truth: unknown, call: RpcCall, value: number) => unknown): ReplyFault =>
  async (call, ask, value) => ({ result: make(await ask(call.method, call.params ?? []), call, value) })

/** The node receives the call, but its reply is replaced by one that is no answer to the call. */
const after =
  (make: (call: RpcCall) => Partial<RpcReply>): ReplyFault =>
  async (call, ask) => {
    await ask(call.method, call.params ?? [])
    return make(call)
  }

/** Refuses a transaction whose tip is below this number of gwei. */
const belowFloor =
  (words: (tip: bigint, floor: bigint) => string): ReplyFault =>
  async ({ method, params = [] }, ask, gwei) => {
    if (method !== 'eth_sendRawTransaction') return { result: await ask(method, params) }
    const { maxPriorityFeePerGas = 0n } = parseTransaction(params[0] as `0x02${string}`)
    const floor = BigInt(gwei) * 10n ** 9n
    if (maxPriorityFeePerGas >= floor) return { result: await ask(method, params) }
    return { error: { code: -32000, message: words(maxPriorityFeePerGas, floor) } }
  }

/** Another hash of the same form. */
export const otherHash = (hash: unknown): string => `0x${'bb'.repeat(4)}${String(hash).slice(10)}`

const hex = (value: number): string => `0x${Math.max(0, value).toString(16)}`

/** A success receipt in a block that is on no chain. */
const forgedReceipt = (transactionHash: unknown) => ({
  transactionHash,
  blockNumber: '0x0',
  blockHash: `0x${'ee'.repeat(32)}`,
  status: '0x1',
  gasUsed: '0x5208',
  effectiveGasPrice: '0x1',
  logs: [],
})

/** A node that is some blocks behind. */
const staleHead: ReplyFault = async ({ method, params = [] }, ask, by) => {
  const head = Number(await ask('eth_blockNumber', []))
  if (method === 'eth_blockNumber') return { result: hex(head - by) }
  if (
    method === 'eth_getBlockByNumber' &&
    ['latest', 'pending', 'safe', 'finalized'].includes(String(params[0]))
  )
    return { result: await ask(method, [hex(head - by), ...params.slice(1)]) }
  return { result: await ask(method, params) }
}

/** False replies, one per call, also inside a batch. */
export const replyFaults = {
  'null-result': async () => ({ result: null }),
  'wrong-id': after((call) => ({ id: call.id + 7, result: '0x99' })),
  'wrong-version': after(() => ({ jsonrpc: '1.0', result: '0x98' })),
  'no-result': after(() => ({})),
  both: after(() => ({ result: '0x97', error: { code: 1, message: 'and yet' } })),
  huge: async () => ({ result: `0x${'00'.repeat(5_000_000)}` }),
  deep: async () => ({ result: deepMarker }),
  'error-known': error('already known'),
  'error-nonce-low': error('nonce too low'),
  'error-underpriced': error('replacement transaction underpriced'),
  'error-fee': error('max fee per gas less than block base fee'),
  'error-funds': error('insufficient funds for gas * price + value'),
  /** A pool with a minimum tip in gwei, which its error names or omits. */
  'error-floor': belowFloor(
    (tip, floor) => `transaction underpriced: gas tip cap ${tip}, minimum needed ${floor}`,
  ),
  'error-floor-silent': belowFloor(() => 'transaction underpriced'),
  'error-fee-cap': error('tx fee (1.05 ether) exceeds the configured cap (1.00 ether)'),
  'error-gas-cap': error('transaction gas limit too high (cap: 16777216, tx: 20000000)'),
  'fake-hash': async () => ({ result: `0x${'ab'.repeat(32)}` }),
  'stale-zero': async () => ({ result: '0x0' }),
  'stale-head': staleHead,
  /** The suggested tip in gwei, and the rewards of earlier blocks. */
  'high-tip': async ({ method }, _, gwei) => {
    const tip = hex(gwei * 1e9)
    return { result: method === 'eth_feeHistory' ? { reward: [[tip], [tip], [tip]] } : tip }
  },
  /** Values that providers return for the rewards of blocks without any. */
  'odd-history': async (_, __, which) => ({
    result: [null, {}, { reward: null }, { reward: [] }, { reward: [[], null, ['0x0'], [null]] }][which],
  }),
  'error-unknown': error('the method eth_anything does not exist/is not available'),
  'high-gas': async (_, __, gas) => ({ result: hex(gas) }),
  'other-sender': result((truth) => truth && { ...truth, from: `0x${'66'.repeat(20)}` }),
  'other-target': result((truth) => truth && { ...truth, to: `0x${'66'.repeat(20)}` }),
  'wrong-chain': async () => ({ result: '0x1' }),
  'forged-receipt': async ({ params }) => ({ result: forgedReceipt(params?.[0]) }),
  'other-receipt': result((truth, { params }) => ({
    ...((truth ?? forgedReceipt(params?.[0])) as Json),
    transactionHash: otherHash(params?.[0]),
    status: '0x1',
  })),
  'split-brain': result((truth) => {
    if (truth === null || typeof truth !== 'object') return truth
    const { hash, blockHash } = truth as Json
    return {
      ...truth,
      ...(blockHash !== undefined && { blockHash: otherHash(blockHash) }),
      ...(blockHash === undefined && hash !== undefined && { hash: otherHash(hash) }),
    }
  }),
} as const satisfies Record<string, ReplyFault>

/** Stands for a hundred thousand nested lists, which a recursive JSON writer cannot produce. */
export const deepMarker = 'a hundred thousand lists'

/** A reply as text. */
export const written = (reply: unknown): string =>
  JSON.stringify(reply).replace(`"${deepMarker}"`, '['.repeat(100_000) + ']'.repeat(100_000))

/** Faults of a whole exchange. `pass` forwards the request to the node and returns its answer as text. */
type WayFault = (response: ServerResponse, pass: () => Promise<string>, value: string | number) => unknown

const page = '<html><body>maintenance</body></html>'

/** The fault of a whole exchange. */
export const wayFaults = {
  'drop-request': (response) => response.destroy(),
  'drop-response': async (response, pass) => {
    await pass()
    response.destroy()
  },
  '429': (response, _, value) =>
    response.writeHead(429, value === '' ? {} : { 'retry-after': String(value) }).end('slow down'),
  '403': (response) => response.writeHead(403).end(page),
  '502': (response) => response.writeHead(502).end(page),
  '502-after': async (response, pass) => response.writeHead(502).end(await pass()),
  html200: (response) => response.end(page),
  empty200: (response) => response.end(),
  '204': (response) => response.writeHead(204).end(),
  redirect: (response, _, value) => response.writeHead(307, { location: String(value) }).end(),
  truncated: async (response, pass) => {
    const text = await pass()
    response.writeHead(200, { 'content-length': text.length })
    response.write(text.slice(0, -3), () => response.destroy())
  },
  'slow-drip': async (response, pass) => {
    const text = await pass()
    response.writeHead(200)
    let at = 0
    const timer = setInterval(() => response.write(at < text.length - 1 ? text[at++] : ' '), 20)
    response.on('close', () => clearInterval(timer))
  },
  hang: async (_, pass) => {
    await pass()
  },
  latency: async (response, pass, value) => {
    await new Promise((resolve) => setTimeout(resolve, Number(value)))
    response.end(await pass())
  },
} as const satisfies Record<string, WayFault>

/** The name of a fault of the proxy. */
export type Act = keyof typeof replyFaults | keyof typeof wayFaults

/** Whether the name is a fault of the whole exchange. */
export const isWayFault = (act: Act): act is keyof typeof wayFaults => Object.hasOwn(wayFaults, act)
