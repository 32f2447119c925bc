import { describe, expect, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { sandboxAddress } from '../../../src/sandbox/accounts.ts'
import { engineMigrations, engineStore } from '../../../src/store/engine/store.ts'
import { sqliteSql } from '../../../src/store/sql/sqlite.ts'
import { codeOf, engineOn, perform } from '../../support/engine.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

// One URL may lead to many nodes. A lagging node answers for the newest block with its older state, and reports no error.

const sandbox = useSandbox()
const wallet = sandbox.user.address
const chainId = 31337
const real = () => sandbox.chain(chainId).rpc
const collector = sandboxAddress(3)
const markets = [
  ['sandbox-vault-usdc-sandbox-one', 100_000_000n],
  ['aave-v3-usdc-sandbox-one', 100_000_000n],
  ['sandbox-lido-eth-sandbox-one', 10n ** 18n],
  ['sandbox-lido-wsteth-eth-sandbox-one', 10n ** 18n],
] as const
const [vault, amount] = markets[0]

const lend = async (id: string, sum: bigint) => {
  const { service } = engineOn(sandbox)
  const { bytecode } = await service.strategyBytecode({ id, action: 'lend', amount: sum, wallet })
  await perform(sandbox, wallet, bytecode)
}

type Answer = ReturnType<typeof JSON.parse>

/** A client whose first `times` exchanges with log requests reach a node whose newest block is `last`; `header` is that node's answer for a later block. */
const nodes = (last: bigint, header: 'none' | 'its newest' | 'of another node', times = Infinity) => {
  const node = { behind: 0, rpc: {} as ChainClient }
  const lags = async (method: string, params: readonly Answer[], said: Answer) => {
    if (method === 'eth_getLogs') return said.filter((log: Answer) => BigInt(log.blockNumber) <= last)
    if (method !== 'eth_getBlockByNumber' || header === 'of another node' || BigInt(params[0]) <= last)
      return said
    return header === 'none' ? null : real().request(method, [`0x${last.toString(16)}`, false])
  }
  node.rpc = {
    ...real(),
    batch: async (calls) => {
      const said = await real().batch(calls)
      if (!calls.some(([method]) => method === 'eth_getLogs') || node.behind >= times) return said
      node.behind++
      return Promise.all(said.map((one, at) => lags(calls[at]![0], calls[at]![1], one)))
    },
  }
  return node
}

/** Makes a deposit and mines blocks until it is final; the lagging node misses exactly that deposit. */
async function missed(id: string, sum: bigint) {
  const last = BigInt(await real().request<string>('eth_blockNumber'))
  await lend(id, sum)
  await real().request('anvil_mine', ['0x8'])
  const catalog = sandbox.world.catalog()
  const networks = catalog.networks.map((network) => ({ ...network, depth: 5 }))
  const store = engineStore(sqliteSql(':memory:', { migrations: engineMigrations }))
  const service = (rpc?: ChainClient) =>
    engineOn(sandbox, {
      catalog: { ...catalog, networks },
      store,
      rpc: (id) => (id === chainId && rpc ? rpc : sandbox.chain(id).rpc),
    }).service
  return { last, service }
}

type Service = ReturnType<typeof engineOn>['service']
const position = async (service: Service, id: string = vault) =>
  (await service.getWallet({ address: wallet })).positions.find(({ strategy }) => strategy.slug === id)!
const charged = async (service: Service, id: string = vault) => {
  await service.setFees({ collector, markupBps: 75 })
  return (await service.strategyBytecode({ id, action: 'withdraw', amount: maxUint256, wallet })).feeCharged
}

describe.each(['none', 'its newest'] as const)(
  'a lagging node whose header for a missing block is "%s"',
  (header) => {
    test('is asked again when it lags once', async () => {
      const { last, service } = await missed(vault, amount)
      const node = nodes(last, header, 1)
      expect((await position(service(node.rpc))).principal).toBe(amount)
      expect(node.behind).toBe(1)
    })

    test('leaves principal and fee unknown while it lags, and nothing of it is stored', async () => {
      const { last, service } = await missed(vault, amount)
      const node = nodes(last, header)
      const behind = service(node.rpc)
      expect(await position(behind)).toMatchObject({ principal: null, profit: null })
      expect(node.behind).toBeGreaterThan(0)
      const history = behind.walletHistory({ address: wallet, strategyId: vault })
      await expect(history).rejects.toMatchObject({
        code: 'RPC_INCONSISTENT',
        message: expect.stringContaining('it may lag behind'),
        details: { network: 'sandbox-one' },
      })
      expect(await charged(behind)).toBe('0')
      expect((await position(service())).principal).toBe(amount)
      const { items } = await service().walletHistory({ address: wallet, strategyId: vault })
      expect(items).toMatchObject([{ type: 'deposit', amount }])
    })
  },
)

describe.each(markets)('deposits into %s', (id, sum) => {
  test('have no principal and no profit while a lagging node omits their logs', async () => {
    const { last, service } = await missed(id, sum)
    const behind = service(nodes(last, 'of another node').rpc)
    expect(await position(behind, id)).toMatchObject({ principal: null, profit: null })
    expect(await charged(behind, id)).toBe('0')
  })

  test('have a principal again once another node returns their logs', async () => {
    const { last, service } = await missed(id, sum)
    const behind = service(nodes(last, 'of another node').rpc)
    expect((await position(behind, id)).principal).toBeNull()
    expect((await position(service(), id)).principal).toBe(sum)
  })

  test('have their logs read again once, and not on every request, while no node returns them', async () => {
    await lend(id, sum)
    const said: string[] = []
    const { rpc } = nodes(-1n, 'of another node')
    const batch: ChainClient['batch'] = (calls) => {
      said.push(...calls.map(([method]) => method).filter((method) => method === 'eth_getLogs'))
      return rpc.batch(calls)
    }
    const { service } = engineOn(sandbox, {
      rpc: (chain) => (chain === chainId ? { ...rpc, batch } : sandbox.chain(chain).rpc),
    })
    const asked: number[] = []
    for (let times = 0; times < 3; times++) {
      said.length = 0
      expect((await position(service, id)).principal).toBeNull()
      asked.push(said.length)
    }
    expect(asked[1]).toBe(asked[0])
    expect(asked[0]).toBeGreaterThan(0)
    expect(asked[2]).toBe(0)
  })

  test('fail the history with HISTORY_UNREAD while logs are missing, and are read again after a while', async () => {
    await lend(id, sum)
    await real().request('anvil_mine', ['0x8'])
    let minutes = 0
    const store = engineStore(sqliteSql(':memory:', { migrations: engineMigrations }))
    const history = async (rpc: ChainClient) => {
      const { service } = engineOn(sandbox, {
        store,
        now: () => Date.now() + minutes * 60_000,
        rpc: (chain) => (chain === chainId ? rpc : sandbox.chain(chain).rpc),
      })
      const { items } = await service.walletHistory({ address: wallet, strategyId: id })
      return items.map(({ type }) => type)
    }
    const unread = { code: 'HISTORY_UNREAD', details: { network: 'sandbox-one', strategy: id } }
    const deaf = nodes(-1n, 'of another node')
    await expect(history(deaf.rpc)).rejects.toMatchObject(unread)
    const asked = deaf.behind
    // Not on every request: logs that no node returns would be requested forever.
    await expect(history(deaf.rpc)).rejects.toMatchObject(unread)
    expect(deaf.behind - asked).toBeLessThan(asked)
    await expect(history(real())).rejects.toMatchObject(unread)
    minutes = 2
    expect(await history(real())).toEqual(['deposit'])
    // Logs that are missing only once are read again within the same request.
    const { service } = engineOn(sandbox, { rpc: () => nodes(-1n, 'of another node', 1).rpc })
    const { items } = await service.walletHistory({ address: wallet, strategyId: id })
    expect(items.map(({ type }) => type)).toEqual(['deposit'])
  })

  test('with missing logs leave the principal of earlier deposits unknown, too', async () => {
    await lend(id, 3n * sum)
    const { last, service } = await missed(id, sum)
    expect(await position(service(nodes(last, 'of another node').rpc), id)).toMatchObject({ principal: null })
  })

  test('in many parts, with interest and transfers in between, have a principal and a profit', async () => {
    const token = sandbox.world.catalog().strategies.find(({ slug }) => slug === id)!.receipt.address
    const friend = sandboxAddress(2)
    const give = (part: bigint) =>
      sandbox.sendAs(chainId, wallet, {
        to: token,
        data: calldata('function transfer(address,uint256)', [friend, part]),
      })
    for (let at = 1n; at <= 6n; at++) {
      await lend(id, sum / 7n + at)
      await sandbox.world.warp(40 * 86_400 + Number(at))
      await give(sum / 100n + at)
    }
    const { principal, profit } = await position(engineOn(sandbox).service, id)
    expect(principal).toBeGreaterThan((sum * 7n) / 10n)
    expect(profit).not.toBeNull()
  })
})

test('a node below the newest block fails the history with RPC_INCONSISTENT', async () => {
  const { last, service } = await missed(vault, amount)
  expect(
    await codeOf(service(nodes(last + 3n, 'none').rpc).walletHistory({ address: wallet, strategyId: vault })),
  ).toBe('RPC_INCONSISTENT')
})
