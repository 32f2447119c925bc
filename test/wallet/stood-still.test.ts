import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

import { sandboxNetworks } from '../../src/domain/network.ts'
import { quantity } from '../../src/net/quantity.ts'
import { severalRpc } from '../../src/net/rpc.ts'
import type { Journal } from '../../src/store/journal-words.ts'
import { foremost } from '../../src/wallet/chain/foremost.ts'
import { lookAtStep } from '../../src/wallet/explain/look.ts'
import { laggingNode } from '../support/lagging.ts'
import { type Chain, startChain } from './chain.ts'
import { journalIn, newHome, oneCoin, payee, planPayments, removeHome, run } from './operation.ts'

// Two endpoints, of which one takes what it is sent and has no new blocks any more.

let chain: Chain
let still: Awaited<ReturnType<typeof laggingNode>>
let stoppedAt = Number.POSITIVE_INFINITY
let home: string
let journal: Journal
beforeAll(async () => {
  chain = await startChain()
  still = await laggingNode(chain.url, (newest) => Math.max(0, newest - stoppedAt))
})
afterAll(async () => {
  await still?.close()
  await chain?.stop()
})
beforeEach(() => {
  home = newHome()
  journal = journalIn(home)
})
afterEach(() => {
  stoppedAt = Number.POSITIVE_INFINITY
  journal.close()
  removeHome(home)
})

const paid = async () => quantity(await chain.rpc.request('eth_getBalance', [payee, 'latest']), 'balance')

test.each(['first', 'second'])(
  'that one keeps nothing from being seen, and is named for what is not final: %s',
  async (order) => {
    const before = await paid()
    stoppedAt = Number(await chain.rpc.request('eth_blockNumber'))
    const urls = order === 'first' ? [still.url, chain.url] : [chain.url, still.url]
    const both = severalRpc(urls, { retries: 0 })
    planPayments(journal, 'pay')
    const { host } = new URL(still.url)
    await expect(
      run(journal, home, chain.url, 'pay', { rpc: () => both, timeoutMs: 1_000 }),
    ).rejects.toMatchObject({
      code: 'PENDING',
      message: `It is in block ${stoppedAt + 1}, and not final yet: ${host} does not have block ${stoppedAt + 1}, and final is what all endpoints have`,
      hint: 'If it stays so, leave that endpoint out of SLUICE_RPC_SANDBOX_ONE, then: sluice action resume pay',
      details: { host, blockNumber: stoppedAt + 1, has: 'nothing' },
    })
    expect((await paid()) - before).toBe(oneCoin)
    const front = foremost(both)
    await front.look()
    const [step] = journal.find('pay')!.steps
    const seen = await lookAtStep(front, sandboxNetworks[0]!, step!, journal.attempts('pay', 0), 1)
    expect(seen?.found).toMatchObject({ isDeep: false, unlike: { host } })
    // As soon as it has its blocks again, or is left out, all is as always.
    if (order === 'first') stoppedAt = Number.POSITIVE_INFINITY
    const rest = order === 'first' ? { rpc: () => both } : {}
    expect(await run(journal, home, chain.url, 'pay', rest)).toMatchObject({ state: 'DONE' })
    expect((await paid()) - before).toBe(oneCoin)
  },
)

test('what is sent goes to all endpoints, whichever is farthest', async () => {
  stoppedAt = Number(await chain.rpc.request('eth_blockNumber'))
  await chain.rpc.request('anvil_mine', ['0x3'])
  const front = foremost(severalRpc([still.url, chain.url], { retries: 0 }))
  await front.look()
  expect(front.host).toBe(new URL(chain.url).host)
  expect(front.peers.map(({ host }) => host)).toContain(new URL(still.url).host)
  still.asked.length = 0
  await expect(front.request('eth_sendRawTransaction', ['0x00'])).rejects.toMatchObject({ code: 'RPC_ERROR' })
  expect(still.asked).toContain('eth_sendRawTransaction')
})
