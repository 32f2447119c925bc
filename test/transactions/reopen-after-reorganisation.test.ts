import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { checkInclusionBlock } from '../../src/chain/finality/inclusion-check.ts'
import { failoverRpc, httpRpc } from '../../src/chain/rpc/failover.ts'
import { hexQuantity } from '../../src/chain/rpc/quantities.ts'
import { sandboxNetworks } from '../../src/domain/networks.ts'
import type { Journal } from '../../src/store/journal/journal-interface.ts'
import { reopenReorganised } from '../../src/transactions/confirmation/reorganisations.ts'
import { reopenAbandoned } from '../../src/transactions/confirmation/reorganised-abandoned-operations.ts'
import { type Chain, startChain } from '../support/anvil.ts'
import { attemptsOf } from '../support/attempts-of.ts'
import { provider } from '../support/nodes/proxy-node.ts'
import { oneCoin, payee, planPayments, run, signer } from '../support/payments/payment-operation.ts'
import { paidOn, useChain, useHome } from '../support/use-journal-and-chain.ts'

let chain: Chain
let other: Chain | undefined
let home: string
let journal: Journal
useHome((made) => {
  ;({ home, journal } = made)
})
const code = (error: unknown) => (error as { code?: string }).code
const paid = () => paidOn(chain)
const mine = (blocks: number, on = chain) => on.rpc.request('anvil_mine', [`0x${blocks.toString(16)}`])
const reopen = (id: string) => reopenReorganised({ journal, rpc: () => httpRpc(chain.url) }, id)

// With epochs of one slot, `safe` and `finalized` follow the head 1 and 2 blocks behind.
useChain(
  (made) => {
    chain = made
  },
  { each: true, args: ['--slots-in-an-epoch', '1'] },
)
afterEach(async () => {
  await other?.stop()
  other = undefined
})

describe('a reorganisation deeper than the required confirmations', () => {
  it.each([1, 3, 64])('of %i blocks reopens the operation, which then pays once', async (depth) => {
    const before = await paid()
    planPayments(journal, 'deep')
    expect((await run(journal, home, chain.url, 'deep')).state).toBe('DONE')
    const { inclusion } = journal.find('deep')!.steps[0]!
    await mine(depth - 1)
    expect(await reopen('deep')).toBe(false)
    await chain.rpc.request('anvil_reorg', [depth, []])
    expect((await paid()) - before).toBe(0n)
    expect(await reopen('deep')).toBe(true)
    expect(journal.find('deep')).toMatchObject({
      state: 'EXECUTING',
      steps: [{ state: 'BROADCAST', inclusion: null }],
    })
    expect((await run(journal, home, chain.url, 'deep')).state).toBe('DONE')
    expect((await paid()) - before).toBe(oneCoin)
    expect(attemptsOf(journal, 'deep', 0)).toHaveLength(1)
    expect(journal.find('deep')!.steps[0]!.inclusion!.blockHash).not.toBe(inclusion!.blockHash)
  })

  it('needs all endpoints that answer to agree, and one is enough when the others are unreachable', async () => {
    planPayments(journal, 'kept')
    await run(journal, home, chain.url, 'kept')
    const { blockNumber } = journal.find('kept')!.steps[0]!.inclusion!
    const saying = (result: unknown) =>
      provider(chain.url, ({ method, params }) =>
        method === 'eth_getBlockByNumber' && Number(params[0]) === blockNumber ? { result } : undefined,
      )
    const another = await saying({
      hash: `0x${'fe'.repeat(32)}`,
      number: hexQuantity(blockNumber),
      timestamp: '0x1',
    })
    const behind = await saying(null)
    const silent = await provider(chain.url, () => ({ status: 503 }))
    const isReopened = (...urls: string[]) =>
      reopenReorganised({ journal, rpc: () => failoverRpc(urls, { retries: 0, budgetMs: 1_000 }) }, 'kept')
    for (const honest of [chain.url, behind.url]) {
      expect(await isReopened(another.url, honest)).toBe(false)
      expect(await isReopened(honest, another.url)).toBe(false)
    }
    expect(journal.find('kept')).toMatchObject({ state: 'DONE' })
    const kept = (...urls: string[]) =>
      checkInclusionBlock(failoverRpc(urls), journal.find('kept')!.steps[0]!.inclusion)
    const host = (url: string) => new URL(url).host
    const unlike = { host: host(another.url), by: host(chain.url), blockNumber, has: 'another' }
    expect(await kept(another.url, behind.url, chain.url)).toEqual({ is: 'disputed', unlike })
    expect(await kept(another.url, behind.url)).toEqual({
      is: 'disputed',
      unlike: { host: host(behind.url), by: host(another.url), blockNumber, has: 'nothing' },
    })
    expect(await isReopened(another.url, silent.url)).toBe(true)
    for (const node of [another, behind, silent]) await node.close()
  })

  it('reopens a cancelled operation and not an abandoned one', async () => {
    await chain.rpc.request('evm_setAutomine', [false])
    for (const id of ['cancelled', 'given-up']) planPayments(journal, id, 2)
    await run(journal, home, chain.url, 'cancelled', { noWait: true }).catch(() => undefined)
    const outcome = run(journal, home, chain.url, 'cancelled', { replacement: 'cancel' }).catch(
      (e: unknown) => e,
    )
    // Attempts are recorded before they are sent: mine only after the node has the cancel.
    const known = async () => {
      const hash = attemptsOf(journal, 'cancelled', 0)[1]?.hash
      return hash !== undefined && (await chain.rpc.request('eth_getTransactionByHash', [hash])) !== null
    }
    while (!(await known())) await sleep(10)
    await mine(1)
    expect(code(await outcome)).toBe('CANCELLED')
    await chain.rpc.request('evm_setAutomine', [true])
    await run(journal, home, chain.url, 'given-up', { noWait: true }).catch(() => undefined)
    journal.settle('given-up', 'CANCELLED', 'given up by the person', 21)
    await chain.rpc.request('anvil_reorg', [2, []])
    expect(await reopen('cancelled')).toBe(true)
    expect(await reopen('given-up')).toBe(false)
  })

  it('lets an abandoned operation be resumed, and a reverted one only be cancelled', async () => {
    planPayments(journal, 'up', 2)
    const stopping = {
      fault: (point: string) =>
        void (point === 'after_final' && journal.settle('up', 'CANCELLED', 'given up by the person', 21)),
    }
    expect(await run(journal, home, chain.url, 'up', stopping).catch(code)).toBe('PARTIAL')
    expect(journal.find('up')).toMatchObject({ steps: [{ state: 'FINAL_OK' }, { nonce: null }] })
    const again = (id: string, how?: 'cancel') =>
      reopenAbandoned({ journal, rpc: () => httpRpc(chain.url) }, id, how).catch((error: unknown) => error)
    expect(await again('up')).toBe(false)
    await chain.rpc.request('anvil_reorg', [1, []])
    await chain.rpc.request('eth_sendTransaction', [{ from: signer.address, to: signer.address }])
    await mine(3)
    expect(await again('up')).toBe(true)
    expect(await run(journal, home, chain.url, 'up').catch((error: unknown) => error)).toMatchObject({
      code: 'PARTIAL',
      message: expect.stringMatching(/Step 1 of 2, which .+, lost its nonce to another transaction$/),
    })
    expect(journal.find('up')).toMatchObject({
      state: 'CANCELLED',
      exit: 21,
      steps: [{ state: 'SUPERSEDED' }, { state: 'PLANNED' }],
    })
    planPayments(journal, 'vain')
    await run(journal, home, chain.url, 'vain', { noWait: true }).catch(() => undefined)
    const [{ hash }] = [attemptsOf(journal, 'vain', 0)[0]!]
    const was = { hash, blockNumber: 1, blockHash: hash, gasUsed: 1n, gasPrice: 1n }
    for (const state of ['INCLUDED', 'FINAL_REVERTED'] as const)
      journal.moveStep('vain', 0, state, 'seen', was)
    journal.settle('vain', 'CANCELLED', 'given up by the person', 21)
    expect(await again('vain')).toMatchObject({ code: 'PARTIAL', hint: 'sluice action cancel vain --yes' })
    expect(await again('vain', 'cancel')).toBe(true)
  })

  it('leaves an operation with a lost nonce in ATTENTION, and signs nothing more', async () => {
    planPayments(journal, 'lost', 3)
    const before = await paid()
    await chain.rpc.request('anvil_mine', ['0x2'])
    await run(journal, home, chain.url, 'lost', {
      fault: (point) => {
        if (point === 'after_journal' && attemptsOf(journal, 'lost', 1).length > 0)
          throw new Error('stopped here')
      },
    }).catch(() => undefined)
    await chain.rpc.request('eth_sendTransaction', [{ from: signer.address, to: signer.address }])
    await mine(3)
    const outcome = () => run(journal, home, chain.url, 'lost').catch(code)
    expect(await outcome()).toBe('SUPERSEDED')
    const [{ raw }, stranger] = [
      attemptsOf(journal, 'lost', 0)[0]!,
      await chain.rpc.request<{ transactions: string[] }>('eth_getBlockByNumber', ['0x4', false]),
    ]
    expect(stranger.transactions).toHaveLength(1)
    await chain.rpc.request('anvil_reorg', [5, [[raw, 1]]])
    expect(await outcome()).toBe('SUPERSEDED')
    expect(journal.find('lost')).toMatchObject({
      state: 'ATTENTION',
      exit: 23,
      steps: [{ state: 'FINAL_OK' }, { state: 'SUPERSEDED' }, { state: 'PLANNED' }],
    })
    expect((await paid()) - before).toBe(oneCoin)
  })

  it('is not assumed when the node is unreachable or has not reached that block', async () => {
    planPayments(journal, 'unsure')
    await run(journal, home, chain.url, 'unsure')
    const young = await startChain()
    expect(await reopenReorganised({ journal, rpc: () => httpRpc(young.url) }, 'unsure')).toBe(false)
    await young.stop()
    const dead = httpRpc(young.url, { retries: 0 })
    expect(await reopenReorganised({ journal, rpc: () => dead }, 'unsure')).toBe(false)
    expect(journal.find('unsure')!.state).toBe('DONE')
  })
})

describe('the required depth', () => {
  it('`finalized` waits for the finalized block, and the journal records it', async () => {
    await mine(5)
    planPayments(journal, 'final')
    const outcome = run(journal, home, chain.url, 'final', { depth: 'finalized' })
    while (journal.find('final')!.steps[0]!.state !== 'INCLUDED') await sleep(10)
    await sleep(150)
    expect(journal.find('final')!.steps[0]!.state).toBe('INCLUDED')
    await mine(3)
    expect((await outcome).state).toBe('DONE')
    expect(journal.events('final').find(({ becomes }) => becomes === 'FINAL_OK')!.why).toMatch(/finalized$/)
  })

  it('a number of blocks is mined on request where the chain mines none by itself', async () => {
    const asked: number[] = []
    planPayments(journal, 'four')
    const done = await run(journal, home, chain.url, 'four', {
      depth: 4,
      mineBlocks: async (_, blocks) => {
        asked.push(blocks)
        await mine(blocks)
      },
    })
    expect(done.state).toBe('DONE')
    expect(asked).toEqual([3])
  })
})

describe('two endpoints of one network', () => {
  const both = () => failoverRpc([chain.url, other!.url], { deadlineMs: 2_000, retries: 0 })
  const tried = async () => {
    planPayments(journal, 'both')
    const rpc = both()
    return run(journal, home, chain.url, 'both', { rpc: () => rpc }).catch((e: unknown) => e)
  }

  it('are refused before signing when they have different blocks', async () => {
    other = await startChain()
    await other.rpc.request('anvil_setCoinbase', [payee])
    await mine(1, other)
    await mine(2)
    expect(code(await tried())).toBe('RPC_INCONSISTENT')
    expect(attemptsOf(journal, 'both', 0)).toEqual([])
  })

  it('are refused before signing when one is on another chain', async () => {
    other = await startChain(['--chain-id', '1'])
    expect(code(await tried())).toBe('CHAIN_ID_MISMATCH')
    expect(attemptsOf(journal, 'both', 0)).toEqual([])
  })

  it('are sufficient when one is unreachable', async () => {
    other = await startChain()
    await other.stop()
    expect(await tried()).toMatchObject({ state: 'DONE' })
  })
})

it('a node whose newest block is too old is refused before signing', async () => {
  planPayments(journal, 'stale')
  await mine(1)
  const [network] = sandboxNetworks
  const networks = [{ ...network!, headMaxAgeMs: 50 }]
  await sleep(1_200)
  expect(code(await run(journal, home, chain.url, 'stale', { networks }).catch((e: unknown) => e))).toBe(
    'RPC_INCONSISTENT',
  )
  expect(attemptsOf(journal, 'stale', 0)).toEqual([])
})

it('an operation whose only step lost its nonce ends in ATTENTION, not in DONE', async () => {
  await chain.rpc.request('evm_setAutomine', [false])
  planPayments(journal, 'lost')
  const [step] = journal.find('lost')!.steps
  await run(journal, home, chain.url, 'lost', { noWait: true }).catch(() => undefined)
  await chain.rpc.request('anvil_dropAllTransactions')
  await chain.rpc.request('evm_setAutomine', [true])
  await chain.rpc.request('eth_sendTransaction', [{ from: step!.wallet, to: payee, value: '0x1' }])
  const again = () => run(journal, home, chain.url, 'lost').catch((e: unknown) => e)
  expect(code(await again())).toBe('SUPERSEDED')
  journal.settle('lost', 'EXECUTING', 'as if something of it had been opened again')
  expect(code(await again())).toBe('SUPERSEDED')
  expect(journal.find('lost')!.state).toBe('ATTENTION')
})

it('a step is final only after a second check, and is followed further if its block is gone by then', async () => {
  const before = await paid()
  planPayments(journal, 'twice')
  await mine(3)
  const node = httpRpc(chain.url)
  let looks = 0
  const request = async (method: string, params: readonly unknown[] = []) => {
    const answer = await node.request(method, params)
    // Removes the block between the first receipt and the second, however soon it was mined.
    if (method !== 'eth_getTransactionReceipt' || !answer || ++looks !== 2) return answer
    await chain.rpc.request('anvil_reorg', [1, []])
    return node.request(method, params)
  }
  const kinds: string[] = []
  const done = await run(journal, home, chain.url, 'twice', {
    rpc: () => ({ ...node, request: request as typeof node.request }),
    onProgress: ({ kind }) => void kinds.push(kind),
  })
  expect(done.state).toBe('DONE')
  expect(kinds).toContain('gone')
  expect((await paid()) - before).toBe(oneCoin)
})
