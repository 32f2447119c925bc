import { expect, test } from 'vitest'
import { failoverRpc } from '../../../src/chain/rpc/failover.ts'
import { askAll } from '../../../src/swaps/offers/best-offer.ts'
import { nodeWithPlan } from '../../support/nodes/node-with-plan.ts'

test("a quote has its time beside what our node's plan makes us wait, and no more", async () => {
  const node = await nodeWithPlan(2, { how: 'status', words: 'Too many requests' })
  const plan = { callsPerSecond: 1, refusedAt: Date.now() }
  const rpc = failoverRpc([node.url], { plans: { find: () => plan, keep: () => undefined } })
  const providers = {
    paced: async () => [
      await rpc.request('eth_getBalance', ['0x1']),
      await rpc.request('eth_getBalance', ['0x2']),
      await rpc.request('eth_getBalance', ['0x3']),
    ],
    late: () => new Promise(() => undefined),
  }
  try {
    const { answers, faults, late } = await askAll(
      Object.keys(providers),
      900,
      (name) => providers[name as keyof typeof providers]() as Promise<unknown>,
    )
    expect(answers).toEqual([{ provider: 'paced', offer: ['0x1', '0x2', '0x3'] }])
    expect(late).toEqual(['late'])
    expect(faults).toMatchObject([{ name: 'TimeoutError' }])
  } finally {
    await node.close()
  }
})
