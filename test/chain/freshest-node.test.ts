import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readFromFreshest } from '../../src/chain/freshest-node.ts'
import { failoverRpc } from '../../src/chain/rpc/failover.ts'
import { hexQuantity } from '../../src/chain/rpc/quantities.ts'
import { readStepFacts } from '../../src/diagnosis/facts/chain-facts.ts'
import { sandboxNetworks } from '../../src/domain/networks.ts'
import type { Journal } from '../../src/store/journal/journal-interface.ts'
import { type Chain, startChain } from '../support/anvil.ts'
import { attemptsOf } from '../support/attempts-of.ts'
import { laggingNode } from '../support/nodes/lagging-node.ts'
import { provider } from '../support/nodes/proxy-node.ts'
import { oneCoin, payee, planPayments, run, signer } from '../support/payments/payment-operation.ts'
import { paidOn, useHome } from '../support/use-journal-and-chain.ts'

// Two endpoints of one chain with different newest blocks.

let chain: Chain
let still: Awaited<ReturnType<typeof laggingNode>>
let stoppedAt = Number.POSITIVE_INFINITY
let home: string
let journal: Journal
useHome((made) => {
  ;({ home, journal } = made)
})
beforeAll(async () => {
  chain = await startChain()
  still = await laggingNode(chain.url, (newest) => Math.max(0, newest - stoppedAt))
})
afterAll(async () => {
  await still?.close()
  await chain?.stop()
})
afterEach(() => {
  stoppedAt = Number.POSITIVE_INFINITY
})

const paid = () => paidOn(chain)

test.each(['first', 'second'])(
  'an endpoint without new blocks hides nothing, and is named as the reason when not final: %s',
  async (order) => {
    const before = await paid()
    stoppedAt = Number(await chain.rpc.request('eth_blockNumber'))
    const urls = order === 'first' ? [still.url, chain.url] : [chain.url, still.url]
    const both = failoverRpc(urls, { retries: 0 })
    planPayments(journal, 'pay')
    const { host } = new URL(still.url)
    const onProgress = ({ kind }: { kind: string }) => {
      if (kind === 'sent') setTimeout(() => void chain.rpc.request('anvil_mine', ['0x8']), 50)
    }
    await expect(
      run(journal, home, chain.url, 'pay', { rpc: () => both, timeoutMs: 3_000, onProgress }),
    ).rejects.toMatchObject({
      code: 'PENDING',
      message: `The transaction is in block ${stoppedAt + 1} but not final yet: ${host} does not have block ${stoppedAt + 1}, which ${new URL(chain.url).host} has; a block is final only if all endpoints have it`,
      hint: `If this persists, remove ${host} from SLUICE_RPC_SANDBOX_ONE, then: sluice action resume pay`,
      details: { host, blockNumber: stoppedAt + 1, has: 'nothing' },
    })
    expect((await paid()) - before).toBe(oneCoin)
    const front = readFromFreshest(both)
    await front.refresh()
    const [step] = journal.find('pay')!.steps
    const seen = await readStepFacts(front, sandboxNetworks[0]!, step!, attemptsOf(journal, 'pay', 0), 1)
    expect(seen?.found).toMatchObject({ isDeep: false, unlike: { host } })
    // Once the endpoint catches up or is left out, the payment completes.
    if (order === 'first') stoppedAt = Number.POSITIVE_INFINITY
    const rest = order === 'first' ? { rpc: () => both } : {}
    expect(await run(journal, home, chain.url, 'pay', rest)).toMatchObject({ state: 'DONE' })
    expect((await paid()) - before).toBe(oneCoin)
  },
)

test('a transaction is sent to all endpoints, whichever has the newest block', async () => {
  stoppedAt = Number(await chain.rpc.request('eth_blockNumber'))
  await chain.rpc.request('anvil_mine', ['0x5'])
  const front = readFromFreshest(failoverRpc([still.url, chain.url], { retries: 0 }))
  await front.refresh()
  expect(front.host).toBe(new URL(chain.url).host)
  expect(front.peers.map(({ host }) => host)).toContain(new URL(still.url).host)
  still.asked.length = 0
  await expect(front.request('eth_sendRawTransaction', ['0x00'])).rejects.toMatchObject({ code: 'RPC_ERROR' })
  expect(still.asked).toContain('eth_sendRawTransaction')
})

describe('an endpoint ahead of an honest one', () => {
  const endless = { timeoutMs: 700 }

  test.each(['first', 'second'])('does not decide alone whether a transaction failed: %s', async (order) => {
    const before = await paid()
    const liar = await provider(chain.url, async ({ method, params }, ask) => {
      if (method === 'eth_blockNumber') return { result: hexQuantity(Number(await ask(method, params)) + 5) }
      if (method !== 'eth_getTransactionReceipt') return undefined
      const receipt = (await ask(method, params)) as object | null
      return { result: receipt && { ...receipt, status: '0x0' } }
    })
    planPayments(journal, 'reverted')
    const urls = order === 'first' ? [liar.url, chain.url] : [chain.url, liar.url]
    const both = failoverRpc(urls, { retries: 0 })
    const ended = await run(journal, home, chain.url, 'reverted', { rpc: () => both, ...endless }).catch(
      (error: unknown) => error,
    )
    await liar.close()
    expect(ended).toMatchObject({
      code: 'PENDING',
      details: { host: new URL(chain.url).host, has: 'something else' },
    })
    expect(await run(journal, home, chain.url, 'reverted')).toMatchObject({ state: 'DONE' })
    expect((await paid()) - before).toBe(oneCoin)
  })

  test('does not decide alone that a nonce is lost', async () => {
    const other = await startChain()
    try {
      await chain.rpc.request('evm_setAutomine', [false])
      planPayments(journal, 'kept')
      await run(journal, home, chain.url, 'kept', { noWait: true }).catch(() => undefined)
      const { nonce } = journal.find('kept')!.steps[0]!
      await other.rpc.request('anvil_setNonce', [signer.address, hexQuantity(nonce!)])
      await other.rpc.request('eth_sendTransaction', [{ from: signer.address, to: payee, value: '0x1' }])
      await other.rpc.request('anvil_mine', ['0x100'])
      await chain.rpc.request('evm_mine')
      const both = failoverRpc([chain.url, other.url], { retries: 0 })
      await expect(
        run(journal, home, chain.url, 'kept', { rpc: () => both, ...endless }),
      ).rejects.toMatchObject({ code: 'PENDING' })
      expect(journal.find('kept')!.state).toBe('EXECUTING')
      expect(await run(journal, home, chain.url, 'kept')).toMatchObject({ state: 'DONE' })
    } finally {
      await chain.rpc.request('evm_setAutomine', [true])
      await other.stop()
    }
  })

  test('is skipped if it returns errors', async () => {
    const before = await paid()
    const odd = await provider(chain.url, async ({ method, params }, ask) => {
      if (method === 'eth_blockNumber') return { result: hexQuantity(Number(await ask(method, params)) + 9) }
      if (method === 'eth_getTransactionReceipt')
        return { error: { code: -32601, message: 'no such method' } }
      return undefined
    })
    planPayments(journal, 'odd')
    const both = failoverRpc([chain.url, odd.url], { retries: 0 })
    expect(await run(journal, home, chain.url, 'odd', { rpc: () => both })).toMatchObject({ state: 'DONE' })
    await odd.close()
    expect((await paid()) - before).toBe(oneCoin)
  })

  test('does not decide how many confirmations a block has', async () => {
    const far = await provider(chain.url, async ({ method, params }, ask) =>
      method === 'eth_blockNumber'
        ? { result: hexQuantity(Number(await ask(method, params)) + 1_000) }
        : undefined,
    )
    planPayments(journal, 'deep')
    const both = failoverRpc([chain.url, far.url], { retries: 0 })
    const ended = run(journal, home, chain.url, 'deep', { rpc: () => both, depth: 5, ...endless })
    await expect(ended).rejects.toMatchObject({
      code: 'PENDING',
      details: { host: new URL(chain.url).host, has: 'too little after' },
    })
    await far.close()
    await chain.rpc.request('anvil_mine', ['0x5'])
    expect(await run(journal, home, chain.url, 'deep', { depth: 5 })).toMatchObject({ state: 'DONE' })
  })
})
