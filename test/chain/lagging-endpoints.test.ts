import { afterEach, describe, expect, test } from 'vitest'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import { approve } from '../../src/chain/erc20.ts'
import { refuseInconsistentHeads } from '../../src/chain/finality/refuse-inconsistent-heads.ts'
import { readHead } from '../../src/chain/head.ts'
import { failoverRpc, httpRpc } from '../../src/chain/rpc/failover.ts'
import { strictTerms } from '../../src/guard/user-limits-and-exemptions.ts'
import { simulatePlannedLeg } from '../../src/planning/leg-simulation.ts'
import { supply } from '../../src/protocols/aave-v3/encode.ts'
import type { Intent } from '../../src/protocols/intent.ts'
import { targetOf } from '../support/market-constants.ts'
import { laggingNode } from '../support/nodes/lagging-node.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const chainId = 31337
const hundred = 100_000_000n
const wallet = () => sandbox.user.address
const url = () => sandbox.world.faults.urlOf(chainId)
const mine = (count: number, seconds = 1) =>
  sandbox.chain(chainId).rpc.request('anvil_mine', [`0x${count.toString(16)}`, `0x${seconds.toString(16)}`])

const open: { close: () => Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})
async function lagging(...how: [missing: (newest: number) => number, other?: 'newest']) {
  const node = await laggingNode(url(), ...how)
  open.push(node)
  return node
}

const deposit = (rpc: ChainClient, amount = hundred) => {
  const strategy = sandbox.strategy('aave-v3-USDC-sandbox-one')
  const [pool, asset] = [targetOf(strategy), strategy.asset.address]
  const intent: Intent = { kind: 'deposit', wallet: wallet(), strategy, amount }
  const transactions = [
    approve({ chainId, token: asset, spender: pool, amount }),
    supply({ chainId, pool, asset, amount, onBehalfOf: wallet() }),
  ]
  return simulatePlannedLeg(
    { rpc: () => rpc, catalog: sandbox.world.catalog() },
    { chainId, intent, transactions },
    strictTerms,
  )
}

describe('two honest endpoints, one of them a block behind', () => {
  test('agree on the newest common block, and the plan names the one behind', async () => {
    const late = await lagging(() => 1)
    await mine(2)
    const newest = await sandbox.chain(chainId).rpc.request<string>('eth_blockNumber')
    await expect(deposit(failoverRpc([url(), late.url]))).resolves.toMatchObject({
      how: 'eth_simulateV1',
      blockNumber: BigInt(newest) - 1n,
      behind: { host: new URL(late.url).host, blocks: 1 },
    })
    expect(late.asked).toContain('eth_simulateV1')
  })

  test('agree in the other order, too', async () => {
    const late = await lagging(() => 1)
    await mine(2)
    await expect(deposit(failoverRpc([late.url, url()]))).resolves.toMatchObject({
      how: 'eth_simulateV1',
      behind: null,
    })
  })

  test('do not fail a deposit that only the newest block funds: the other one is awaited', async () => {
    let missing = 1
    const late = await lagging(() => missing)
    await mine(2)
    const held = await sandbox.balanceOf(chainId, sandbox.token(chainId, 'USDC').address, wallet())
    await sandbox.world.fund(wallet(), { symbol: 'USDC', amount: hundred })
    setTimeout(() => {
      missing = 0
    }, 300)
    await expect(deposit(failoverRpc([url(), late.url]), held + 1n)).resolves.toMatchObject({ behind: null })
  })

  test.each(['first', 'second'])(
    'show funds that the wallet has just spent as spent: %s behind',
    async (order) => {
      let missing = 1
      const late = await lagging(() => missing)
      const token = sandbox.token(chainId, 'USDC').address
      const held = await sandbox.balanceOf(chainId, token, wallet())
      const elsewhere = calldata('function transfer(address,uint256)', [`0x${'77'.repeat(20)}`, held])
      await sandbox.sendAs(chainId, wallet(), { to: token, data: elsewhere })
      setTimeout(() => {
        missing = 0
      }, 300)
      const urls = order === 'first' ? [late.url, url()] : [url(), late.url]
      await expect(deposit(failoverRpc(urls))).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' })
    },
  )
})

test('an endpoint ten blocks behind is named, and nothing is planned without it', async () => {
  const late = await lagging(() => 10)
  await mine(12, 6)
  await expect(deposit(failoverRpc([url(), late.url]))).rejects.toMatchObject({
    code: 'RPC_INCONSISTENT',
    message: `The node at ${new URL(late.url).host} is 10 blocks behind ${new URL(url()).host}`,
  })
})

test('an endpoint whose older block has another hash is refused, not treated as behind', async () => {
  const { rpc } = sandbox.chain(chainId)
  await mine(2)
  const liar: ChainClient = {
    ...rpc,
    host: 'liar',
    batch: async (calls) => {
      const [id, block] = await rpc.batch(calls)
      const older = await rpc.request<object>('eth_getBlockByNumber', [
        `0x${(Number((block as { number: string }).number) - 1).toString(16)}`,
        false,
      ])
      return [id, { ...older, hash: `0x${'ab'.repeat(32)}` }]
    },
  }
  await expect(deposit({ ...rpc, peers: [liar] })).rejects.toMatchObject({
    code: 'RPC_INCONSISTENT',
    message: expect.stringContaining('have different blocks at height'),
  })
})

describe('one URL with two nodes, one of them a block behind', () => {
  test('is asked again for data of the newest block', async () => {
    const both = await lagging(() => 1, 'newest')
    await mine(2)
    await expect(deposit(httpRpc(both.url))).resolves.toMatchObject({ how: 'eth_simulateV1', behind: null })
  })

  test('does not disagree with another endpoint', async () => {
    const both = await lagging(() => 1, 'newest')
    await mine(2)
    const rpc = failoverRpc([both.url, url()])
    await expect(deposit(rpc)).resolves.toMatchObject({ how: 'eth_simulateV1' })
    await expect(refuseInconsistentHeads(rpc, chainId, await readHead(rpc, chainId))).resolves.toBeDefined()
  })
})
