import { afterEach, describe, expect, it } from 'vitest'

import { sandboxNetworks } from '../../src/domain/network.ts'
import { hexQuantity } from '../../src/net/quantity.ts'
import { httpRpc, severalRpc } from '../../src/net/rpc.ts'
import type { Journal } from '../../src/store/journal-words.ts'
import { doneElsewhere } from '../../src/wallet/execution/elsewhere/done-elsewhere.ts'
import type { Execution } from '../../src/wallet/execution/run.ts'
import { laggingNode } from '../support/lagging.ts'
import { type Provider, provider } from '../support/provider.ts'
import type { Chain } from './chain.ts'
import { journalIn, newHome, oneCoin, payee, planPayments, removeHome, run, signer } from './operation.ts'
import { paidOn, useChain, useHome } from './use.ts'

let chain: Chain
let home: string
let journal: Journal
useChain((made) => {
  chain = made
})
useHome((made) => {
  ;({ home, journal } = made)
})
afterEach(async () => {
  await chain.rpc.request('evm_setAutomine', [true])
  await chain.rpc.request('evm_mine')
})

const payment = { to: payee, data: '0x', value: oneCoin, chainId: 31337 } as const
const outcome = (id: string, more: Partial<Execution> = {}) =>
  run(journal, home, chain.url, id, more).catch((error: unknown) => error)
const count = async () =>
  Number(await chain.rpc.request('eth_getTransactionCount', [signer.address, 'latest']))
const attempts = (id: string) => journal.attempts(id, 0)
const nonceOf = (id: string) => journal.find(id)!.steps[0]!.nonce

/** A payment from another machine, whose journal this one does not have. */
async function payElsewhere(how: Partial<Execution> = {}): Promise<string> {
  const there = newHome()
  const other = journalIn(there)
  planPayments(other, 'there')
  await run(other, there, chain.url, 'there', how).catch(() => undefined)
  const { hash } = other.attempts('there', 0)[0]!
  other.close()
  removeHome(there)
  return hash
}

/** A transaction of the wallet, another one where nothing is said, that pays as little as the chain takes, so that one that pays what is usual would replace it. */
async function sendCheap(to = signer.address, value = 7n): Promise<string> {
  const { baseFeePerGas } = await chain.rpc.request<{ baseFeePerGas: string }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  const fees = { maxFeePerGas: baseFeePerGas, maxPriorityFeePerGas: '0x1' }
  const call = { from: signer.address, to, value: hexQuantity(value), gas: '0x5208' }
  return chain.rpc.request<string>('eth_sendTransaction', [{ ...call, ...fees }])
}

async function answering(says: Provider['says'], work: (url: string) => Promise<void>): Promise<void> {
  const node = await provider(chain.url, says)
  try {
    await work(node.url)
  } finally {
    await node.close()
  }
}

describe('what another machine did since it was looked', () => {
  it('or what was hidden from that look, is not done twice, though the journal and the first look know nothing of it', async () => {
    planPayments(journal, 'own')
    await run(journal, home, chain.url, 'own')
    await chain.rpc.request('anvil_mine', ['0x1'])
    const hash = await payElsewhere()
    const before = await paidOn(chain)
    let behind = 1
    const late = await laggingNode(chain.url, () => behind)
    const rpc = () => httpRpc(late.url)
    const looked: Record<number, number> = {}
    const catalog = { networks: sandboxNetworks }
    const onLooked = (chainId: number, latest: number) => {
      looked[chainId] = latest
    }
    expect(
      await doneElsewhere({ rpc, journal, catalog, onLooked }, signer.address, [payment]),
    ).toBeUndefined()
    behind = 0
    planPayments(journal, 'again')
    expect(await outcome('again', { rpc, looked })).toMatchObject({
      code: 'DONE_ELSEWHERE',
      details: { hash },
      message: expect.stringContaining('--allow-duplicate'),
      hint: expect.stringContaining('sluice action explain 0x'),
    })
    await late.close()
    expect(attempts('again')).toEqual([])
    expect(nonceOf('again')).toBeNull()
    expect(await paidOn(chain)).toBe(before)
    // Whoever wants it twice does not look, and it is no longer asked about what was looked at.
    for (const way of [{}, { looked: { 31337: await count() } }]) {
      const id = `wanted${Object.keys(way).length}`
      planPayments(journal, id)
      expect(await outcome(id, way)).toMatchObject({ state: 'DONE' })
    }
    expect((await paidOn(chain)) - before).toBe(2n * oneCoin)
  })

  it('is not done twice where its receipt is not there yet', async () => {
    planPayments(journal, 'own')
    await run(journal, home, chain.url, 'own')
    const looked = { 31337: await count() }
    const hash = await payElsewhere()
    const late: Provider['says'] = ({ method, params }) =>
      method === 'eth_getTransactionReceipt' && params[0] === hash ? { result: null } : undefined
    await answering(late, async (url) => {
      planPayments(journal, 'again')
      expect(await outcome('again', { rpc: () => httpRpc(url), looked })).toMatchObject({
        code: 'DONE_ELSEWHERE',
        details: { hash },
      })
    })
    expect(attempts('again')).toEqual([])
  })

  it('is done all the same where it reverted for good, and not before', async () => {
    planPayments(journal, 'own')
    await run(journal, home, chain.url, 'own')
    const looked = { 31337: await count() }
    const hash = await payElsewhere()
    const reverted: Provider['says'] = async ({ method, params }, ask) =>
      method === 'eth_getTransactionReceipt' && params[0] === hash
        ? { result: { ...((await ask(method, params)) as object), status: '0x0' } }
        : undefined
    await answering(reverted, async (url) => {
      const rpc = () => httpRpc(url)
      planPayments(journal, 'again')
      expect(await outcome('again', { rpc, looked, depth: 9 })).toMatchObject({
        code: 'DONE_ELSEWHERE',
        message: expect.stringContaining('reverted, and that is not final yet'),
        details: { hash },
      })
      expect(attempts('again')).toEqual([])
      expect(await outcome('again', { rpc, looked })).toMatchObject({ state: 'DONE' })
    })
  })

  it('is nobody’s business where it is something else, or is in the journal', async () => {
    const looked = { 31337: await count() }
    await sendCheap()
    planPayments(journal, 'first')
    expect(await outcome('first', { looked })).toMatchObject({ state: 'DONE' })
    planPayments(journal, 'second', 2)
    expect(await outcome('second', { looked })).toMatchObject({ state: 'DONE' })
  })

  it('and the node does not show is not signed over, until it is looked at from the beginning; nothing is remembered of it', async () => {
    const looked = { 31337: await count() }
    await sendCheap()
    const blind: Provider['says'] = async ({ method, params }, ask) => {
      if (method === 'eth_getTransactionBySenderAndNonce')
        return { error: { code: -32601, message: 'no such method' } }
      // Nor does it know of older states, by which it could be told that this was a moment ago.
      if (method === 'eth_getTransactionCount' && /^0x/.test(String(params[1])))
        return { error: { code: -32000, message: 'missing trie node' } }
      if (method !== 'eth_getBlockByNumber' || params[1] !== true) return undefined
      return { result: { ...((await ask(method, params)) as object), transactions: [] } }
    }
    await answering(blind, async (url) => {
      planPayments(journal, 'unshown')
      const short = { rpc: () => httpRpc(url), looked, timeoutMs: 800 }
      expect(await outcome('unshown', short)).toMatchObject({
        code: 'RPC_INCONSISTENT',
        message: expect.stringContaining(`does not show what has the nonce ${looked[31337]}`),
        hint: expect.stringContaining('Run the same command again'),
      })
      expect(attempts('unshown')).toEqual([])
      expect(journal.elsewhere(31337, signer.address, new URL(url).host).size).toBe(0)
      expect(
        await outcome('unshown', { rpc: () => httpRpc(url), looked: { 31337: await count() } }),
      ).toMatchObject({
        state: 'DONE',
      })
    })
  })

  it('and the node shows a moment later is waited for, and then goes on where it is something else', async () => {
    const looked = { 31337: await count() }
    const newest = Number(await chain.rpc.request('eth_blockNumber'))
    await sendCheap()
    let hidden = 4
    const late: Provider['says'] = ({ method, params }) => {
      if (method === 'eth_getTransactionBySenderAndNonce')
        return { error: { code: -32601, message: 'no such method' } }
      const isNew = method === 'eth_getBlockByNumber' && params[1] === true && Number(params[0]) > newest
      return isNew && hidden-- > 0 ? { result: null } : undefined
    }
    await answering(late, async (url) => {
      const rpc = () => httpRpc(url)
      planPayments(journal, 'late')
      expect(await outcome('late', { rpc, looked })).toMatchObject({ state: 'DONE' })
      expect(hidden).toBeLessThan(0)
      hidden = 4
      const since = { 31337: await count() }
      const hash = await payElsewhere()
      planPayments(journal, 'twice')
      expect(await outcome('twice', { rpc, looked: since })).toMatchObject({
        code: 'DONE_ELSEWHERE',
        details: { hash },
      })
    })
  })

  it('and only waits is not gone behind where it is the very same, and is where it is not', async () => {
    const looked = { 31337: await count() }
    await chain.rpc.request('evm_setAutomine', [false])
    const hash = await payElsewhere({ noWait: true })
    planPayments(journal, 'same')
    expect(await outcome('same', { looked })).toMatchObject({
      code: 'FOREIGN_PENDING',
      message: expect.stringContaining(hash),
      hint: expect.not.stringContaining('--queue-behind'),
    })
    const behind = { queueBehind: true, noWait: true }
    expect(await outcome('same', { looked, ...behind })).toMatchObject({
      code: 'DONE_ELSEWHERE',
      details: { hash },
    })
    expect(attempts('same')).toEqual([])
    await chain.rpc.request('anvil_dropTransaction', [hash])
    await sendCheap()
    expect(await outcome('same', { looked, ...behind })).toMatchObject({ code: 'PENDING' })
    expect(nonceOf('same')).toBe(looked[31337]! + 1)
  })
})

describe('a nonce that was reserved by a process that is gone', () => {
  const reserved = async (id: string): Promise<number> => {
    const nonce = await count()
    planPayments(journal, id)
    journal.reserve(id, 0, nonce, Number(await chain.rpc.request('eth_blockNumber')))
    return nonce
  }

  it('and with which another transaction waits since is not signed with: that one is not replaced', async () => {
    const nonce = await reserved('reserved')
    await chain.rpc.request('evm_setAutomine', [false])
    const hash = await sendCheap()
    for (const more of [{}, { nonces: { 31337: nonce } }])
      expect(await outcome('reserved', { noWait: true, ...more })).toMatchObject({ code: 'FOREIGN_PENDING' })
    expect(attempts('reserved')).toEqual([])
    await chain.rpc.request('evm_mine')
    expect(await chain.rpc.request('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
    await chain.rpc.request('evm_setAutomine', [true])
    expect(await outcome('reserved')).toMatchObject({ state: 'DONE', steps: [{ nonce: nonce + 1 }] })
  })

  it('and that is pinned is the step itself where the same call waits with it', async () => {
    const nonce = await reserved('pinned')
    const before = await paidOn(chain)
    await chain.rpc.request('evm_setAutomine', [false])
    const hash = await sendCheap(payee, oneCoin)
    expect(await outcome('pinned', { nonces: { 31337: nonce }, noWait: true })).toMatchObject({
      code: 'PENDING',
    })
    expect(attempts('pinned').map((one) => one.hash)).toEqual([hash])
    await chain.rpc.request('evm_mine')
    expect(await outcome('pinned')).toMatchObject({ state: 'DONE' })
    expect((await paidOn(chain)) - before).toBe(oneCoin)
  })

  it('is signed with where nothing waits, by a node that speaks of nothing that waits, too', async () => {
    const quiet: Provider['says'] = ({ method, params }) =>
      method === 'eth_getTransactionBySenderAndNonce' || params[1] === 'pending'
        ? { error: { code: -32601, message: 'no such method' } }
        : undefined
    const nonce = await reserved('quiet')
    await answering(quiet, async (url) => {
      expect(await outcome('quiet', { rpc: () => httpRpc(url) })).toMatchObject({
        state: 'DONE',
        steps: [{ nonce }],
      })
    })
  })
})

describe('going behind what others have waiting', () => {
  it('goes behind many where none of them is the same, and on where they are mined: of those the newest are looked at', async () => {
    const at = await count()
    await chain.rpc.request('evm_setAutomine', [false])
    const hash = await sendCheap(payee, oneCoin)
    for (let sent = 1; sent < 40; sent++) await sendCheap()
    planPayments(journal, 'behind')
    const queued = (looked: number) =>
      outcome('behind', { looked: { 31337: looked }, queueBehind: true, noWait: true })
    expect(await queued(at)).toMatchObject({ code: 'DONE_ELSEWHERE', details: { hash } })
    expect(await queued(at + 1)).toMatchObject({ code: 'PENDING' })
    expect(nonceOf('behind')).toBe(at + 40)
    await chain.rpc.request('evm_setAutomine', [true])
    await chain.rpc.request('evm_mine')
    const since = { looked: { 31337: at + 1 } }
    planPayments(journal, 'after')
    expect(await outcome('after', since)).toMatchObject({ state: 'DONE' })
    const last = await payElsewhere()
    planPayments(journal, 'again')
    expect(await outcome('again', since)).toMatchObject({ code: 'DONE_ELSEWHERE', details: { hash: last } })
  })

  it('goes behind no more of it than may be true', async () => {
    let waiting = 1_000_000
    const liar: Provider['says'] = async ({ method, params }, ask) =>
      method === 'eth_getTransactionCount' && params[1] === 'pending'
        ? { result: hexQuantity(Number(await ask(method, [params[0], 'latest'])) + waiting) }
        : undefined
    await answering(liar, async (url) => {
      planPayments(journal, 'queued')
      const queued = () =>
        outcome('queued', { rpc: () => severalRpc([url, chain.url]), queueBehind: true, noWait: true })
      for (waiting of [1_000_000, 65])
        expect(await queued()).toMatchObject({
          code: 'RPC_INCONSISTENT',
          message: expect.stringContaining(`counts ${waiting} transactions`),
        })
      expect(attempts('queued')).toEqual([])
      waiting = 64
      expect(await queued()).toMatchObject({ code: 'PENDING' })
      expect(nonceOf('queued')).toBe((await count()) + 64)
    })
    await chain.rpc.request('anvil_dropAllTransactions')
  })
})
