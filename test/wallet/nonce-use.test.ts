import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'

import type { Address } from '../../src/domain/address.ts'
import { AppError } from '../../src/domain/errors.ts'
import { quantity } from '../../src/net/quantity.ts'
import type { Rpc } from '../../src/net/rpc.ts'
import type { Journal } from '../../src/store/journal-words.ts'
import { whoUsed } from '../../src/wallet/execution/nonce-use.ts'
import { isSentAlready } from '../../src/wallet/execution/pinned.ts'
import type { Proposal } from '../../src/wallet/plan/proposal.ts'
import { type Chain, startChain } from './chain.ts'
import { payee, signer } from './operation.ts'
import { useHome } from './use.ts'

let chain: Chain
let paid: string
let owner: { is: 'used'; transaction: unknown; at: number }
const blocks = 800
/** A wallet whose first nonce a transaction has, in block 1, and whose second one an authorisation, in the block after so many. */
const delegated = privateKeyToAccount(generatePrivateKey())
beforeAll(async () => {
  chain = await startChain([], 2 * blocks)
  await chain.rpc.request('evm_setAutomine', [false])
  paid = await chain.rpc.request<string>('eth_sendTransaction', [{ from: signer.address, to: payee }])
  await chain.rpc.request('anvil_setBalance', [delegated.address, `0x${(10n ** 18n).toString(16)}`])
  const call = { chainId: 31337, gas: 100_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n }
  const send = (raw: string) => chain.rpc.request<string>('eth_sendRawTransaction', [raw])
  await send(await delegated.signTransaction({ ...call, to: payee, nonce: 0 }))
  await chain.rpc.request('anvil_mine', [`0x${blocks.toString(16)}`])
  const authorizationList = [await delegated.signAuthorization({ chainId: 31337, address: payee, nonce: 1 })]
  await send(await signer.signTransaction({ ...call, to: payee, value: 1n, nonce: 1, authorizationList }))
  await chain.rpc.request('evm_mine')
  owner = { is: 'used', transaction: expect.objectContaining({ hash: paid }), at: 1 }
})
afterAll(() => chain.stop())

let _journal: Journal
const _reopen = useHome((made) => {
  _journal = made.journal
})

type Node = { rpc: Rpc; asked: Record<string, number> }

/** A node that cannot be asked for a nonce, and does not have the states of so many blocks; it counts what it is asked. */
function without(states: number, refusal: 'RPC_ERROR' | 'RPC_UNREACHABLE' = 'RPC_ERROR'): Node {
  const asked: Record<string, number> = {}
  const request = async (method: string, params: readonly unknown[] = []) => {
    asked[method] = (asked[method] ?? 0) + 1
    if (method === 'eth_getTransactionBySenderAndNonce') throw new AppError(refusal, 'not here')
    if (method === 'eth_getTransactionCount' && Number(params[1]) < states)
      throw new AppError('RPC_ERROR', 'missing trie node')
    return chain.rpc.request(method, params)
  }
  return { asked, rpc: { ...chain.rpc, request } as Rpc }
}

/** Such a node that says something else for blocks that it has no state of. */
function lying(said: '0x0' | 'the newest'): Node {
  const { rpc, asked } = without(0)
  const request: Rpc['request'] = async (method, params) => {
    const [who, at] = (params ?? []) as string[]
    const isOld = method === 'eth_getTransactionCount' && at !== 'latest' && Number(at) < blocks
    if (!isOld) return rpc.request(method, params)
    return said === '0x0' ? ('0x0' as never) : rpc.request(method, [who, 'latest'])
  }
  return { asked, rpc: { ...rpc, request } }
}

/** Such a node that shows no old blocks either. */
function forgetful(refusal?: 'RPC_UNREACHABLE'): Rpc {
  const { rpc } = without(blocks, refusal)
  const request: Rpc['request'] = async (method, params) =>
    method === 'eth_getBlockByNumber' && Number(params![0]) < blocks
      ? (null as never)
      : rpc.request(method, params)
  return { ...rpc, request }
}

test('who used a nonce is found in a few looks where the node has the states, and in one where it was found before', async () => {
  const { rpc, asked } = without(0)
  expect(await whoUsed(rpc, signer.address, 0)).toEqual(owner)
  expect(asked).toMatchObject({ eth_getBlockByNumber: 1 })
  expect(asked.eth_getTransactionCount).toBeLessThan(20)
  expect(await whoUsed(rpc, signer.address, 0)).toEqual(owner)
  expect(asked.eth_getBlockByNumber).toBe(2)
  expect(asked.eth_getTransactionCount).toBeLessThan(20)
})

test('it is found so however long ago it was, also before the block at which the nonce was thought to be free', async () => {
  const { rpc, asked } = without(0)
  expect(await whoUsed(rpc, signer.address, 0, { most: 10 })).toEqual(owner)
  expect(await whoUsed(without(0).rpc, signer.address, 0, { from: 700, most: 10 })).toEqual(owner)
  expect(asked.eth_getBlockByNumber).toBe(1)
})

test('who used a nonce is found block by block where the node does not have the states, once', async () => {
  const { rpc, asked } = without(blocks)
  expect(await whoUsed(rpc, signer.address, 0)).toEqual(owner)
  const looks = asked.eth_getBlockByNumber!
  expect(looks).toBeGreaterThan(blocks)
  expect(await whoUsed(rpc, signer.address, 0)).toEqual(owner)
  expect(asked.eth_getBlockByNumber).toBe(looks + 1)
})

test('who used a nonce is looked for no farther than the node has blocks, and past those that one behind its URL lacks', async () => {
  const { rpc, asked } = without(2 * blocks)
  let oldest = blocks - 200
  const forgets: Rpc['request'] = async (method, params) => {
    const answer = await rpc.request(method, params)
    const at = Number(params?.[0])
    const isMissing = at < oldest || at === blocks || at === blocks - 40
    return (method === 'eth_getBlockByNumber' && isMissing ? null : answer) as never
  }
  expect(await whoUsed({ ...rpc, request: forgets }, signer.address, 0)).toMatchObject({ is: 'unknown' })
  expect(asked.eth_getBlockByNumber).toBeGreaterThan(200)
  expect(asked.eth_getBlockByNumber).toBeLessThan(220)
  // A hole is not the end.
  oldest = 0
  const holed: Rpc['request'] = async (method, params) =>
    Number(params?.[0]) === blocks - 100 ? (null as never) : forgets(method, params)
  const before = asked.eth_getBlockByNumber!
  expect(await whoUsed({ ...rpc, request: holed }, signer.address, 0, { most: 150 })).toEqual({
    is: 'unknown',
    isLookedFor: false,
  })
  expect(asked.eth_getBlockByNumber! - before).toBeGreaterThan(148)
})

test('what is not found in so many blocks is not known, and only newer ones are read by the next look, or all where they are others', async () => {
  const { rpc, asked } = without(blocks)
  const looks = async (most: number): Promise<number> => {
    const before = asked.eth_getBlockByNumber ?? 0
    expect(await whoUsed(rpc, signer.address, 0, { most })).toMatchObject({ is: 'unknown' })
    return asked.eth_getBlockByNumber! - before
  }
  const snapshot = await chain.rpc.request('evm_snapshot')
  // Where halving ends, and one by which what was read before is known again, are read by each look.
  expect(await looks(99)).toBe(1 + 100)
  expect(await looks(99)).toBe(2)
  expect(await looks(199)).toBe(2 + 100)
  for (const most of [99, 199]) expect(await looks(most)).toBe(2)
  await chain.rpc.request('anvil_mine', ['0x3'])
  expect(await looks(199)).toBe(2 + 3)
  await chain.rpc.request('evm_revert', [snapshot])
  await chain.rpc.request('anvil_mine', ['0x3', '0x9'])
  expect(await looks(199)).toBe(2 + 200)
})

test('a nonce that an authorisation took is used by no transaction, and that is not looked for in every block', async () => {
  const { rpc, asked } = without(0)
  const at = blocks + 1
  expect(await whoUsed(rpc, delegated.address, 1)).toEqual({ is: 'authorised', at })
  expect(asked.eth_getBlockByNumber).toBe(1)
  expect(await whoUsed(rpc, delegated.address, 0)).toMatchObject({ is: 'used', at: 1 })
  // A block in which nothing is shown that could have taken it proves nothing.
  const bare: Rpc['request'] = async (method, params) => {
    const answer = await rpc.request(method, params)
    return (method === 'eth_getBlockByNumber' ? { transactions: [] } : answer) as never
  }
  expect(await whoUsed({ ...rpc, request: bare }, delegated.address, 1)).toMatchObject({ is: 'unknown' })
})

test('a nonce that is free is used by nobody, and nothing else is asked', async () => {
  const { rpc, asked } = without(0)
  expect(await whoUsed(rpc, delegated.address, 2)).toEqual({ is: 'free' })
  expect(asked).toEqual({ eth_getTransactionCount: 1 })
})

const nodes: Record<string, () => Node> = {
  'has all states': () => without(0),
  'does not have the states': () => without(blocks),
  'says zero for a block that it has no state of': () => lying('0x0'),
  'says the newest count for such a block': () => lying('the newest'),
  'refuses the question without an answer': () => without(0, 'RPC_UNREACHABLE'),
}
const call = { to: payee, data: '0x', value: 0n, chainId: 31337 } as const
const pinnedAt = (rpc: Rpc, wallet: Address, nonce: number) =>
  isSentAlready(
    { rpc: () => rpc, journal: { find: () => undefined } } as never,
    { wallet, nonce, id: 'pinned', legs: [{ chainId: 31337, transactions: [call] }] } as unknown as Proposal,
  )

test.each(Object.keys(nodes))(
  'what was sent under a pinned nonce already is found by a node that %s',
  async (how) => {
    const { rpc, asked } = nodes[how]!()
    expect(await whoUsed(rpc, signer.address, 0)).toMatchObject({ is: 'used', transaction: { hash: paid } })
    expect(asked.eth_getBlockByNumber).toBeLessThan(blocks + 20)
    expect(asked.eth_getTransactionBySenderAndNonce).toBe(1)
    expect(await pinnedAt(rpc, signer.address, 0)).toBe(true)
  },
)

test('a pinned nonce that is used is not said to be another’s where the node does not show whose', async () => {
  await expect(pinnedAt(forgetful(), signer.address, 0)).rejects.toMatchObject({
    code: 'RPC_INCONSISTENT',
    hint: expect.not.stringContaining('--nonce'),
  })
  await expect(pinnedAt(without(0).rpc, delegated.address, 1)).rejects.toMatchObject({
    code: 'NONCE_USED',
    message: expect.stringContaining('an authorisation (EIP-7702)'),
    details: { hash: null },
  })
  // One that is free pays nothing twice, whatever the node says of it.
  const free = Number(
    quantity(await chain.rpc.request('eth_getTransactionCount', [signer.address, 'latest']), 'the nonce'),
  )
  expect(await pinnedAt(without(0, 'RPC_UNREACHABLE').rpc, signer.address, free)).toBe(false)
})

test('transactions without a sender or an input stand in nobody’s way', async () => {
  const { rpc } = without(0)
  const odd = [
    { hash: '0x01', from: null },
    { hash: '0x02' },
    { hash: null, from: signer.address, nonce: '0x0' },
  ]
  const request: Rpc['request'] = async (method, params) => {
    const answer = await rpc.request<{ transactions?: unknown[] } | null>(method, params)
    return (
      answer?.transactions ? { ...answer, transactions: [...odd, ...answer.transactions] } : answer
    ) as never
  }
  expect(await whoUsed({ ...rpc, request }, signer.address, 0)).toEqual(owner)
})

test('a count that is not answered is silence, and no reason to pay again', async () => {
  const { rpc } = without(0)
  const busy = new AppError('RPC_UNREACHABLE', 'too much to do')
  const request: Rpc['request'] = async (method, params) => {
    if (method === 'eth_getTransactionCount' && params![1] !== 'latest') throw busy
    return method === 'eth_getBlockByNumber' ? (null as never) : rpc.request(method, params)
  }
  expect(await whoUsed({ ...rpc, request }, signer.address, 0)).toEqual({
    is: 'unknown',
    isLookedFor: false,
    silence: busy,
  })
})
