import { afterAll, beforeAll, expect, test } from 'vitest'

import { AppError } from '../../src/domain/errors.ts'
import type { Rpc } from '../../src/net/rpc.ts'
import { ownerOfNonce } from '../../src/wallet/execution/watch.ts'
import { type Chain, startChain } from './chain.ts'
import { payee, signer } from './operation.ts'

let chain: Chain
let owner: { hash: string; blockNumber: number }
const blocks = 1_500
beforeAll(async () => {
  chain = await startChain([], 2 * blocks)
  const hash = await chain.rpc.request<string>('eth_sendTransaction', [{ from: signer.address, to: payee }])
  owner = { hash, blockNumber: 1 }
  await chain.rpc.request('anvil_mine', [`0x${blocks.toString(16)}`])
})
afterAll(() => chain.stop())

/** A node that cannot be asked for a nonce, and does not have the states of so many blocks; it counts what it is asked. */
function without(host: string, states: number) {
  const asked: Record<string, number> = {}
  const request = async (method: string, params: readonly unknown[] = []) => {
    asked[method] = (asked[method] ?? 0) + 1
    const isOld = method === 'eth_getTransactionCount' && Number(params[1]) < states
    if (isOld || method === 'eth_getTransactionBySenderAndNonce') throw new AppError('RPC_ERROR', 'not here')
    return chain.rpc.request(method, params)
  }
  return { asked, rpc: { ...chain.rpc, host, request } as Rpc }
}

test('who used a nonce is found in a few looks where the node has the states, and in one where it was found before', async () => {
  const { rpc, asked } = without('whole', 0)
  expect(await ownerOfNonce(rpc, signer.address, 0, 0)).toEqual(owner)
  expect(asked).toMatchObject({ eth_getBlockByNumber: 1 })
  expect(asked.eth_getTransactionCount).toBeLessThan(20)
  const looks = asked.eth_getTransactionCount
  expect(await ownerOfNonce(rpc, signer.address, 0, 0)).toEqual(owner)
  expect(asked).toMatchObject({ eth_getBlockByNumber: 2, eth_getTransactionCount: looks })
})

test('who used a nonce is found block by block where the node does not, once', async () => {
  const { rpc, asked } = without('pruned', blocks)
  expect(await ownerOfNonce(rpc, signer.address, 0, 0)).toEqual(owner)
  const looks = asked.eth_getBlockByNumber!
  expect(looks).toBeGreaterThan(blocks)
  expect(await ownerOfNonce(rpc, signer.address, 0, 0)).toEqual(owner)
  expect(asked.eth_getBlockByNumber).toBe(looks + 1)
})

test('who used a nonce is looked for no farther than the node has blocks, and past those that one behind its URL lacks', async () => {
  const { rpc, asked } = without('forgetting', 2 * blocks)
  let oldest = blocks - 200
  const forgets: Rpc['request'] = async (method, params) => {
    const answer = await rpc.request(method, params)
    const at = Number(params?.[0])
    const isMissing = at < oldest || at === blocks || at === blocks - 40
    return (method === 'eth_getBlockByNumber' && isMissing ? null : answer) as never
  }
  expect(await ownerOfNonce({ ...rpc, request: forgets }, signer.address, 0, 0)).toBeUndefined()
  expect(asked.eth_getBlockByNumber).toBeGreaterThan(200)
  expect(asked.eth_getBlockByNumber).toBeLessThan(210)
  // A hole is not the end.
  oldest = 0
  const holed: Rpc['request'] = async (method, params) =>
    Number(params?.[0]) === blocks - 100 ? (null as never) : forgets(method, params)
  const before = asked.eth_getBlockByNumber!
  expect(await ownerOfNonce({ ...rpc, request: holed }, signer.address, 0, blocks - 150)).toBeUndefined()
  expect(asked.eth_getBlockByNumber! - before).toBeGreaterThan(148)
})

test.each(['0x0', 'the newest'])(
  'a node that says %s for a block that it has no state of is not believed',
  async (said) => {
    const { rpc } = without(`lying ${said}`, 0)
    const lies: Rpc['request'] = async (method, params) => {
      const [who, at] = (params ?? []) as string[]
      const isOld = method === 'eth_getTransactionCount' && at !== 'latest' && Number(at) < blocks
      if (!isOld) return rpc.request(method, params)
      return said === '0x0' ? ('0x0' as never) : rpc.request(method, [who, 'latest'])
    }
    expect(await ownerOfNonce({ ...rpc, request: lies }, signer.address, 0, 0)).toEqual(owner)
  },
)

test('a nonce that no transaction of the wallet used is not looked for in every block', async () => {
  const { rpc, asked } = without('delegated', 0)
  const shows: Rpc['request'] = async (method, params) => {
    const answer = await rpc.request(method, params)
    if (method === 'eth_getTransactionCount') return `0x${(Number(answer) + 5).toString(16)}` as never
    return (method === 'eth_getBlockByNumber' ? { transactions: [] } : answer) as never
  }
  expect(await ownerOfNonce({ ...rpc, request: shows }, signer.address, 5, 0)).toBeUndefined()
  expect(asked).toMatchObject({ eth_getBlockByNumber: 1 })
  const free = without('free', 0)
  expect(await ownerOfNonce(free.rpc, signer.address, 1, 0)).toBeUndefined()
  expect(free.asked).toMatchObject({ eth_getBlockByNumber: 1 })
})
