import { encodeAbiParameters, encodeFunctionData, parseAbi } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { ask } from '../../../src/chain/ask.ts'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { openChain } from '../../../src/chain/network-client.ts'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { multicall3, publicNetworks } from '../../../src/domain/networks.ts'
import type { Token } from '../../../src/domain/token.ts'
import { emptyCatalog } from '../../../src/protocols/catalog-operations.ts'
import type { Catalog } from '../../../src/protocols/catalog-types.ts'
import { priceOf } from '../../../src/protocols/oracle-prices.ts'
import { type Anvil, startAnvil } from '../../../src/sandbox/anvil.ts'
import { ownContract } from '../../../src/sandbox/genesis/artifacts.ts'
import { codeSaying } from '../catalog-checks/scripted-contract-code.ts'

const network = publicNetworks.find(({ name }) => name === 'base')!
const at = (digit: number): Address => `0x${String(digit).repeat(40)}`
const [oracle, feed, source, adapter, outer] = [at(7), at(8), at(5), at(6), at(9)]
const token = (digit: number): Token => ({
  chainId: network.chainId,
  address: at(digit),
  symbol: `T${digit}`,
  name: `T${digit}`,
  decimals: 18,
})
let node: Anvil
let now = 0n

beforeAll(async () => {
  node = await startAnvil({
    binary: inject('anvil'),
    noteDir: inject('sandboxNotes'),
    chainId: network.chainId,
  })
  const code = await node.rpc.request<Hex>('eth_call', [
    { data: ownContract('SandboxMulticall').bytecode },
    'latest',
  ])
  await node.rpc.request('anvil_setCode', [multicall3, code])
  // A node has no clock before its first block.
  await node.rpc.request('evm_mine')
  const block = await node.rpc.request<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
  now = BigInt(block.timestamp)
  await put(oracle, [
    ['function getAssetPrice(address)', [at(1)], encoded(['uint256'], [3n * 10n ** 8n])],
    ['function getAssetPrice(address)', [at(2)], encoded(['uint256'], [0n])],
  ])
})
afterAll(() => node?.stop())

const encoded = (types: string[], values: unknown[]): Hex =>
  encodeAbiParameters(
    types.map((type) => ({ type })),
    values,
  )
type Saying = [signature: string, args: unknown[], answer: Hex]
const put = (where: Address, sayings: Saying[]) =>
  node.rpc.request('anvil_setCode', [
    where,
    codeSaying(
      new Map(
        sayings.map(([signature, args, answer]) => [
          encodeFunctionData({ abi: parseAbi([signature]), args } as never),
          answer,
        ]),
      ),
    ),
  ])
/** Sets the source from which the oracle prices the token. */
const pricedBy = (where: Address) =>
  put(oracle, [
    ['function getAssetPrice(address)', [at(1)], encoded(['uint256'], [3n * 10n ** 8n])],
    ['function getSourceOfAsset(address)', [at(1)], encoded(['address'], [where])],
  ])
const renewed = (ago: bigint): Saying => [
  'function latestRoundData()',
  [],
  encoded(['uint80', 'int256', 'uint256', 'uint256', 'uint80'], [1n, 3n * 10n ** 8n, 0n, now - ago, 1n]),
]
const standsOn = (name: string, where: Address): Saying => [
  `function ${name}()`,
  [],
  encoded(['address'], [where]),
]
const [fresh, old] = [60n, 27n * 3_600n]

/** Sets the answer of the feed and its age. */
const says = (answer: bigint, ago: bigint) =>
  put(feed, [
    [
      'function latestRoundData()',
      [],
      encoded(['uint80', 'int256', 'uint256', 'uint256', 'uint80'], [1n, answer, 0n, now - ago, 1n]),
    ],
  ])
/** A node that requires an address in `to` for every call. */
const withoutTo =
  (code: 'RPC_ERROR' | 'RPC_UNREACHABLE'): ChainClient['request'] =>
  (method, params) => {
    const { to } = (params?.[0] ?? {}) as { to?: Address }
    if (method === 'eth_call' && !to)
      throw new AppError(code, 'The node says: missing to', {
        details: { code: -32602, message: 'missing to' },
      })
    return node.rpc.request(method, params)
  }
const priced = (one: Token, feeds: Catalog['priceFeeds'], request = node.rpc.request) => {
  const catalog = {
    ...emptyCatalog,
    networks: [network],
    priceOracles: { [network.chainId]: oracle },
    priceFeeds: feeds,
  }
  return ask(openChain(network, { ...node.rpc, request }), priceOf(catalog, one))
}
const fed = (decimals = 8) => [{ chainId: network.chainId, token: at(2), feed, decimals }]

describe('the USD price of a token', () => {
  test('comes from the oracle, or from the feed if the oracle does not list it, with 8 decimals', async () => {
    await says(150_000_000n, 60n)
    expect(await priced(token(1), fed())).toBe(300_000_000n)
    expect(await priced(token(2), fed())).toBe(150_000_000n)
    await says(15n * 10n ** 17n, 60n)
    expect(await priced(token(2), fed(18))).toBe(150_000_000n)
  })

  test('is null when the feed is over a day old, not positive, or missing', async () => {
    await says(150_000_000n, 25n * 3_600n)
    expect(await priced(token(2), fed())).toBe(150_000_000n)
    await says(150_000_000n, 27n * 3_600n)
    expect(await priced(token(2), fed())).toBeNull()
    for (const answer of [0n, -1n]) {
      await says(answer, 60n)
      expect(await priced(token(2), fed())).toBeNull()
    }
    await node.rpc.request('anvil_setCode', [feed, '0x'])
    expect(await priced(token(2), fed())).toBeNull()
    expect(await priced(token(2), [])).toBeNull()
  })
})

describe('a price of the oracle', () => {
  test('is null when its source is over a day old, and then comes from the feed', async () => {
    await pricedBy(source)
    await put(source, [renewed(25n * 3_600n)])
    expect(await priced(token(1), [])).toBe(300_000_000n)
    await put(source, [renewed(old)])
    expect(await priced(token(1), [])).toBeNull()
    await says(299_000_000n, fresh)
    expect(await priced(token(1), [{ chainId: network.chainId, token: at(1), feed, decimals: 8 }])).toBe(
      299_000_000n,
    )
  })

  test.each([
    'ASSET_TO_USD_AGGREGATOR',
    'BASE_TO_USD_AGGREGATOR',
    'ASSET_TO_PEG',
    'PEG_TO_BASE',
    'BASE_TO_PEG',
    'RATIO_PROVIDER',
  ])('is as old as the oldest feed below its adapter: %s', async (name) => {
    const other = name === 'RATIO_PROVIDER' ? 'BASE_TO_USD_AGGREGATOR' : 'RATIO_PROVIDER'
    await pricedBy(outer)
    await put(outer, [standsOn('ASSET_TO_USD_AGGREGATOR', adapter)])
    await put(adapter, [standsOn(name, source), standsOn(other, feed)])
    await put(feed, [renewed(fresh)])
    await put(source, [renewed(fresh)])
    expect(await priced(token(1), [])).toBe(300_000_000n)
    await put(source, [renewed(old)])
    expect(await priced(token(1), [])).toBeNull()
  })

  test('is used when its age cannot be read from its source or from the node', async () => {
    await pricedBy(source)
    for (const says of [[], [standsOn('BASE_TO_USD_AGGREGATOR', source)], [renewed(now)]] as Saying[][]) {
      await put(source, says)
      expect(await priced(token(1), [])).toBe(300_000_000n)
    }
    await put(source, [renewed(old)])
    expect(await priced(token(1), [])).toBeNull()
    for (const code of ['RPC_ERROR', 'RPC_UNREACHABLE'] as const)
      expect(await priced(token(1), [], withoutTo(code))).toBe(300_000_000n)
  })
})
