import { afterEach, beforeEach, expect, it } from 'vitest'
import { failoverRpc, httpRpc } from '../../../src/chain/rpc/failover.ts'
import { type FakeNode, fakeNode, type NodeCall } from '../../support/nodes/scripted-node.ts'

let node: FakeNode
/** How many calls each exchange brought: 0 where it was one that stood in no list. */
let sizes: number[]
/** How a node says that it takes no more calls at once. */
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
    'three, and says so with a status',
    { most: 3, status: 500, body: refused('Batch of more than 3 requests are not allowed', 31) },
    [17, 10, 7, 3, 3, 3, 3, 3, 2],
  ],
  ['ten, and says so in a list', { most: 10, status: 200, body: [refused('batch too large')] }, [17, 10, 7]],
  [
    'none at all',
    { most: 0, status: 200, body: refused('batch requests are not supported') },
    [17, 10, 7, 3, 3, 3, 3, 3, 2, ...Array<number>(17).fill(0)],
  ],
  [
    'ten, and says so with the code of a limit',
    { most: 10, status: 200, body: refused('Number of requests exceeds max batch size', -32005) },
    [17, 10, 7],
  ],
  ['as many as are small enough', { most: 10, status: 413, body: 'Payload Too Large' }, [17, 10, 7]],
])(
  'a node that takes %s is asked in so many parts, and from then on at once',
  async (_, refusal, exchanges) => {
    takes(refusal)
    const limits: number[] = []
    const rpc = httpRpc(node.url, { retries: 0, onLimit: ({ calls }) => void limits.push(calls) })
    expect(await rpc.batch(asked(17))).toEqual(numbers(17))
    expect(sizes.toSorted((a, b) => b - a)).toEqual(exchanges)
    sizes.length = 0
    expect(await rpc.batch(asked(17))).toEqual(numbers(17))
    expect(sizes.length).toBe(Math.ceil(17 / Math.max(1, refusal.most)))
    // It is said once what it takes.
    expect(limits).toEqual([Math.max(1, refusal.most)])
  },
)

it('a call that is refused in a smaller part is refused, and a node that takes none of them is named', async () => {
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
  ['is down', 500, { error: 'Internal Server Error' }],
  ['forbids all', 403, refused('forbidden', -32000)],
])('a node that %s is not asked in smaller parts', async (_, status, body) => {
  takes({ most: 0, status, body })
  await expect(httpRpc(node.url, { retries: 0 }).batch(asked(17))).rejects.toMatchObject({
    code: 'RPC_UNREACHABLE',
  })
  expect(sizes).toEqual([17])
})

it('logs never come without the block that says whether the node has all of them', async () => {
  takes({ most: 3, status: 200, body: refused('batch too large') })
  const logs = (count: number) => [
    ...asked(1),
    ...Array.from({ length: count }, () => ['eth_getLogs', ['0x7']] as const),
  ]
  const rpc = httpRpc(node.url, { retries: 0 })
  expect(await rpc.batch(logs(4))).toEqual(['0x0', '0x7', '0x7', '0x7', '0x7'])
  expect(sizes).toEqual([5, 3, 3])
  // Behind the URL are two nodes, of which one is behind.
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
  ['with the code of a request that is none', refused('up to a 500 block range')],
  ['in other words', refused('exceed maximum block range: 1000', -32000)],
])('logs that are too many for a node are told as such, %s', async (_, body) => {
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

it('of what has nothing to do with logs the next endpoint is asked', async () => {
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
