import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { httpRpc } from '../../src/chain/rpc/failover.ts'
import type { Address, Hex } from '../../src/domain/address.ts'
import { sandboxAddress } from '../../src/sandbox/accounts.ts'
import {
  ensureSandbox,
  type SandboxClient,
  sandboxDown,
  sandboxStatus,
} from '../../src/sandbox/daemon-client.ts'
import type { EnsureOptions } from '../../src/sandbox/daemon-launch.ts'
import { readRecord, sandboxFiles } from '../../src/sandbox/daemon-record.ts'
import { allProcesses } from '../../src/sandbox/node-processes.ts'
import { newestWorld } from '../../src/sandbox/saved-worlds.ts'
import { cctpV2Contracts } from '../../src/swaps/cctp-v2/constants-schema.ts'
import { contractsIn } from '../../src/swaps/swap-contracts.ts'
import { uniswapV2Contracts } from '../../src/swaps/uniswap-v2/constants-schema.ts'
import { builtFile } from '../support/built-file.ts'
import { calldata } from '../support/use-sandbox.ts'

const stranger: Address = '0x3333333333333333333333333333333333333333'
const homes: string[] = []

/** A new home, or a copy of an existing one. */
function newHome(like?: string): string {
  const home = mkdtempSync(join(tmpdir(), 'sluice-daemon-'))
  homes.push(home)
  if (like) cpSync(like, home, { recursive: true })
  return home
}

const up = (dataDir: string, more: Partial<EnsureOptions> = {}): Promise<SandboxClient> =>
  ensureSandbox({
    // The bundled file, as in production: it starts faster.
    entry: builtFile(join(import.meta.dirname, '..', '..'), 'sandbox-daemon-main.js'),
    dataDir,
    cacheDir: inject('sandboxCache'),
    env: {
      PATH: process.env.PATH,
      HOME: dataDir,
      SLUICE_ANVIL: inject('anvil'),
      SLUICE_PRIVATE_KEY: '0xsecret',
    },
    // Most tests look at the state saved at the end; tests that watch the nodes set a shorter interval.
    everyMs: 60_000,
    ...more,
  })

const processesOf = (home: string) => allProcesses().filter(({ command }) => command.includes(home))
const nodesOf = (home: string) => processesOf(home).filter(({ command }) => command.includes('--chain-id'))
const daemonsOf = (home: string) =>
  processesOf(home).filter(({ command }) => command.includes('sandbox-daemon-main.js'))

const savedDir = (home: string) =>
  dirname(newestWorld(sandboxFiles(home).worlds)!.stateFile({ name: 'sandbox-one' } as never))

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10))
}

async function balanceOf(
  sandbox: SandboxClient,
  owner: Address,
  symbol = 'USDC',
  chainId = 31337,
): Promise<bigint> {
  const { chains } = await sandbox.status()
  const token = sandbox.catalog.tokens.find((one) => one.symbol === symbol && one.chainId === chainId)!
  const data = calldata('function balanceOf(address) view returns (uint256)', [owner])
  const { rpcUrl } = chains.find((chain) => chain.chainId === chainId)!
  return BigInt(await httpRpc(rpcUrl).request<Hex>('eth_call', [{ to: token.address, data }, 'latest']))
}

/** Burns USDC on the first chain for a recipient on the second one. */
async function burn(sandbox: SandboxClient, amount: bigint): Promise<void> {
  const [one, two] = contractsIn(sandbox.catalog, cctpV2Contracts)
  const rpc = httpRpc((await sandbox.status()).chains[0]!.rpcUrl)
  const send = (to: Address, data: Hex) =>
    rpc.request('eth_sendTransaction', [{ from: sandboxAddress(), to, data, gas: '0x4c4b40' }])
  await send(one!.token, calldata('function approve(address,uint256)', [one!.tokenMessenger, amount]))
  const deposit = 'function depositForBurn(uint256,uint32,bytes32,address,bytes32,uint256,uint32)'
  const word = (hex: string): Hex => `0x${hex.slice(2).padStart(64, '0')}`
  const args = [amount, two!.domain, word(stranger), one!.token, word('0x'), 0n, 2000]
  const burned = await send(one!.tokenMessenger, calldata(deposit, args))
  await until(async () => (await rpc.request('eth_getTransactionReceipt', [burned])) !== null)
}

/** Ends all processes of a home and deletes it. */
async function end(home: string): Promise<void> {
  await sandboxDown(home)
  for (const { pid } of processesOf(home)) process.kill(pid, 'SIGKILL')
  rmSync(home, { recursive: true, force: true })
}

afterEach(async () => {
  for (const home of homes.splice(0)) await end(home)
})

test('concurrent starts share one daemon, and sandbox down leaves no processes', async () => {
  const home = newHome()
  let started = 0
  const onStart = () => started++
  expect(await sandboxStatus(home)).toEqual({
    running: false,
    pid: null,
    chains: [],
    accounts: [],
    tokens: [],
  })
  const all = await Promise.all([up(home), up(home), up(home), up(home, { onStart })])
  expect(started).toBe(1)
  all.push(await up(home, { onStart }))
  expect(started).toBe(1)
  const found = await Promise.all(all.map((one) => one.status()))
  expect(new Set(found.map(({ pid }) => pid)).size).toBe(1)
  await until(() => daemonsOf(home).length === 1)
  expect(nodesOf(home)).toHaveLength(2)
  expect(found[0]!.chains.map(({ network }) => network)).toEqual(['sandbox-one', 'sandbox-two'])
  expect(found[0]!.accounts[0]).toEqual({ address: sandboxAddress(), default: true })
  expect(await sandboxDown(home)).toBe(true)
  await until(() => processesOf(home).length === 0)
  expect(await sandboxDown(home)).toBe(false)
})

describe('a daemon', () => {
  let home: string
  let sandbox: SandboxClient
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'sluice-daemon-'))
    sandbox = await up(home)
  })
  afterAll(() => end(home))

  test('does not inherit secrets, and accepts control requests only with its token', async () => {
    const { pid } = await sandbox.status()
    if (process.platform === 'linux')
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/SLUICE_|0xsecret/)
    const { controlUrl } = readRecord(sandboxFiles(home).record)!
    expect((await fetch(`${controlUrl}/status`, { method: 'POST' })).status).toBe(401)
    expect((await sandbox.status()).running).toBe(true)
  })

  test('returns its errors to the caller with their code', async () => {
    await expect(sandbox.fund(stranger, { symbol: 'NOPE' })).rejects.toMatchObject({ code: 'UNKNOWN_TOKEN' })
  })

  test('restores genesis at the same addresses on reset', async () => {
    const urls = async () => (await sandbox.status()).chains.map(({ rpcUrl }) => rpcUrl)
    const before = await urls()
    await sandbox.fund(stranger)
    await sandbox.reset()
    expect(await urls()).toEqual(before)
    expect(await balanceOf(sandbox, stranger)).toBe(0n)
    expect(await balanceOf(sandbox, sandboxAddress())).toBe(100_000_000000n)
  })
})

test('a daemon that cannot start returns its error code to the caller', async () => {
  const home = newHome()
  const env = { PATH: '', SLUICE_ANVIL: join(home, 'no-anvil') }
  await expect(up(home, { env })).rejects.toMatchObject({ code: 'ANVIL_NOT_FOUND' })
})

const withoutTokens = ({ tokens: _, ...rest }: { tokens: object }) => rest

describe('a saved world', () => {
  /** A home with a saved world that was stopped before a burn was delivered. */
  let ended: string
  let last: { timestamp: Hex; number: Hex }
  const blockOf = async (sandbox: SandboxClient) => {
    const rpc = httpRpc((await sandbox.status()).chains[0]!.rpcUrl)
    return rpc.request<{ timestamp: Hex; number: Hex }>('eth_getBlockByNumber', ['latest', false])
  }
  beforeAll(async () => {
    ended = mkdtempSync(join(tmpdir(), 'sluice-daemon-'))
    const before = await up(ended)
    await before.fund(stranger, { symbol: 'USDC', amount: 5n })
    await before.warp(40 * 86_400 + 5)
    expect((await before.status()).outdated).toBeUndefined()
    const newest = await blockOf(before)
    // The last thirty days have at least one block each.
    const back = Array.from({ length: 62 }, (_, at) => Number(newest.number) - at).filter(
      (number) => number >= 0,
    )
    const rpc = httpRpc((await before.status()).chains[0]!.rpcUrl)
    const blocks = await rpc.batch(
      back.map((number) => ['eth_getBlockByNumber', [`0x${number.toString(16)}`, false]]),
    )
    const times = (blocks as { timestamp: Hex }[]).map(({ timestamp }) => Number(timestamp))
    const days = new Set(times.map((time) => Math.round((Number(newest.timestamp) - time) / 86_400)))
    for (let day = 0; day <= 30; day++) expect(days).toContain(day)
    await burn(before, 1000n)
    last = await blockOf(before)
    await before.down()
  })
  afterAll(() => end(ended))

  test('is restored by the next start: no block goes back in time, and a pending burn is delivered', async () => {
    const after = await up(newHome(ended))
    expect(await balanceOf(after, stranger)).toBe(5n)
    expect(await blockOf(after)).toEqual(last)
    await until(async () => (await balanceOf(after, stranger, 'USDC', 31338)) === 1005n)
    await after.fund(stranger, { symbol: 'USDC', amount: 5n })
    expect(Number((await blockOf(after)).timestamp)).toBeGreaterThanOrEqual(Number(last.timestamp))
  })

  test('from another genesis is reported as outdated until it is reset', async () => {
    const home = newHome(ended)
    const file = join(savedDir(home), 'catalog.json')
    const { genesis: _, swaps, ...rest } = JSON.parse(readFileSync(file, 'utf8'))
    // Simulates a version with a field for each exchange, and without one of them.
    expect(swaps['uniswap-v2']).toHaveLength(2)
    const older = { ...rest, uniswapV3: swaps['uniswap-v3'], across: swaps.across.map(withoutTokens) }
    writeFileSync(file, JSON.stringify(older))
    const after = await up(home)
    expect((await after.status()).outdated).toBe(true)
    expect(contractsIn(after.catalog, uniswapV2Contracts)).toEqual([])
    expect(after.catalog.swaps['uniswap-v3']).toEqual(swaps['uniswap-v3'])
    expect(after.catalog.swaps.across).toMatchObject(
      swaps.across.map(({ chainId, tokens }: { chainId: number; tokens: object }) => ({ chainId, tokens })),
    )
    expect(await balanceOf(after, stranger)).toBe(5n)
    await after.reset()
    expect((await after.status()).outdated).toBeUndefined()
  })

  test.each([
    ['catalog.json', 'STATE_UNUSABLE'],
    ['sandbox-one.json', 'SANDBOX_UNAVAILABLE'],
  ])(
    'with a damaged %s is refused with a hint to reset, and a fresh start ignores it',
    async (name, code) => {
      const home = newHome(ended)
      const file = join(savedDir(home), name)
      writeFileSync(file, 'half of i')
      const error = {
        code,
        message: expect.stringContaining(file),
        hint: expect.stringContaining('sandbox reset'),
      }
      await expect(up(home)).rejects.toMatchObject(error)
      expect(await balanceOf(await up(home, { anew: true }), stranger)).toBe(0n)
    },
  )
})

test('a damaged genesis state in the cache is rebuilt', async () => {
  const cacheDir = join(newHome(), 'cache')
  cpSync(inject('sandboxCache'), cacheDir, { recursive: true })
  // The cache may also contain states of older code.
  for (const one of readdirSync(cacheDir).filter((each) => each.startsWith('genesis-')))
    writeFileSync(join(cacheDir, one, 'sandbox-one.json'), 'half of i')
  const fresh = await up(newHome(), { cacheDir })
  await fresh.fund(stranger, { symbol: 'USDC', amount: 2n })
  expect(await balanceOf(fresh, stranger)).toBe(2n)
})

test('no node remains when the daemon is killed while it builds the first world', async () => {
  const home = newHome()
  const started = up(home, { cacheDir: join(home, 'cache') }).catch(() => undefined)
  await until(() => nodesOf(home).length > 0)
  // A node with a loaded state outlives its daemon; these two build.
  expect(nodesOf(home).filter(({ command }) => command.includes('--load-state'))).toEqual([])
  for (const { pid } of daemonsOf(home)) process.kill(pid, 'SIGKILL')
  await until(() => nodesOf(home).length === 0)
  await started
})

test('a killed daemon is replaced without loss, and the saved state survives the kill of all processes', async () => {
  const home = newHome()
  const before = await up(home)
  const { worlds } = sandboxFiles(home)
  await until(() => newestWorld(worlds) !== undefined)
  await before.fund(stranger, { symbol: 'USDC', amount: 7n })
  const orphans = nodesOf(home).map(({ pid }) => pid)
  process.kill((await before.status()).pid!, 'SIGKILL')
  await until(() => daemonsOf(home).length === 0)
  expect(nodesOf(home).map(({ pid }) => pid)).toEqual(orphans)
  const after = await up(home, { everyMs: 50 })
  expect(await balanceOf(after, stranger)).toBe(7n)
  const nodes = nodesOf(home).map(({ pid }) => pid)
  expect(nodes).toHaveLength(2)
  expect(nodes.filter((pid) => orphans.includes(pid))).toEqual([])

  await after.fund(stranger, { symbol: 'USDC', amount: 2n })
  const savedFile = () => newestWorld(worlds)?.stateFile({ name: 'sandbox-one' } as never)
  const atFund = savedFile()
  await until(() => savedFile() !== atFund && savedFile() !== undefined)
  await after.fund(stranger, { symbol: 'BRLA', amount: 0n })
  for (const { pid } of processesOf(home)) process.kill(pid, 'SIGKILL')
  await until(() => processesOf(home).length === 0)
  expect(await balanceOf(await up(home), stranger)).toBe(9n)
})

test('the daemon leaves no processes after SIGTERM, the death of a node or idle time, and starts again', async () => {
  const home = newHome()
  const before = await up(home)
  await before.fund(stranger, { symbol: 'USDC', amount: 11n })
  process.kill((await before.status()).pid!, 'SIGTERM')
  await until(() => processesOf(home).length === 0)
  expect(await balanceOf(await up(home, { everyMs: 50 }), stranger)).toBe(11n)
  process.kill(nodesOf(home)[0]!.pid, 'SIGKILL')
  await until(() => processesOf(home).length === 0)
  await up(home, { idleMs: 200, everyMs: 50 })
  await until(() => processesOf(home).length === 0)
  expect((await sandboxStatus(home)).running).toBe(false)
})

test('an unusable data directory is reported as STATE_UNUSABLE', async () => {
  const home = newHome()
  writeFileSync(join(home, 'file'), '')
  await expect(up(join(home, 'file'))).rejects.toMatchObject({ code: 'STATE_UNUSABLE' })
  writeFileSync(join(home, 'sandbox'), '')
  await expect(up(home)).rejects.toMatchObject({ code: 'STATE_UNUSABLE' })
  rmSync(join(home, 'sandbox'))
})
