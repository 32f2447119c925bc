import { encodeAbiParameters, encodeFunctionData, parseAbi } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'

import type { Address, Hex } from '../../src/domain/address.ts'
import { type Catalog, joined } from '../../src/domain/catalog.ts'
import { multicall3 } from '../../src/domain/network.ts'
import { publicNetworks } from '../../src/domain/networks.ts'
import type { Token } from '../../src/domain/token.ts'
import { openChain, read } from '../../src/engine/chain.ts'
import { priceOf } from '../../src/engine/prices.ts'
import { type Anvil, startAnvil } from '../../src/sandbox/anvil.ts'
import { own } from '../../src/sandbox/genesis/artifacts.ts'
import { codeSaying } from './sayings.ts'

const network = publicNetworks.find(({ name }) => name === 'base')!
const at = (digit: number): Address => `0x${String(digit).repeat(40)}`
const [oracle, feed] = [at(7), at(8)]
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
  const code = await node.rpc.request<Hex>('eth_call', [{ data: own('SandboxMulticall').bytecode }, 'latest'])
  await node.rpc.request('anvil_setCode', [multicall3, code])
  // Before its first block a node has no clock.
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
/** The feed says an answer of so many decimals that was renewed so long ago. */
const says = (answer: bigint, ago: bigint) =>
  put(feed, [
    [
      'function latestRoundData()',
      [],
      encoded(['uint80', 'int256', 'uint256', 'uint256', 'uint80'], [1n, answer, 0n, now - ago, 1n]),
    ],
  ])
const priced = (one: Token, feeds: Catalog['priceFeeds']) => {
  const catalog = {
    ...joined([]),
    networks: [network],
    priceOracles: { [network.chainId]: oracle },
    priceFeeds: feeds,
  }
  return read(openChain(network, node.rpc), priceOf(catalog, one))
}
const fed = (decimals = 8) => [{ chainId: network.chainId, token: at(2), feed, decimals }]

describe('the USD price of a token', () => {
  test('is that of the oracle, and where that does not list it that of the feed, with 8 decimals', async () => {
    await says(150_000_000n, 60n)
    expect(await priced(token(1), fed())).toBe(300_000_000n)
    expect(await priced(token(2), fed())).toBe(150_000_000n)
    await says(15n * 10n ** 17n, 60n)
    expect(await priced(token(2), fed(18))).toBe(150_000_000n)
  })

  test('is unknown where the feed is a day old, says nothing sensible, or is not there', async () => {
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
