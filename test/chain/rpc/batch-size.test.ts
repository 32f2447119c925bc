import { afterEach, beforeEach, expect, it } from 'vitest'
import { failoverRpc, httpRpc } from '../../../src/chain/rpc/failover.ts'
import { type FakeNode, fakeNode, type NodeCall } from '../../support/nodes/scripted-node.ts'

let node: FakeNode
/** Number of calls in each request; 0 for a single call outside a list. */
let sizes: number[]
/** How a node refuses a batch that is too large. */
type Refusal = { most: number; status: number; body: unknown }

const answered = ({ id, params }: NodeCall) => ({ jsonrpc: '2.0', id, result: params[0] })
const asked = (count: number) =>
  Array.from({ length: count }, (_, at) => ['eth_getBalance', [`0x${at}`]] as const)
const numbers = (count: number) => Array.from({ length: count }, (_, at) => `0x${at}`)

const takes = ({ most, status, body }: Refusal) => {
  node.answer = (sent, response) => {
    const calls: unknown = sent
    sizes.push(Array.isArray(calls) ? calls.length : 0)
    if (!Array.isArray(calls)) return void response.end(JSON.stringify(answered(sent)))
    if (calls.length <= most) return void response.end(JSON.stringify((calls as NodeCall[]).map(answered)))
    response.statusCode = status
    response.end(JSON.stringify(body))
  }
}

beforeEach(async () => {
  node = await fakeNode()
  sizes = []
})
afterEach(() => node.stop())

const refused = (message: string, code = -32600) => ({ jsonrpc: '2.0', id: null, error: { code, message } })

it.each<[string, Refusal, number[]]>([
  [
    'three calls a batch (refusal with a status)',
    { most: 3, status: 500, body: refused('Batch of more than 3 requests are not allowed', 31) },
    [17, 10, 7, 3, 3, 3, 3, 3, 2],
  ],
  [
    'ten calls a batch (refusal in a list)',
    { most: 10, status: 200, body: [refused('batch too large')] },
    [17, 10, 7],
  ],
  [
    'no batches',
    { most: 0, status: 200, body: refused('batch requests are not supported') },
    [17, 10, 7, 3, 3, 3, 3, 3, 2, ...Array<number>(17).fill(0)],
  ],
  [
    'ten calls a batch (refusal with a limit code)',
    { most: 10, status: 200, body: refused('Number of requests exceeds max batch size', -32005) },
    [17, 10, 7],
  ],
  ['ten calls a batch (status 413)', { most: 10, status: 413, body: 'Payload Too Large' }, [17, 10, 7]],
])(
  'a node that accepts %s gets smaller batches, and later requests start with that size',
  async (_, refusal, exchanges) => {
    takes(refusal)
    const limits: number[] = []
    const rpc = httpRpc(node.url, { retries: 0, onLimit: ({ calls }) => void limits.push(calls) })
    expect(await rpc.batch(asked(17))).toEqual(numbers(17))
    expect(sizes.toSorted((a, b) => b - a)).toEqual(exchanges)
    sizes.length = 0
    expect(await rpc.batch(asked(17))).toEqual(numbers(17))
    expect(sizes.length).toBe(Math.ceil(17 / Math.max(1, refusal.most)))
    // The limit is reported once.
    expect(limits).toEqual([Math.max(1, refusal.most)])
  },
)

it('a refused single call fails with its error, and a malformed answer is RPC_UNREACHABLE', async () => {
  takes({ most: 0, status: 200, body: refused('no batches here') })
  const { answer } = node
  node.answer = (call, response) => {
    if (Array.isArray(call) || call.params[0] !== '0x1') return answer(call, response)
    response.end(JSON.stringify({ ...refused('no such block', -32001), id: call.id }))
  }
  await expect(httpRpc(node.url, { retries: 0 }).batch(asked(2))).rejects.toMatchObject({
    code: 'RPC_ERROR',
    details: { code: -32001, message: 'no such block' },
  })
  node.answer = (call, response) =>
    void response.end(JSON.stringify(Array.isArray(call) ? refused('no batches') : 7))
  await expect(httpRpc(node.url, { retries: 0 }).batch(asked(2))).rejects.toMatchObject({
    code: 'RPC_UNREACHABLE',
  })
})

it.each([
  ['fails', 500, { error: 'Internal Server Error' }],
  ['forbids all requests', 403, refused('forbidden', -32000)],
])('a node that %s is not asked again in smaller batches', async (_, status, body) => {
  takes({ most: 0, status, body })
  await expect(httpRpc(node.url, { retries: 0 }).batch(asked(17))).rejects.toMatchObject({
    code: 'RPC_UNREACHABLE',
  })
  expect(sizes).toEqual([17])
})

it('equal reads of one moment are sent once, whether asked for together or by several callers', async () => {
  takes({ most: 100, status: 200, body: undefined })
  const rpc = httpRpc(node.url, { retries: 0 })
  const both = await Promise.all([
    rpc.batch([...asked(3), ...asked(2)]),
    rpc.request('eth_getBalance', ['0x1']),
    // Another method with the same parameter is another read.
    rpc.request('eth_getCode', ['0x1']),
    ...Array.from({ length: 150 }, () => rpc.batch(asked(4))),
  ])
  expect(both.slice(0, 4)).toEqual([['0x0', '0x1', '0x2', '0x0', '0x1'], '0x1', '0x1', numbers(4)])
  expect(new Set(both.slice(3).map((one) => JSON.stringify(one))).size).toBe(1)
  expect(sizes).toEqual([5])
  // Each caller may change its own answer.
  const [one, other] = await Promise.all([0, 1].map(() => rpc.request<object>('eth_call', [{ to: '0x1' }])))
  Object.assign(one!, { to: '0x2' })
  expect(other).toEqual({ to: '0x1' })
})

it('every batch with eth_getLogs includes the block number read, and inconsistent parts are refused', async () => {
  takes({ most: 3, status: 200, body: refused('batch too large') })
  const logs = (count: number) => [
    ...asked(1),
    ...Array.from({ length: count }, (_, at) => ['eth_getLogs', [`0x7${at}`]] as const),
  ]
  const rpc = httpRpc(node.url, { retries: 0 })
  expect(await rpc.batch(logs(4))).toEqual(['0x0', '0x70', '0x71', '0x72', '0x73'])
  expect(sizes).toEqual([5, 3, 3])
  // Two nodes behind the URL, one of them behind.
  const { answer } = node
  let nth = 0
  node.answer = (sent, response) => {
    const calls = sent as unknown as NodeCall[]
    if (!Array.isArray(sent) || calls.length > 3) return answer(sent, response)
    nth++
    response.end(
      JSON.stringify(
        calls.map((call) =>
          call.method === 'eth_getLogs' ? answered(call) : { ...answered(call), result: nth },
        ),
      ),
    )
  }
  await expect(rpc.batch(logs(4))).rejects.toMatchObject({ code: 'RPC_UNREACHABLE' })
  takes({ most: 0, status: 200, body: refused('no batches here') })
  await expect(rpc.batch(logs(1))).rejects.toMatchObject({
    code: 'RPC_UNREACHABLE',
    details: { fault: 'batch' },
  })
})

it.each([
  ['with the code of an invalid request', refused('up to a 500 block range')],
  ['with other words', refused('exceed maximum block range: 1000', -32000)],
])('an eth_getLogs range that is too large is reported as RPC_ERROR: %s', async (_, body) => {
  takes({ most: 0, status: 200, body })
  const { answer } = node
  node.answer = (call, response) =>
    Array.isArray(call) ? answer(call, response) : void response.end(JSON.stringify({ ...body, id: call.id }))
  const calls = [...asked(1), ['eth_getLogs', ['0x7']] as const]
  await expect(httpRpc(node.url, { retries: 0 }).batch(calls)).rejects.toMatchObject({
    code: 'RPC_ERROR',
    message: expect.stringContaining('range'),
  })
})

it('a batch with logs that fails for another reason is sent to the next endpoint', async () => {
  takes({ most: 0, status: 200, body: refused('project id is paused') })
  const { answer } = node
  node.answer = (call, response) =>
    Array.isArray(call)
      ? answer(call, response)
      : void response.end(JSON.stringify({ ...refused('project id is paused'), id: call.id }))
  const good = await fakeNode()
  try {
    good.answer = (sent, response) =>
      void response.end(JSON.stringify((sent as unknown as NodeCall[]).map(answered)))
    const calls = [...asked(1), ['eth_getLogs', ['0x7']] as const]
    expect(await failoverRpc([node.url, good.url]).batch(calls)).toEqual(['0x0', '0x7'])
  } finally {
    await good.stop()
  }
})
