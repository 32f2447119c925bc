import { describe, expect, test } from 'vitest'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import type { Hex } from '../../src/domain/address.ts'
import { AppError } from '../../src/domain/errors.ts'
import { marketNamed } from '../../src/engine/catalog-lookups.ts'
import { readInvested } from '../../src/engine/positions/principal.ts'
import { walletOf } from '../../src/engine/positions/read-wallet-positions.ts'
import { codeOf, engineOn, perform, watched } from '../support/engine.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const broken = () => sandbox.strategy('sandbox-vault-USDC-sandbox-one')
const setCode = (code: Hex) =>
  sandbox.chain(31337).rpc.request('anvil_setCode', [broken().receipt.address, code])

/** Code that replaces a market contract: it burns all gas, loops, returns nothing or half a word, or reverts. */
const turned: [string, Hex][] = [
  ['burns all gas by an invalid opcode', '0xfe'],
  ['loops until no gas is left', '0x5b600056'],
  ['returns nothing', '0x00'],
  ['returns half a word', '0x60106000f3'],
  ['reverts without data', '0x60006000fd'],
]

describe('a market contract that', () => {
  test.each(turned)('%s makes only its own market unreadable', async (_, code) => {
    const before = await engineOn(sandbox).service.listStrategies({ limit: 100 })
    await setCode(code)
    const { items } = await engineOn(sandbox).service.listStrategies({ limit: 100 })
    expect(items.map(({ id }) => id).toSorted()).toEqual(before.items.map(({ id }) => id).toSorted())
    const rates = new Map(before.items.map(({ id, apy }) => [id, apy]))
    for (const { id, apy, paused } of items)
      if (id === broken().id) expect({ apy, paused }).toEqual({ apy: null, paused: null })
      else expect(apy).toBeCloseTo(rates.get(id)!, 6)
  })

  /** A node with the low gas limit for calls that public nodes have. */
  const withGas = (rpc: ChainClient, gas: Hex): ChainClient => ({
    ...rpc,
    request: (method, params = []) =>
      rpc.request(
        method,
        method === 'eth_call' ? [{ ...(params[0] as object), gas }, ...params.slice(1)] : params,
      ),
  })

  test('burns the gas of the whole call is isolated within 60 calls', async () => {
    await setCode('0xfe')
    const said: string[] = []
    const rpc = (chainId: number) => withGas(watched(sandbox.chain(chainId).rpc, said), '0x989680')
    const { items } = await engineOn(sandbox, { rpc }).service.listStrategies({ limit: 100 })
    expect(items.filter(({ paused }) => paused === null).map(({ id }) => id)).toEqual([broken().id])
    const calls = said.filter((method) => method === 'eth_call').length
    expect(calls).toBeGreaterThan(2)
    expect(calls).toBeLessThan(60)
  })
})

test('without Multicall3, the call carries its code itself', async () => {
  const before = await engineOn(sandbox).service.listStrategies({ limit: 100 })
  for (const { network, rpc } of sandbox.world.chains)
    await rpc.request('anvil_setCode', [network.multicall3, '0x'])
  const { items } = await engineOn(sandbox).service.listStrategies({ limit: 100 })
  expect(items.map(({ id, tvlUsd }) => [id, tvlUsd])).toEqual(
    before.items.map(({ id, tvlUsd }) => [id, tvlUsd]),
  )
  expect(items.every(({ paused }) => paused !== null)).toBe(true)
})

test('an error of the node stays an error, and is not retried', async () => {
  const said: string[] = []
  const refusing = (rpc: ChainClient): ChainClient => ({
    ...rpc,
    request: async (method, params) => {
      if (method !== 'eth_call') return rpc.request(method, params)
      said.push(method)
      throw new AppError('RPC_ERROR', 'missing trie node', {
        details: { code: -32000, message: 'missing trie node abcd (path ) state 0x1 is not available' },
      })
    },
  })
  const rpc = (chainId: number) => refusing(sandbox.chain(chainId).rpc)
  expect(await codeOf(engineOn(sandbox, { rpc }).service.listStrategies({}))).toBe('RPC_ERROR')
  // For each of two chains: the markets, and the age of their prices.
  expect(said).toHaveLength(4)
})

describe('an unreachable chain', () => {
  const env = () => ({
    SLUICE_RPC_SANDBOX_ONE: sandbox.chain(31337).rpcUrl,
    SLUICE_RPC_SANDBOX_TWO: 'http://127.0.0.1:1',
  })

  test('removes its own rows from a list, and is named once', async () => {
    const { exit, json, err } = await run('strategies list --all --limit 2 --json --timeout 2s', {
      env: env(),
    })
    expect(exit).toBe(0)
    expect(new Set(json.items.map(({ network }: { network: string }) => network))).toEqual(
      new Set(['sandbox-one']),
    )
    expect(err.match(/sandbox-two does not answer/g)).toHaveLength(1)
    expect((await run('strategies list --quiet --json --timeout 2s', { env: env() })).err).toBe('')
  })

  test('is not called for the strategies of another chain', async () => {
    const { exit, json, err } = await run('strategies list --network 31337 --json', { env: env() })
    expect([exit, err.match(/sandbox-two/)]).toEqual([0, null])
    expect(json.total).toBeGreaterThan(5)
    const dead = await run('strategies list --network sandbox-two --json --timeout 2s', { env: env() })
    expect([dead.exit, dead.json.error.code]).toEqual([7, 'RPC_UNREACHABLE'])
  })

  test('does not prevent a recommendation on another chain', async () => {
    const { exit, json, err } = await run('yield recommend USDC --json --timeout 2s', { env: env() })
    expect({ exit, network: json.destinationChain }).toEqual({ exit: 0, network: 'sandbox-one' })
    expect(err).toMatch(/sandbox-two does not answer/)
  })

  test('is RPC_UNREACHABLE when there is no other chain', async () => {
    const { SLUICE_RPC_SANDBOX_TWO } = env()
    const ran = await run('strategies list --json --timeout 2s', { env: { SLUICE_RPC_SANDBOX_TWO } })
    expect({ exit: ran.exit, code: ran.json.error.code }).toEqual({ exit: 7, code: 'RPC_UNREACHABLE' })
  })

  test('is named together with all others when none answers', async () => {
    const rpc = (chainId: number): ChainClient => ({
      ...sandbox.chain(chainId).rpc,
      request: () => Promise.reject(new AppError('RPC_UNREACHABLE', 'nobody there')),
      batch: () => Promise.reject(new AppError('RPC_UNREACHABLE', 'nobody there')),
    })
    const { service } = engineOn(sandbox, { rpc })
    await expect(service.listStrategies({})).rejects.toMatchObject({
      code: 'RPC_UNREACHABLE',
      details: { networks: ['sandbox-one', 'sandbox-two'] },
    })
  })

  test('is called again later, and its rows return', async () => {
    let isDead = true
    let at = Date.now()
    const rpc = (chainId: number): ChainClient => {
      const real = sandbox.chain(chainId).rpc
      return {
        ...real,
        request: (method, params) => {
          if (chainId === 31338 && isDead)
            throw new AppError('RPC_UNREACHABLE', 'nobody there', { details: { fault: 'silent' } })
          return real.request(method, params)
        },
      }
    }
    const missed: [name: string, code: string | null][] = []
    const { service } = engineOn(sandbox, {
      rpc,
      now: () => at,
      onMissingNetwork: ({ name }, fault) => missed.push([name, fault?.code ?? null]),
    })
    const few = (await service.listStrategies({ limit: 100 })).total
    isDead = false
    expect((await service.listStrategies({ limit: 100 })).total).toBe(few)
    at += 6_000
    expect((await service.listStrategies({ limit: 100 })).total).toBeGreaterThan(few)
    const gone = ['sandbox-two', 'RPC_UNREACHABLE']
    expect(missed.filter(([name]) => name === 'sandbox-two')).toEqual([gone, gone, ['sandbox-two', null]])
  })
})

test('a node that refuses log ranges makes principal and profit null, and keeps the position', async () => {
  const { service } = engineOn(sandbox)
  const slug = 'aave-v3-usdc-sandbox-one'
  const owner = sandbox.user.address
  const { bytecode } = await service.strategyBytecode({
    id: slug,
    action: 'lend',
    amount: 5_000_000n,
    wallet: owner,
  })
  await perform(sandbox, owner, bytecode)
  const rpc = (chainId: number): ChainClient => {
    const real = sandbox.chain(chainId).rpc
    return {
      ...real,
      batch: async (calls) => {
        if (calls.some(([method]) => method === 'eth_getLogs'))
          throw new AppError('RPC_ERROR', 'range', {
            details: { code: -32602, message: 'block range too large' },
          })
        return real.batch(calls)
      },
    }
  }
  const wallet = await engineOn(sandbox, { rpc }).service.getWallet({ address: owner })
  const position = wallet.positions.find(({ strategy }) => strategy.slug === slug)!
  expect(position).toMatchObject({ principal: null, profit: null, profitUsd: null })
  expect(position.balance).toBeGreaterThan(4_999_990n)
  expect(Number(wallet.totalValueUsd)).toBeCloseTo(5, 2)
})

test('balance and principal are read at one block, whatever is mined meanwhile', async () => {
  const owner = sandbox.user.address
  const id = 'sandbox-vault-usdc-sandbox-one'
  const give = async () => {
    const order = { id, action: 'lend' as const, amount: 100_000_000n, wallet: owner }
    await perform(sandbox, owner, (await engineOn(sandbox).service.strategyBytecode(order)).bytecode)
  }
  await give()
  let isBegun = false
  const rpc = (chainId: number): ChainClient => {
    const real = sandbox.chain(chainId).rpc
    return {
      ...real,
      request: async (method, params) => {
        const said = await real.request(method, params)
        // Another deposit is mined right after the newest block was read.
        if (chainId === 31337 && method === 'eth_getBlockByNumber' && !isBegun) {
          isBegun = true
          await give()
        }
        return said as never
      },
    }
  }
  const { context } = engineOn(sandbox, { rpc })
  const market = marketNamed(context, id)
  const one = { ...context, markets: [market] }
  expect(await readInvested(one, market, owner)).toMatchObject({ principal: 100_000_000n })
  isBegun = false
  const { positions } = await walletOf({ ...one, lendingAccounts: async () => [] }, owner)
  expect(positions[0]).toMatchObject({
    principal: 200_000_000n,
    profit: expect.toSatisfy((by: bigint) => by < 10n),
  })
})
