import { expect, it } from 'vitest'
import { failoverRpc } from '../../../src/chain/rpc/failover.ts'
import type { CallPlan } from '../../../src/chain/rpc/pacing.ts'
import { nodeWithPlan, type PlanRefusal } from '../../support/nodes/node-with-plan.ts'
import { fakeNode } from '../../support/nodes/scripted-node.ts'

const asked = (count: number) =>
  Array.from({ length: count }, (_, at) => ['eth_getBalance', [`0x${at}`]] as const)
const numbers = (count: number) => Array.from({ length: count }, (_, at) => `0x${at}`)

/** Plans in memory, as two processes share them. */
const plansOf = () => {
  const kept = new Map<string, CallPlan>()
  return {
    find: (url: string) => kept.get(url),
    keep: (url: string, plan: CallPlan) => void kept.set(url, plan),
  }
}

const ways: readonly PlanRefusal[] = ['status', 'one error', 'each']
const sentences = [
  ['names its plan', '15/second request limit reached - reduce calls per second or upgrade your plan'],
  ['does not name its plan', 'Too many requests'],
] as const

it.concurrent.each(ways.flatMap((how) => sentences.map(([kind, words]) => ({ how, kind, words }))))(
  'a node of 15 calls a second that $kind and refuses more by $how answers 40 calls, and refuses none of a later process',
  async ({ how, words }) => {
    const node = await nodeWithPlan(15, { how, words })
    try {
      const plans = plansOf()
      const told: unknown[] = []
      const open = () =>
        failoverRpc([node.url], { chainId: 1, plans, onPlan: (plan) => void told.push(plan) })
      expect(await open().batch(asked(40))).toEqual(numbers(40))
      const { callsPerSecond } = plans.find(node.url)!
      expect(callsPerSecond).toBeGreaterThan(0)
      expect(callsPerSecond).toBeLessThanOrEqual(15)
      expect(told.at(-1)).toMatchObject({ callsPerSecond, isRecalled: false })
      // The next process begins in a second of its own.
      await new Promise((resolve) => setTimeout(resolve, 1_100))
      const refused = node.refused()
      expect(await open().batch(asked(20))).toEqual(numbers(20))
      expect(node.refused()).toBe(refused)
      expect(told.at(-1)).toMatchObject({ callsPerSecond, isRecalled: true })
    } finally {
      await node.close()
    }
  },
)

/** Remembers a plan of so many calls a second for a node. */
const planOf = (url: string, callsPerSecond: number) => {
  const plans = plansOf()
  plans.keep(url, { callsPerSecond, refusedAt: Date.now() })
  return plans
}
const logs = ['eth_getLogs', ['0x7']] as const

it.concurrent('logs beside as many other reads as the plan allows are not refused', async () => {
  const node = await nodeWithPlan(5, { how: 'status', words: '5/second request limit reached' })
  try {
    const plans = planOf(node.url, 5)
    const rpc = failoverRpc([node.url], { plans })
    const all = await Promise.all([rpc.request(...logs), ...asked(5).map((one) => rpc.request(...one))])
    expect(all).toEqual(['0x7', ...numbers(5)])
    expect(node.refused()).toBe(0)
    expect(plans.find(node.url)?.callsPerSecond).toBe(5)
  } finally {
    await node.close()
  }
})

it.concurrent('logs that need more calls at once than the plan allows fail without a smaller plan', async () => {
  const node = await nodeWithPlan(3, { how: 'status', words: 'Too many requests' })
  try {
    const plans = planOf(node.url, 3)
    const rpc = failoverRpc([node.url], { plans, budgetMs: 3_000 })
    await expect(rpc.batch([...asked(4), logs])).rejects.toMatchObject({ code: 'RPC_UNREACHABLE' })
    expect(plans.find(node.url)?.callsPerSecond).toBe(3)
  } finally {
    await node.close()
  }
})

it('a single refusal without a rate is no plan: the calls pass a second later, and nothing is kept', async () => {
  const node = await fakeNode()
  try {
    let left = 1
    node.answer = (sent, response) => {
      if (left-- > 0) return void response.writeHead(429).end('Too many requests')
      const one = (call: { id: number; params: unknown[] }) => ({
        jsonrpc: '2.0',
        id: call.id,
        result: call.params[0],
      })
      response.end(JSON.stringify([sent].flat().map((call) => one(call as never))))
    }
    const plans = plansOf()
    const told: unknown[] = []
    const rpc = failoverRpc([node.url], { plans, onPlan: (plan) => void told.push(plan) })
    expect(await rpc.batch(asked(7))).toEqual(numbers(7))
    expect(await rpc.batch(asked(40))).toEqual(numbers(40))
    expect([plans.find(node.url), told]).toEqual([undefined, []])
    // The refused exchange, the same again, and the next: no part was made smaller.
    expect(node.seen.length).toBe(3)
  } finally {
    await node.stop()
  }
})

it('a node that names a wait gets no call before its end, also from another read', async () => {
  const node = await fakeNode()
  try {
    let refusedAt = Number.NEGATIVE_INFINITY
    const early: number[] = []
    node.answer = (sent, response) => {
      const now = performance.now()
      if (refusedAt === Number.NEGATIVE_INFINITY) {
        refusedAt = now
        response.writeHead(429, { 'retry-after': '2' }).end('{}')
        return
      }
      if (now - refusedAt < 1_990) early.push(now - refusedAt)
      response.end(JSON.stringify({ jsonrpc: '2.0', id: sent.id, result: sent.params[0] }))
    }
    const rpc = failoverRpc([node.url])
    const first = rpc.request('eth_getBalance', ['0x1'])
    while (refusedAt === Number.NEGATIVE_INFINITY) await new Promise((resolve) => setTimeout(resolve, 5))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await Promise.all([first, rpc.request('eth_getBalance', ['0x2'])])).toEqual(['0x1', '0x2'])
    expect(early).toEqual([])
  } finally {
    await node.stop()
  }
})
