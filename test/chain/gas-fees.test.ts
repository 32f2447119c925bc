import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { currentFees } from '../../src/chain/gas-fees.ts'
import { readHead } from '../../src/chain/head.ts'
import { failoverRpc, httpRpc } from '../../src/chain/rpc/failover.ts'
import type { Journal } from '../../src/store/journal/journal-interface.ts'
import { replacementFees } from '../../src/transactions/attempts/fee-bump.ts'
import type { Chain } from '../support/anvil.ts'
import { type FaultyRpc, type Rule, startFaultyRpc } from '../support/nodes/faulty-rpc.ts'
import { planPayments, run } from '../support/payments/payment-operation.ts'
import { useChain, useHome } from '../support/use-journal-and-chain.ts'

let chain: Chain
let node: FaultyRpc
let home: string
let journal: Journal
useHome((made) => {
  ;({ home, journal } = made)
})
useChain((made) => {
  chain = made
})
beforeEach(async () => {
  node = await startFaultyRpc(chain.url)
})
afterEach(async () => {
  await node.stop()
})

const gwei = 10n ** 9n
const rule = (method: string, value: number) => ({ method, act: 'high-tip', value, always: true }) as const
const tip = 'eth_maxPriorityFeePerGas'
const history = 'eth_feeHistory'
const fees = async (urls: readonly string[]) => {
  const rpc = urls.length === 1 ? httpRpc(urls[0]!) : failoverRpc(urls)
  return currentFees(rpc, await readHead(rpc, 31337))
}

describe('the tip', () => {
  it("is the node's suggestion if it is near the usual tips", async () => {
    node.rules = [rule(tip, 9)]
    expect((await fees([node.url])).maxPriorityFeePerGas).toBe(9n * gwei)
    node.rules = [rule(tip, 0.001)]
    expect((await fees([node.url])).maxPriorityFeePerGas).toBe(1_000_000n)
  })

  it('is the tip of recent blocks when the node suggests far more', async () => {
    node.rules = [rule(tip, 20_000), rule(history, 3)]
    expect((await fees([node.url])).maxPriorityFeePerGas).toBe(3n * gwei)
    node.rules = [rule(tip, 29), rule(history, 3)]
    expect((await fees([node.url])).maxPriorityFeePerGas).toBe(29n * gwei)
  })

  it.each(['null-result', 'error-known'] as const)(
    'is one gwei when the node suggests far more and has no fee history (%s)',
    async (act) => {
      node.rules = [rule(tip, 20_000), { method: history, act, always: true }]
      expect((await fees([node.url])).maxPriorityFeePerGas).toBe(gwei)
    },
  )

  it.each(['error-unknown', 'null-result', 'no-permission'] as const)(
    'is derived from recent blocks, the gas price or a default when the node suggests none (%s)',
    async (no) => {
      const none = (method: string): Rule =>
        no === 'no-permission' ? { method, act: '403', always: true } : { method, act: no, always: true }
      node.rules = [none(tip), rule(history, 3)]
      expect((await fees([node.url])).maxPriorityFeePerGas).toBe(3n * gwei)
      node.rules = [none(tip), none(history), rule('eth_gasPrice', 40)]
      const { baseFee } = await readHead(httpRpc(chain.url), 31337)
      expect((await fees([node.url])).maxPriorityFeePerGas).toBe(40n * gwei - baseFee)
      node.rules = [none(tip), none(history), none('eth_gasPrice')]
      expect((await fees([node.url])).maxPriorityFeePerGas).toBe(gwei)
    },
  )

  it.each([0, 1, 2, 3])(
    "is the node's suggestion up to 50 gwei when its fee history is unusable (%i)",
    async (value) => {
      const odd: Rule = { method: history, act: 'odd-history', value, always: true }
      node.rules = [odd, rule(tip, 30)]
      expect((await fees([node.url])).maxPriorityFeePerGas).toBe(30n * gwei)
      node.rules = [odd, rule(tip, 51)]
      expect((await fees([node.url])).maxPriorityFeePerGas).toBe(gwei)
    },
  )

  it('is one gwei when recent blocks paid no tips, whatever the node suggests', async () => {
    node.rules = [{ method: history, act: 'odd-history', value: 4, always: true }, rule(tip, 30)]
    expect((await fees([node.url])).maxPriorityFeePerGas).toBe(gwei)
  })

  it('is not lowered by an endpoint that suggests none', async () => {
    const no = [tip, history, 'eth_gasPrice'].map(
      (method): Rule => ({ method, act: 'error-unknown', always: true }),
    )
    const other = await startFaultyRpc(chain.url, [rule(tip, 9)])
    node.rules = no
    try {
      for (const urls of [
        [node.url, other.url],
        [other.url, node.url],
      ])
        expect((await fees(urls)).maxPriorityFeePerGas).toBe(9n * gwei)
    } finally {
      await other.stop()
    }
  })

  it('is the lowest suggestion of all endpoints, in any order', async () => {
    node.rules = [rule(tip, 20_000), rule(history, 20_000)]
    const honest = (await fees([chain.url])).maxPriorityFeePerGas
    expect((await fees([node.url, chain.url])).maxPriorityFeePerGas).toBe(honest)
    expect((await fees([chain.url, node.url])).maxPriorityFeePerGas).toBe(honest)
    expect((await fees([node.url])).maxPriorityFeePerGas).toBe(20_000n * gwei)
  })

  it('does not need an answer of every endpoint', async () => {
    node.rules = [{ method: tip, act: 'error-known', always: true }]
    const honest = (await fees([chain.url])).maxPriorityFeePerGas
    expect((await fees([chain.url, node.url])).maxPriorityFeePerGas).toBe(honest)
  })
})

describe('a receipt', () => {
  it.each(['other-sender', 'other-target'] as const)(
    'of another transaction does not end a step, and the right one does (%s)',
    async (act) => {
      planPayments(journal, act)
      node.rules = [{ method: 'eth_getTransactionReceipt', act, always: true }]
      const early = run(journal, home, node.url, act, { timeoutMs: 3_000 })
      await expect(early).rejects.toMatchObject({ code: 'PENDING' })
      expect(journal.find(act)!.steps[0]).toMatchObject({ state: 'BROADCAST', inclusion: null })
      node.rules = []
      expect((await run(journal, home, node.url, act)).state).toBe('DONE')
    },
  )
})

it('a replacement raises the highest fees of all attempts, whatever their order', () => {
  const attempt = (fee: bigint, tip: bigint) => ({ maxFeePerGas: fee, maxPriorityFeePerGas: tip })
  const market = attempt(1n, 1n)
  const before = [attempt(80n, 8n), attempt(40n, 16n)]
  expect(replacementFees(before, market, undefined)).toEqual(attempt(90n, 18n))
  expect(replacementFees(before, market, 89n)).toBeUndefined()
})
