import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { failoverRpc } from '../../../src/chain/rpc/failover.ts'
import { type FakeNode, fakeNode } from '../../support/nodes/scripted-node.ts'

let nodes: FakeNode[]
const urls = () => nodes.map(({ url }) => url)
const fast = { deadlineMs: 10_000, retries: 0 }

beforeEach(async () => {
  nodes = [await fakeNode(), await fakeNode(), await fakeNode()]
})
afterEach(async () => {
  for (const node of nodes) await node.stop()
})
const answers = (...results: (string | 'dead')[]) => {
  for (const [at, result] of results.entries())
    nodes[at]!.answer = (call, response) =>
      result === 'dead'
        ? void response.destroy()
        : void response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, result }))
}
const refuses = (at: number, message: string) => {
  nodes[at]!.answer = (call, response) =>
    void response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, error: { code: -32000, message } }))
}

describe('several endpoints of one chain', () => {
  it('are read at the first only', async () => {
    answers('0x1', '0x2', '0x3')
    expect(await failoverRpc(urls(), fast).request('eth_blockNumber')).toBe('0x1')
    expect(nodes.map(({ seen }) => seen.length)).toEqual([1, 0, 0])
  })

  it('are read at the next when one does not answer, and stay there', async () => {
    answers('dead', '0x2', '0x3')
    const rpc = failoverRpc(urls(), fast)
    expect(await rpc.request('eth_blockNumber')).toBe('0x2')
    expect(await rpc.request('eth_blockNumber')).toBe('0x2')
    expect(nodes[0]!.seen).toHaveLength(1)
  })

  it('change the endpoint identity once another one has answered', async () => {
    answers('0x1', '0x2', 'dead')
    const rpc = failoverRpc(urls().slice(0, 2), fast)
    const { endpoint } = rpc
    await rpc.request('eth_blockNumber')
    expect(rpc.endpoint).toBe(endpoint)
    answers('dead', '0x2', 'dead')
    await rpc.request('eth_blockNumber')
    answers('0x1', 'dead', 'dead')
    expect(await rpc.request('eth_blockNumber')).toBe('0x1')
    expect(rpc.endpoint).not.toBe(endpoint)
  })

  it('are not read at the next after an error answer', async () => {
    answers('0x1', '0x2', '0x3')
    refuses(0, 'execution reverted')
    await expect(failoverRpc(urls(), fast).request('eth_call')).rejects.toMatchObject({
      code: 'RPC_ERROR',
      details: { message: 'execution reverted' },
    })
    expect(nodes[1]!.seen).toHaveLength(0)
  })

  it('are unreachable when none of them answers', async () => {
    answers('dead', 'dead', 'dead')
    await expect(failoverRpc(urls(), fast).request('eth_call')).rejects.toMatchObject({
      code: 'RPC_UNREACHABLE',
    })
    expect(nodes.map(({ seen }) => seen.length)).toEqual([1, 1, 1])
  })

  it('all receive a signed transaction once', async () => {
    answers('0xaa', '0xaa', '0xaa')
    expect(await failoverRpc(urls()).request('eth_sendRawTransaction', ['0x02'])).toBe('0xaa')
    expect(nodes.map(({ seen }) => seen.length)).toEqual([1, 1, 1])
  })

  it('accept a signed transaction when one of them does', async () => {
    answers('dead', '0xaa', 'dead')
    refuses(2, 'already known')
    expect(await failoverRpc(urls()).request('eth_sendRawTransaction', ['0x02'])).toBe('0xaa')
    expect(nodes.map(({ seen }) => seen.length)).toEqual([1, 1, 1])
  })

  it('return the first refusal of a signed transaction when none accepts it', async () => {
    answers()
    nodes[0]!.answer = (_, response) => void response.destroy()
    refuses(1, 'transaction underpriced')
    refuses(2, 'insufficient funds')
    await expect(failoverRpc(urls()).request('eth_sendRawTransaction', ['0x02'])).rejects.toMatchObject({
      code: 'RPC_ERROR',
      details: { message: 'transaction underpriced' },
    })
    expect(nodes.map(({ seen }) => seen.length)).toEqual([1, 1, 1])
  })

  it('prefer the answer "already known" over refusals', async () => {
    refuses(0, 'transaction underpriced')
    refuses(1, 'already known')
    answers()
    nodes[2]!.answer = (_, response) => void response.destroy()
    await expect(failoverRpc(urls()).request('eth_sendRawTransaction', ['0x02'])).rejects.toMatchObject({
      code: 'RPC_ERROR',
      details: { message: 'already known' },
    })
  })

  it('list the unread ones as peers without peers of their own', async () => {
    answers('0x1', '0x2', '0x3')
    const rpc = failoverRpc(urls(), fast)
    expect(await Promise.all(rpc.peers.map((peer) => peer.request('eth_blockNumber')))).toEqual([
      '0x2',
      '0x3',
    ])
    expect(rpc.peers.flatMap(({ peers }) => peers)).toEqual([])
    answers('dead', '0x2', '0x3')
    await rpc.request('eth_blockNumber')
    expect(rpc.peers.map(({ host }) => host)).toEqual(
      [nodes[2], nodes[0]].map((node) => new URL(node!.url).host),
    )
  })

  it('count as one when they have the same URL', () => {
    expect(failoverRpc([urls()[0]!, urls()[0]!]).peers).toEqual([])
  })
})

describe('an endpoint of several that never answers', () => {
  const soon = { deadlineMs: 1_000, retries: 0 }
  const silent = (at: number) => {
    nodes[at]!.answer = () => undefined
  }

  it.each([
    ['first', 0],
    ['last', 2],
  ])(
    'is not used after a missed deadline, as the %s: neither for reads nor for signed transactions',
    async (_, at) => {
      answers('0x1', '0x1', '0x1')
      silent(at)
      const rpc = failoverRpc(urls(), soon)
      const host = new URL(urls()[at]!).host
      const all = () =>
        [rpc, ...rpc.peers].map((one) => one.request('eth_blockNumber').catch((error) => error))
      await Promise.all(all())
      const asked = nodes[at]!.seen.length
      expect(asked).toBeGreaterThan(0)
      for (const answer of await Promise.all([...all(), ...all()]))
        if (answer !== '0x1')
          expect(answer).toMatchObject({ code: 'RPC_UNREACHABLE', details: { host, fault: 'silent' } })
      expect(await rpc.request('eth_sendRawTransaction', ['0x02'])).toBe('0x1')
      expect(nodes[at]!.seen).toHaveLength(asked)
    },
  )

  it('is not used while an answer is overdue, even before its deadline', async () => {
    answers('0x1', '0x1', '0x1')
    silent(1)
    const rpc = failoverRpc(urls(), { retries: 0, silentMs: 0 })
    const [peer] = rpc.peers
    const first = peer!.request('eth_blockNumber').catch((error) => error)
    while (nodes[1]!.seen.length === 0) await rpc.request('eth_blockNumber')
    await expect(peer!.request('eth_gasPrice')).rejects.toMatchObject({ details: { fault: 'silent' } })
    expect(nodes[1]!.seen).toEqual(['eth_blockNumber'])
    await nodes[1]!.stop()
    expect(await first).toMatchObject({ code: 'RPC_UNREACHABLE' })
  })

  it('has a short time for its chain ID, and the full time when no other endpoint is reachable', async () => {
    answers('0x7', '0x7', '0x7')
    silent(0)
    // Longer than an answer takes on a busy machine.
    const rpc = failoverRpc(urls(), { silentMs: 500, chainId: 7 })
    expect(await rpc.request('eth_blockNumber')).toBe('0x7')
    expect(nodes[0]!.seen.toSorted()).toEqual(['eth_blockNumber', 'eth_chainId'])
    const slow = failoverRpc(urls().slice(0, 2), { silentMs: 500, chainId: 7 })
    for (const node of nodes.slice(0, 2))
      node.answer = (call, response) => {
        const say = () => void response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, result: '0x7' }))
        setTimeout(say, 750)
      }
    expect(await slow.request('eth_blockNumber')).toBe('0x7')
  })

  it('is used again after a while once it answers', async () => {
    answers('0x1', '0x1', '0x1')
    silent(1)
    const rpc = failoverRpc(urls(), { ...soon, leftOutMs: 0 })
    const [peer] = rpc.peers
    await expect(peer!.request('eth_blockNumber')).rejects.toMatchObject({ details: { fault: 'deadline' } })
    answers('0x1', '0x1', '0x1')
    expect(await peer!.request('eth_blockNumber')).toBe('0x1')
  })

  it('is used when no other endpoint is reachable', async () => {
    answers('dead', '0x1', 'dead')
    silent(1)
    const rpc = failoverRpc(urls(), soon)
    await expect(rpc.request('eth_blockNumber')).rejects.toMatchObject({ code: 'RPC_UNREACHABLE' })
    answers('dead', '0x1', 'dead')
    expect(await rpc.request('eth_blockNumber')).toBe('0x1')
  })
})

describe('retries at a single endpoint', () => {
  it('do not wait longer than the time left', async () => {
    nodes[0]!.answer = (_, response) => void response.writeHead(429, { 'retry-after': '60' }).end()
    await expect(
      failoverRpc([urls()[0]!], { budgetMs: 5_000 }).request('eth_blockNumber'),
    ).rejects.toMatchObject({ code: 'RPC_UNREACHABLE', details: { status: 429, retryAfterMs: 60_000 } })
    expect(nodes[0]!.seen).toHaveLength(1)
  })

  it('wait as long as Retry-After says, if there is time', async () => {
    nodes[0]!.answer = (call, response) =>
      nodes[0]!.seen.length === 1
        ? void response.writeHead(429, { 'retry-after': '1' }).end()
        : void response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, result: '0x1' }))
    expect(await failoverRpc([urls()[0]!]).request('eth_blockNumber')).toBe('0x1')
    expect(nodes[0]!.seen).toHaveLength(2)
  })

  it('do not resend a signed transaction', async () => {
    nodes[0]!.answer = (_, response) => void response.writeHead(429, { 'retry-after': '1' }).end()
    await expect(failoverRpc([urls()[0]!]).request('eth_sendRawTransaction', ['0x02'])).rejects.toMatchObject(
      {
        code: 'RPC_UNREACHABLE',
      },
    )
    expect(nodes[0]!.seen).toHaveLength(1)
  })
})
