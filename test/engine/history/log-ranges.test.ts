import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { bundled } from '../../../bench/bundled.ts'
import { httpRpc } from '../../../src/chain/rpc/failover.ts'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { statedRangeLimit } from '../../../src/engine/history/logs/ranged-log-reader.ts'
import { sandboxAddress } from '../../../src/sandbox/accounts.ts'
import { encodeCatalog } from '../../../src/sandbox/catalog-json.ts'
import { engineMigrations, engineStore } from '../../../src/store/engine/store.ts'
import { sqliteSql } from '../../../src/store/sql/sqlite.ts'
import { codeOf, engineOn, inTurn, perform } from '../../support/engine.ts'
import { type LimitedNode, limitedNode } from '../../support/nodes/log-limited-node.ts'
import { calldata, topicOf, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const stranger = sandboxAddress(2)
const chainId = 31337
const slug = 'sandbox-vault-usdc-sandbox-one'
const entry = () => sandbox.strategy('sandbox-vault-USDC-sandbox-one')
const rpc = () => sandbox.chain(chainId).rpc
const mine = (blocks: number) => rpc().request('anvil_mine', [`0x${blocks.toString(16)}`])

let node: LimitedNode
beforeEach(async () => {
  node = await limitedNode(sandbox.chain(chainId).rpcUrl)
})
afterEach(() => node.close())

/** An engine whose first chain is behind the limited node, with the store of the test. */
const engine = (store = engineStore(sqliteSql(':memory:', { migrations: engineMigrations }))) =>
  engineOn(sandbox, {
    store,
    rpc: (id) => (id === chainId ? httpRpc(node.url, { retries: 0 }) : sandbox.chain(id).rpc),
  }).service

const ask = async (id: string, action: 'lend' | 'withdraw', amount: bigint, who: Address = wallet) =>
  perform(
    sandbox,
    who,
    (await engineOn(sandbox).service.strategyBytecode({ id, action, amount, wallet: who })).bytecode,
  )
const history = async (service = engine(), address: Address = wallet) =>
  (await service.walletHistory({ address, strategyId: slug, limit: 100 })).items
const position = async (service = engine()) =>
  (await service.getWallet({ address: wallet })).positions.find(({ strategy }) => strategy.slug === slug)!

/** Makes deposits, a partial withdrawal and a transfer of shares, with many empty blocks in between. */
async function someYears(blocks = 150): Promise<void> {
  await ask(slug, 'lend', 5_000_000001n)
  await mine(blocks)
  await ask(slug, 'withdraw', 1_000_000007n)
  await mine(blocks)
  await give(777_000000n)
  await ask(slug, 'lend', 3n)
}

const give = (shares: bigint) =>
  sandbox.sendAs(chainId, wallet, {
    to: entry().receipt.address,
    data: calldata('function transfer(address,uint256)', [stranger, shares]),
  })

/** The expected history, from the events of the vault: type and amount, for transfers the type only. */
async function replayed(): Promise<string[]> {
  const logs = await rpc().request<{ topics: Hex[]; data: Hex }[]>('eth_getLogs', [
    { address: entry().receipt.address, fromBlock: '0x0', toBlock: 'latest' },
  ])
  const me = wallet.slice(2).toLowerCase()
  const nobody = '0'.repeat(64)
  return logs.flatMap(({ topics, data }) => {
    const [name, a, b, c] = topics
    const first = BigInt(data.slice(0, 66).padEnd(3, '0'))
    if (name === topicOf('Deposit(address,address,uint256,uint256)') && b!.endsWith(me))
      return [`deposit ${first}`]
    if (name === topicOf('Withdraw(address,address,address,uint256,uint256)') && c!.endsWith(me))
      return [`withdraw ${first}`]
    const isOwn = name === topicOf('Transfer(address,address,uint256)') && !`${a}${b}`.includes(nobody)
    return isOwn && a!.endsWith(me) ? ['transfer_out'] : []
  })
}
const told = (items: Awaited<ReturnType<typeof history>>) =>
  items.map(({ type, amount }) => (type === 'transfer_out' ? type : `${type} ${amount}`)).reverse()

describe('a node with a limited block range for logs', () => {
  const limits: [string, number, (most: number) => string][] = [
    ['states its limit', 100, (most: number) => `block range is too wide: at most ${most} blocks`],
    [
      'suggests a smaller range',
      64,
      (most: number) => `Log response size exceeded. Try [0x0, 0x${(most - 1).toString(16)}]`,
    ],
    ['states no limit', 77, () => 'query exceeds the limits of your plan'],
    ['states a limit of results', 90, () => 'query returned more than 10000 results'],
    ['states a limit above its real one', 50, () => 'eth_getLogs is limited to a 10,000 range'],
  ]
  test.each(inTurn(limits, 2, 0))(
    'that %s returns the complete history within 120 requests',
    async (_, limit, words) => {
      await someYears()
      node.limit = limit
      node.words = words
      expect(told(await history())).toEqual(await replayed())
      expect(await replayed()).toHaveLength(4)
      expect(node.asked).toBeLessThan(120)
      const { principal, profit, balance } = await position()
      expect(principal! + profit!).toBe(balance)
      expect(principal).toBe((await position(engineOn(sandbox).service)).principal)
    },
  )

  test('that reports a rate limit is not asked for smaller ranges', async () => {
    await someYears()
    node.limit = 1
    node.words = () => 'rate limit exceeded, retry in 10 seconds'
    await expect(history()).rejects.toMatchObject({ code: 'RPC_ERROR' })
    expect(node.asked).toBeLessThan(12)
    expect((await position()).principal).toBeNull()
  })

  test('is asked for new blocks only after the first read', async () => {
    await someYears()
    node.limit = 100
    const service = engine()
    await history(service)
    node.given = []
    await ask(slug, 'lend', 5n)
    expect(told(await history(service))).toEqual(await replayed())
    expect(new Set(node.given).size).toBe(1)
    const head = Number(await rpc().request('eth_blockNumber'))
    expect(Number(node.given[0]!.split('-')[0])).toBeGreaterThan(head - 5)
  })

  test('with too many ranges is read over several calls, and the history fails until all are read', async () => {
    await someYears(250)
    node.limit = 1
    const service = engine()
    const error = await history(service).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'HISTORY_UNREAD',
      message: expect.stringMatching(/returns logs of at most 1 blocks at once$/),
      details: { network: 'sandbox-one' },
      hint: expect.stringMatching(/^Set an RPC in SLUICE_RPC_SANDBOX_ONE that returns logs of more blocks/),
    })
    expect(await position(service)).toMatchObject({ principal: expect.anything() })
    expect(told(await history(service))).toEqual(await replayed())
  })

  test('that returns no logs at all is an error with its message', async () => {
    await someYears()
    node.limit = 0
    node.words = () => 'limit exceeded'
    await expect(history()).rejects.toMatchObject({
      code: 'HISTORY_UNREAD',
      message: expect.stringMatching(/returns no logs of sandbox-one: limit exceeded$/),
      hint: 'Set an RPC in SLUICE_RPC_SANDBOX_ONE that returns logs.',
    })
    expect((await position()).principal).toBeNull()
  })
})

test('a slow node is read for a limited time per call, and the ranges read so far are kept', async () => {
  await someYears()
  node.limit = 20
  const store = engineStore(sqliteSql(':memory:', { migrations: engineMigrations }))
  // Every request takes three seconds of this clock.
  let seconds = 0
  node.meanwhile = async () => {
    seconds += 3
  }
  const { service } = engineOn(sandbox, {
    store,
    now: () => seconds * 1_000,
    rpc: (id) => (id === chainId ? httpRpc(node.url, { retries: 0 }) : sandbox.chain(id).rpc),
  })
  expect(await codeOf(history(service))).toBe('HISTORY_UNREAD')
  const first = node.given.length
  expect(first).toBeLessThan(40)
  for (let again = 0; again < 20; again++) if ((await codeOf(history(service))) === undefined) break
  expect(told(await history(service))).toEqual(await replayed())
  expect(node.given.length).toBeGreaterThan(first)
})

describe('an interrupted read of the history', () => {
  test('fails, and resumes without requesting stored ranges again', async () => {
    await someYears()
    node.limit = 20
    node.breaksAfter = 20
    const store = engineStore(sqliteSql(':memory:', { migrations: engineMigrations }))
    expect(await codeOf(history(engine(store)))).toBe('RPC_UNREACHABLE')
    const first = new Set(node.given)
    node.given = []
    node.breaksAfter = Number.POSITIVE_INFINITY
    expect(told(await history(engine(store)))).toEqual(await replayed())
    const again = [...new Set(node.given)].filter((range) => first.has(range))
    // One round of requests was in flight when the connection broke.
    expect(first.size).toBeGreaterThan(4)
    expect(again.length).toBeLessThanOrEqual(4)
  })

  test('resumes after its process is killed', async () => {
    await someYears()
    const dir = mkdtempSync(join(tmpdir(), 'sluice-history-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    node.limit = 10
    node.slowMs = 15
    const worker = await bundled(join(import.meta.dirname, '../../support/history-process.ts'))
    const catalog = JSON.stringify(encodeCatalog(sandbox.world.catalog()))
    const path = join(dir, 'engine.db')
    const child = spawn(process.execPath, [worker, path, node.url, catalog, wallet, slug], {
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    while (new Set(node.given).size < 12 && child.exitCode === null) await sleep(5)
    child.kill('SIGKILL')
    expect((await ended)[1]).toBe('SIGKILL')
    const first = new Set(node.given)
    node.given = []
    node.slowMs = 0
    const store = engineStore(sqliteSql(path, { migrations: engineMigrations }))
    expect(told(await history(engine(store)))).toEqual(await replayed())
    expect([...new Set(node.given)].filter((range) => first.has(range)).length).toBeLessThanOrEqual(4)
    await store.close()
  })
})

describe('a reorganisation', () => {
  test.each(inTurn([1, 3, 40], 2, 0))(
    'of %i blocks removes the stored logs of those blocks only',
    async (depth) => {
      const service = engine()
      await ask(slug, 'lend', 9_000000n)
      await mine(depth === 40 ? 38 : 0)
      expect(told(await history(service))).toHaveLength(1)
      await ask(slug, 'lend', 4_000000n)
      await mine(Math.max(0, depth - 2))
      expect(told(await history(service))).toHaveLength(2)
      await rpc().request('anvil_reorg', [depth === 40 ? 45 : depth, []])
      // A transaction of another wallet is mined in place of the deposit.
      await ask(slug, 'lend', 1_000000n, stranger)
      expect(told(await history(service))).toEqual(await replayed())
      const { principal, balance, profit } = (await position(service)) ?? {
        principal: 0n,
        balance: 0n,
        profit: 0n,
      }
      expect(principal! + profit!).toBe(balance)
    },
  )

  test('to an earlier snapshot, with other transactions after it, returns the new history', async () => {
    const service = engine()
    await ask(slug, 'lend', 9_000000n)
    await history(service)
    const [snapshot] = [await rpc().request('evm_snapshot')]
    await ask(slug, 'lend', 4_000000n)
    await history(service)
    await rpc().request('evm_revert', [snapshot])
    await ask(slug, 'withdraw', maxUint256)
    expect(told(await history(service))).toEqual(await replayed())
  })
})

describe('the newest blocks of a chain with finality by depth', () => {
  const deep = (store = engineStore(sqliteSql(':memory:', { migrations: engineMigrations }))) => {
    const catalog = sandbox.world.catalog()
    const networks = catalog.networks.map((network) => ({ ...network, depth: 5 }))
    return engineOn(sandbox, {
      store,
      catalog: { ...catalog, networks },
      rpc: (id) => (id === chainId ? httpRpc(node.url, { retries: 0 }) : sandbox.chain(id).rpc),
    }).service
  }

  test('are read again on each request; older blocks are not', async () => {
    await someYears(20)
    const service = deep()
    expect(told(await history(service))).toEqual(await replayed())
    const head = Number(await rpc().request('eth_blockNumber'))
    for (let times = 0; times < 2; times++) {
      node.given = []
      expect(told(await history(service))).toEqual(await replayed())
      expect([...new Set(node.given)]).toEqual([`${head - 3}-${head}`])
    }
    await mine(10)
    node.given = []
    expect(told(await history(service))).toEqual(await replayed())
    expect(Number(node.given[0]!.split('-')[0])).toBe(head - 3)
  })

  test('are read again when they change during the read', async () => {
    await ask(slug, 'lend', 9_000000n)
    await ask(slug, 'lend', 4_000000n)
    let times = 0
    node.meanwhile = async () => {
      if (times++ > 0) return
      await rpc().request('anvil_reorg', [2, []])
      await ask(slug, 'lend', 1_000000n)
    }
    const service = deep()
    expect(told(await history(service))).toEqual(await replayed())
    expect(times).toBeGreaterThan(2)
  })

  test('that change during every read are RPC_INCONSISTENT for the history, and leave the principal null', async () => {
    await ask(slug, 'lend', 9_000000n)
    await mine(10)
    let times = 0
    node.meanwhile = async () => {
      const other = { from: stranger, to: stranger, value: `0x${(++times).toString(16)}` }
      await rpc().request('anvil_reorg', [1, [[other, 0]]])
    }
    expect(await codeOf(history(deep()))).toBe('RPC_INCONSISTENT')
    expect(await position(deep())).toMatchObject({ principal: null, profit: null })
  })
})

test('a transfer whose old share price cannot be read fails the history; a price read once is kept', async () => {
  const early = engine()
  await ask(slug, 'lend', 50_000000n)
  await give(7_000000n)
  const [gift] = await history(early)
  const { principal } = await position(early)
  // The node keeps the states of 100 blocks.
  await mine(120)
  const late = await history().catch((thrown: unknown) => thrown)
  expect(late).toMatchObject({ code: 'HISTORY_UNREAD', hint: expect.stringContaining('SLUICE_RPC_') })
  expect(await position()).toMatchObject({ principal: null, profit: null })
  expect((await history(early))[0]).toEqual(gift)
  expect((await position(early)).principal).toBe(principal)
})

test('a transfer of zero shares, which any address can send for the wallet, is no event and needs no old state', async () => {
  await ask(slug, 'lend', 50_000000n)
  const data = calldata('function transferFrom(address,address,uint256)', [wallet, stranger, 0n])
  const { status } = await sandbox.sendAs(chainId, stranger, { to: entry().receipt.address, data })
  expect(status).toBe('0x1')
  await mine(120)
  expect((await history()).map(({ type, amount }) => `${type} ${amount}`)).toEqual(['deposit 50000000'])
  expect((await position()).principal).toBe(50_000000n)
})

test('several markets of one chain share their log requests', async () => {
  const [first, ...others] = ['aave-v3-usdc-sandbox-one', 'aave-v3-usdt-sandbox-one', slug]
  await ask(first!, 'lend', 5_000000n)
  await engine().getWallet({ address: wallet })
  const one = new Set(node.given).size
  node.given = []
  for (const id of others) await ask(id, 'lend', 5_000000n)
  const { positions } = await engine().getWallet({ address: wallet })
  expect(positions.map(({ principal }) => principal)).toEqual([5_000000n, 5_000000n, 5_000000n])
  expect(new Set(node.given).size).toBe(one)
  expect(node.given.length).toBeLessThanOrEqual(4)
})

test.each([
  ['eth_getLogs is limited to a 10,000 range', 10_000n],
  ['up to a 500 block range', 500n],
  ['block range too large, max is 2k blocks', 2_000n],
  ['exceed maximum block range: 5000', 5_000n],
  ['rate limit exceeded, retry in 10 seconds', undefined],
  ['max 5 per second, see https://docs.example/limits/2', undefined],
  ['the block range is too wide, see https://docs.example/limits/2', undefined],
  ['at most 0.5k blocks', undefined],
  ['got 10000 blocks, max is 500', 500n],
  ['query returned more than 10000 results. Try with this block range [0x64, 0xc7].', 100n],
  ['query returned more than 10000 results', undefined],
  ['range exceeds limit of 1_024 blocks', 1_024n],
  ['no', undefined],
])('statedRangeLimit parses the error "%s"', (message, size) => {
  expect(statedRangeLimit(new AppError('RPC_ERROR', message, { details: { message } }))).toBe(size)
})
