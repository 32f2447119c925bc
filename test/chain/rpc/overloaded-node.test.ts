import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { confirmationDepth } from '../../../src/chain/finality/finality.ts'
import { failoverRpc, httpRpc } from '../../../src/chain/rpc/failover.ts'
import { type FakeNode, fakeNode, type NodeCall } from '../../support/nodes/scripted-node.ts'

type Said = { code: number; message: string; data?: unknown }

let node: FakeNode
let other: FakeNode
/** The error that the node returns for a call instead of 7. */
let refuses: (call: NodeCall) => Said | undefined

const reply = (call: NodeCall, error?: Said) => ({
  jsonrpc: '2.0',
  id: call.id,
  ...(error ? { error } : { result: call.method === 'eth_chainId' ? '0x1' : '0x7' }),
})

beforeAll(async () => {
  node = await fakeNode()
  other = await fakeNode()
  other.answer = (call, response) => void response.end(JSON.stringify(reply(call)))
})
afterAll(async () => {
  await node.stop()
  await other.stop()
})
beforeEach(() => {
  refuses = () => undefined
  node.seen.length = 0
  node.answer = (call, response) =>
    void response.end(
      JSON.stringify(
        Array.isArray(call) ? call.map((one) => reply(one, refuses(one))) : reply(call, refuses(call)),
      ),
    )
})

describe('an overloaded node', () => {
  it.each([
    [-32005, 'limit exceeded'],
    [429, 'Your app has exceeded its capacity'],
    [-32016, 'over rate limit'],
    [-32012, 'backend is over capacity'],
    [-32011, 'no backend is currently healthy to serve traffic'],
    [-32046, 'Cannot fulfill request'],
    [-32000, 'Must be authenticated!'],
    [-32097, 'This endpoint is no longer available'],
    [-32001, 'You have reached the maximum API usage limit'],
    [-32007, '50/second request limit reached'],
    [-32090, 'Too many requests, reason: call rate limit exhausted'],
    [-32000, 'compute units of this month are used up', 'see the plans'],
  ])('is reported as unreachable after the error %i "%s"', async (code, message, data?: string) => {
    refuses = () => ({ code, message, ...(data && { data }) })
    for (const method of ['eth_call', 'eth_sendRawTransaction'])
      await expect(httpRpc(node.url, { retries: 0 }).request(method)).rejects.toMatchObject({
        code: 'RPC_UNREACHABLE',
        message: expect.stringContaining(message),
      })
  })

  it.each<[string, Said]>([
    ['eth_call', { code: 3, message: 'execution reverted: rate limit exceeded' }],
    ['eth_call', { code: -32000, message: 'too many requests', data: '0x08c379a0' }],
    ['eth_simulateV1', { code: -38015, message: 'block gas limit exceeded' }],
    ['eth_getLogs', { code: -32005, message: 'limit exceeded' }],
    ['eth_simulateV1', { code: -32601, message: 'the method is no longer available' }],
    ['eth_estimateGas', { code: -32005, message: 'Transaction gas limit exceeds block gas limit' }],
    ['eth_simulateV1', { code: -32005, message: 'Transactions maxFeePerGas is too low' }],
  ])('is not assumed from errors of contracts or of oversized requests (%s %o)', async (method, said) => {
    refuses = () => said
    await expect(httpRpc(node.url).request(method)).rejects.toMatchObject({ code: 'RPC_ERROR' })
    expect(node.seen).toEqual([method])
  })

  it('is asked again for a whole batch after one refused call', async () => {
    let refused = 0
    refuses = ({ method }) =>
      method === 'eth_gasPrice' && refused++ === 0 ? { code: 429, message: 'slow down' } : undefined
    const began = performance.now()
    const asked = [['eth_blockNumber', []] as const, ['eth_gasPrice', []] as const]
    expect(await httpRpc(node.url).batch(asked)).toEqual(['0x7', '0x7'])
    expect(refused).toBe(2)
    expect(performance.now() - began).toBeGreaterThan(900)
  })

  it('is asked for each call alone after it refuses a batch twice, and no more once it refuses that', async () => {
    node.answer = (_, response) =>
      void response.end(
        JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: 429, message: 'Too many requests' } }),
      )
    const asked = [['eth_blockNumber', []] as const, ['eth_gasPrice', []] as const]
    await expect(httpRpc(node.url, { retries: 1 }).batch(asked)).rejects.toMatchObject({
      code: 'RPC_UNREACHABLE',
    })
    // The second call waits for its turn, which comes a second later.
    expect(node.seen).toEqual([undefined, undefined, 'eth_blockNumber'])
  })

  it('is not taken for one without a finalized block', async () => {
    refuses = ({ params }) =>
      params[0] === 'finalized' ? { code: -32005, message: 'limit exceeded' } : undefined
    const rpc = httpRpc(node.url, { retries: 0 })
    await expect(confirmationDepth(rpc, 1, 'finalized', 2)).rejects.toMatchObject({ code: 'RPC_UNREACHABLE' })
  })
})

describe('a JSON-RPC error with an HTTP error status', () => {
  it.each<[number, Said, string]>([
    [400, { code: -32000, message: 'missing trie node' }, 'RPC_ERROR'],
    [403, { code: -32601, message: 'rpc method is not whitelisted' }, 'RPC_ERROR'],
    [500, { code: 3, message: 'execution reverted' }, 'RPC_ERROR'],
    [401, { code: -32000, message: 'invalid api key' }, 'RPC_UNREACHABLE'],
    [402, { code: -32000, message: 'the plan is used up' }, 'RPC_UNREACHABLE'],
    [403, { code: -32000, message: 'forbidden' }, 'RPC_UNREACHABLE'],
    [500, { code: -32603, message: 'internal error' }, 'RPC_UNREACHABLE'],
  ])('status %i with the error %o is %s', async (status, error, code) => {
    node.answer = (call, response) => {
      response.statusCode = status
      response.end(JSON.stringify(reply(call, error)))
    }
    await expect(httpRpc(node.url, { retries: 0 }).request('eth_call')).rejects.toMatchObject({
      code,
      message: expect.stringContaining(error.message),
    })
  })
})

it.each([403, 429, 500, 502, 503])(
  'an HTML page with status %i is said to be of the gateway',
  async (status) => {
    node.answer = (_, response) =>
      void response.writeHead(status, { 'content-type': 'text/html' }).end('<html>error code: 1020</html>')
    await expect(httpRpc(node.url, { retries: 0 }).request('eth_call')).rejects.toMatchObject({
      code: 'RPC_UNREACHABLE',
      message: `The gateway in front of the node at ${new URL(node.url).host}, and not the node, answers with HTTP status ${status}`,
    })
    node.answer = (_, response) =>
      void response
        .writeHead(status, { 'content-type': 'text/html', 'retry-after': '7' })
        .end('<html></html>')
    await expect(httpRpc(node.url, { retries: 0 }).request('eth_call')).rejects.toMatchObject({
      message: expect.stringMatching(/answers with HTTP status \d+, and asks to wait 7 seconds$/),
      details: { retryAfterMs: 7_000 },
    })
  },
)

it('a redirect has a hint to set the URL that it leads to', async () => {
  node.answer = (_, response) => void response.writeHead(301, { location: 'https://node.test/' }).end()
  await expect(httpRpc(node.url, { retries: 0 }).request('eth_call')).rejects.toMatchObject({
    hint: expect.stringContaining('https://'),
  })
})

describe('an error in another format', () => {
  it.each<[string, object, object]>([
    [
      'as a text is reported',
      { error: 'execution is off' },
      { code: 'RPC_ERROR', details: { message: 'execution is off' } },
    ],
    [
      'without a request id is no answer',
      { id: null, error: { code: -32000, message: 'no key' } },
      { code: 'RPC_UNREACHABLE', message: expect.stringContaining('no key') },
    ],
  ])('%s', async (_, form, told) => {
    node.answer = (call, response) =>
      void response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...form }))
    await expect(httpRpc(node.url, { retries: 0 }).request('eth_call')).rejects.toMatchObject(told)
  })

  it('with a very long message is truncated', async () => {
    refuses = () => ({ code: -32000, message: 'x'.repeat(100_000) })
    const error = (await httpRpc(node.url)
      .request('eth_call')
      .catch((thrown: unknown) => thrown)) as Error
    expect(error.message.length).toBeLessThan(1_200)
  })
})

describe('a node that does not report its chain ID', () => {
  const mute = ({ method }: NodeCall) =>
    method === 'eth_chainId' ? { code: -32601, message: 'not allowed' } : undefined

  it('is not used for reads, and is sent no transaction', async () => {
    refuses = mute
    await expect(httpRpc(node.url, { chainId: 1 }).request('eth_gasPrice')).rejects.toMatchObject({
      code: 'RPC_UNREACHABLE',
      message: expect.stringContaining('does not return its chain ID'),
    })
    // The read is sent together with the check, so that both are awaited once.
    expect(node.seen.toSorted()).toEqual(['eth_chainId', 'eth_gasPrice'])
    await expect(
      httpRpc(node.url, { chainId: 1 }).request('eth_sendRawTransaction', ['0x']),
    ).rejects.toMatchObject({ code: 'RPC_UNREACHABLE' })
    expect(node.seen).not.toContain('eth_sendRawTransaction')
  })

  it('is skipped when there is another one', async () => {
    refuses = mute
    other.seen.length = 0
    expect(await failoverRpc([node.url, other.url], { chainId: 1 }).request('eth_gasPrice')).toBe('0x7')
    expect(other.seen).toContain('eth_gasPrice')
  })
})
