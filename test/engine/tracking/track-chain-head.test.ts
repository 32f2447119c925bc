import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { numberToHex } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { httpRpc } from '../../../src/chain/rpc/failover.ts'
import type { Hex } from '../../../src/domain/address.ts'
import { refreshAction } from '../../../src/engine/actions/refresh-action.ts'
import { createEngineContext } from '../../../src/engine/engine.ts'
import { createChainTrackers } from '../../../src/engine/tracking/chain-trackers.ts'
import { aroundReads, engineOn, perform } from '../../support/engine.ts'
import { type Listener, listener } from '../../support/services/listener.ts'
import { reverting, sendTogether, storeWithActions, target, walletAt } from '../../support/tracked-actions.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const chainId = 31337
const depth = 3
/** The node, and the number of HTTP exchanges that it was asked for. */
let node: Listener & { exchanges: number }
beforeAll(async () => {
  const served = await listener(async (request, response) => {
    node.exchanges++
    const body = Buffer.concat(await request.toArray())
    const answer = await fetch(sandbox.chain(chainId).rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    response.setHeader('content-type', 'application/json')
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  node = { ...served, exchanges: 0 }
})
afterAll(() => node.close())

const direct = () => sandbox.chain(chainId).rpc
const catalog = () => {
  const whole = sandbox.world.catalog()
  return { ...whole, networks: whole.networks.map((network) => ({ ...network, depth })) }
}
const mine = (blocks: number) => direct().request('anvil_mine', [numberToHex(blocks)])
const height = async () => Number(await direct().request<Hex>('eth_blockNumber'))

const trackersOn = (
  { store }: Awaited<ReturnType<typeof storeWithActions>>,
  { holder = 'one', now = Date.now }: { holder?: string; now?: () => number } = {},
) =>
  createChainTrackers({
    ...{ catalog: catalog(), store, holder, now, newId: randomUUID },
    rpc: (id) => (id === chainId ? httpRpc(node.url, { retries: 0 }) : sandbox.chain(id).rpc),
  })

/** Passes until nothing is left, and the requests of each. */
async function untilRead(trackers: ReturnType<typeof trackersOn>): Promise<number[]> {
  const requests: number[] = []
  for (;;) {
    node.exchanges = 0
    const pass = await trackers.pass(chainId)
    requests.push(node.exchanges)
    if (!pass?.isMore) return requests
  }
}

type Rows = {
  id: string
  status: string
  hash: string | null
  block: number | null
  succeeded: number | null
}
const rowsOf = async ({ sql }: Awaited<ReturnType<typeof storeWithActions>>): Promise<Map<string, Rows>> =>
  new Map(
    (
      await sql.query<Rows>(
        `select a.id, a.status, a.finished_at is null as open, t.hash, t.nonce, t.block_number as block, t.block_hash, t.succeeded, t.gas_used
         from actions a join action_txs t on t.action_id = a.id`,
      )
    ).map((row) => [row.id, row]),
  )

/** What `refreshAction` finds for some actions alone, on a store with the same rows. */
async function alone(stored: Awaited<ReturnType<typeof storeWithActions>>, ids: readonly number[]) {
  for (const at of ids) {
    const context = createEngineContext({
      ...{ catalog: catalog(), store: stored.store, customer: `customer-${at % 3}` },
      ...{ rpc: (id: number) => sandbox.chain(id).rpc, now: Date.now, newId: randomUUID },
    })
    await refreshAction(context, `action-${at}`)
  }
  const rows = await rowsOf(stored)
  return new Map(ids.map((at) => [`action-${at}`, rows.get(`action-${at}`)]))
}
const span = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)

describe('a chain with 10,000 open actions', () => {
  test('costs at most 20 requests a block, and each action is as it is found alone', async () => {
    const count = 10_000
    await direct().request('anvil_setCode', [reverting, '0x60006000fd'])
    await direct().request('anvil_setCode', [target, '0x00'])
    const to = (at: number) => (at >= 40 && at < 60 ? reverting : target)
    const before = await height()
    const [stored, same] = await Promise.all([
      storeWithActions(count, before, to),
      storeWithActions(count, before, to),
    ])
    const trackers = trackersOn(stored)
    const first = await untilRead(trackers)
    expect(Math.max(...first)).toBeLessThanOrEqual(20)
    expect(first.length).toBeLessThan(60)

    // Nobody sent anything: the block alone is read.
    await mine(1)
    expect(await untilRead(trackers)).toEqual([1])

    // 40 are sent, 20 revert, 20 nonces are used by another call, and 20 send another call and then theirs.
    const seen = span(0, 100)
    await sendTogether(direct(), [
      ...span(0, 40).map((at) => ({ at })),
      ...span(40, 60).map((at) => ({ at, to: reverting })),
      ...span(60, 100).map((at) => ({ at, data: '0xdead' as Hex })),
      ...span(80, 100).map((at) => ({ at })),
    ])
    const [sent] = [await untilRead(trackers)]
    expect(Math.max(...sent)).toBeLessThanOrEqual(20)
    expect(sent.length).toBe(1)
    const found = await rowsOf(stored)
    const wanted = await alone(same, [...seen, ...span(5_000, 5_020)])
    for (const [id, row] of wanted) expect(found.get(id), id).toEqual(row)
    const words = [...found.values()].map(({ status }) => status)
    expect(words.filter((word) => word === 'confirmed').length).toBe(60)
    expect(words.filter((word) => word === 'failed').length).toBe(20)
    expect(words.filter((word) => word === 'pending').length).toBe(count - 80)

    // They become final in the block that makes them so, and cost nothing before.
    await mine(1)
    expect(await untilRead(trackers)).toEqual([1])
    await mine(1)
    const final = await untilRead(trackers)
    expect(Math.max(...final)).toBeLessThanOrEqual(20)
    const ended = await rowsOf(stored)
    const endedAlone = await alone(same, seen)
    for (const [id, row] of endedAlone) expect(ended.get(id), id).toEqual(row)
    expect([...ended.values()].filter(({ status }) => status === 'fulfilled').length).toBe(60)
    await mine(1)
    expect(await untilRead(trackers)).toEqual([1])
  }, 120_000)
})

describe('the trackers of one database', () => {
  const pair = async (count: number) => {
    const stored = await storeWithActions(count, await height())
    let time = Date.now()
    const now = () => time
    return {
      stored,
      one: trackersOn(stored, { now }),
      two: trackersOn(stored, { now, holder: 'two' }),
      later: (ms: number) => {
        time += ms
      },
    }
  }

  test('follow a chain one at a time; the next one takes it over when the lease of a dead one ends, and reads what was marked', async () => {
    const { stored, one, two, later } = await pair(3)
    expect(await one.pass(chainId)).toMatchObject({ read: 3 })
    expect(await two.pass(chainId)).toBeUndefined()
    await sendTogether(direct(), [{ at: 1 }])
    // The first process marks what changed and ends before it reads it.
    const was = await stored.store.leaseChain(chainId, { holder: 'one', now: Date.now(), ms: 15_000 })
    const [block, blockHash] = [await height(), null]
    await stored.store.advanceChain(
      chainId,
      { holder: 'one', was: was!, to: { block, blockHash, lookedAt: 0 }, now: Date.now() },
      { senders: [walletAt(1)], reread: undefined, isAll: false, delivered: [] },
    )
    later(20_000)
    expect(await two.pass(chainId)).toMatchObject({ read: 1 })
    expect((await rowsOf(stored)).get('action-1')).toMatchObject({ status: 'confirmed', block })
    // The position that the first one read is outdated, so it changes nothing.
    const late = { holder: 'one', was: was!, to: { block: 1, blockHash: '0x01', lookedAt: 0 }, now: 0 }
    const all = { senders: [], reread: undefined, isAll: true, delivered: [] }
    expect(await stored.store.advanceChain(chainId, late, all)).toBe(false)
    expect(await stored.store.markedActions(chainId, Number.MAX_SAFE_INTEGER, 10)).toEqual([])
  })

  test('read an action that is marked again while it is read once more', async () => {
    const { stored, one } = await pair(1)
    await one.pass(chainId)
    const mark = async () => {
      const was = await stored.store.leaseChain(chainId, { holder: 'one', now: Date.now(), ms: 15_000 })
      const change = { senders: [walletAt(0)], reread: undefined, isAll: false, delivered: [] }
      await stored.store.advanceChain(chainId, { holder: 'one', was: was!, to: was!, now: 1 }, change)
    }
    await mark()
    const [read] = await stored.store.markedActions(chainId, 10, 10)
    await mark()
    await stored.store.unmark(chainId, [read!])
    expect(await stored.store.markedActions(chainId, 10, 10)).toMatchObject([
      { actionId: 'action-0', marks: 2 },
    ])
  })

  test.each([
    ['at the same height', 1],
    ['on a shorter chain', 0],
    ['on a longer chain', 2],
  ])('find that a transaction left the chain in a reorganisation, %s', async (_, blocks) => {
    const { stored, one } = await pair(4)
    await one.pass(chainId)
    await mine(1)
    await one.pass(chainId)
    const fork = await direct().request<Hex>('evm_snapshot')
    await sendTogether(direct(), [{ at: 0 }, { at: 1 }])
    await one.pass(chainId)
    expect((await rowsOf(stored)).get('action-0')).toMatchObject({ status: 'confirmed' })
    await direct().request('evm_revert', [fork])
    // Another block, with the second transaction only.
    if (blocks > 0) await sendTogether(direct(), [{ at: 1 }])
    if (blocks > 1) await mine(blocks - 1)
    await one.pass(chainId)
    const rows = await rowsOf(stored)
    expect(rows.get('action-0')).toMatchObject({ status: 'pending', block: null })
    if (blocks > 0)
      expect(rows.get('action-1')).toMatchObject({
        status: 'confirmed',
        block: (await height()) - blocks + 1,
      })
  })

  test('read a delivery on the other chain from one log query, with no question about the action before', async () => {
    const swaps = { providers: ['across'], quoteDeadlineMs: 20_000 }
    const { service, context } = engineOn(sandbox, { swaps })
    const fault = { kind: 'bridge-unfilled', network: null, method: null, times: null, amount: null } as const
    await sandbox.world.faults.set({ ...fault, at: null, reason: null })
    const usdt = (id: number) => sandbox.token(id, 'USDT').address
    const { quote } = await service.quote({
      ...{ chainIdIn: 31337, chainIdOut: 31338, tokenIn: usdt(31337), tokenOut: usdt(31338) },
      ...{ amountIn: 5_000000n },
    })
    const walletAddress = sandbox.user.address
    const { approvals, transactions } = await service.swapBytecode({
      quote: quote.raw as never,
      walletAddress,
    })
    const time = Date.now() + 1_000
    const asked: string[] = []
    const trackers = createChainTrackers({
      ...{ catalog: sandbox.world.catalog(), store: context.store, holder: 'one', newId: randomUUID, swaps },
      now: () => time,
      rpc: (id) => aroundReads(sandbox.chain(id).rpc, (method) => asked.push(`${id} ${method}`)),
    })
    await trackers.pass(31337)
    await perform(sandbox, walletAddress, [...approvals, ...transactions])
    const status = async () => (await context.store.issuedOperations('tests', quote.id))[0]!.action.status
    await trackers.pass(31337)
    await trackers.pass(31338)
    expect(await status()).toBe('processing')
    expect((await context.store.deliveryWatches(31338)).length).toBe(1)
    // The clock stands still, so only the log can show the delivery.
    await sandbox.chain(31338).rpc.request('anvil_mine', ['0x2'])
    asked.length = 0
    expect(await trackers.pass(31338)).toMatchObject({ read: 0 })
    expect(asked.filter((one) => one.endsWith('eth_getLogs'))).toEqual(['31338 eth_getLogs'])
    expect(asked.filter((one) => one.startsWith('31337'))).toEqual([])
    await sandbox.world.faults.clear()
    while ((await status()) !== 'fulfilled') {
      await sleep(20)
      await trackers.pass(31338)
    }
    for (const id of [31337, 31338]) await trackers.pass(id)
    expect(await context.store.deliveryWatches(31338)).toEqual([])
    expect(await context.store.chainsToTrack(time)).toEqual([])
  })
})
