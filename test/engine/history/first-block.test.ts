import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { openChain } from '../../../src/chain/network-client.ts'
import { httpRpc } from '../../../src/chain/rpc/failover.ts'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { sandboxNetworks } from '../../../src/domain/networks.ts'
import { deploymentBlock } from '../../../src/engine/history/logs/first-block.ts'
import { engineMigrations, engineStore } from '../../../src/store/engine/store.ts'
import { sqliteSql } from '../../../src/store/sql/sqlite.ts'
import { type Chain, startChain } from '../../support/anvil.ts'

let chain: Chain
let older: Address
let contract: Address
let born: bigint

const storage = () => engineStore(sqliteSql(':memory:', { migrations: engineMigrations }))
const on = (rpc: ChainClient) => openChain(sandboxNetworks[0]!, rpc)

/** Deploys one byte of code; returns its address and its block. */
async function deployed(rpc: ChainClient): Promise<{ at: Address; block: bigint }> {
  const [from] = await rpc.request<Address[]>('eth_accounts')
  const hash = await rpc.request<Hex>('eth_sendTransaction', [{ from, data: '0x60016000f3', gas: '0x186a0' }])
  for (;;) {
    const receipt = await rpc.request<{ contractAddress: Address; blockNumber: Hex } | null>(
      'eth_getTransactionReceipt',
      [hash],
    )
    if (receipt) return { at: receipt.contractAddress, block: BigInt(receipt.blockNumber) }
  }
}

beforeAll(async () => {
  chain = await startChain([], 1_000)
  const rpc = httpRpc(chain.url)
  await rpc.request('anvil_mine', ['0x32'])
  older = (await deployed(rpc)).at
  await rpc.request('anvil_mine', ['0xfa'])
  const second = await deployed(rpc)
  contract = second.at
  born = second.block
  await rpc.request('anvil_mine', ['0x190'])
})
afterAll(() => chain.stop())

const headOf = async () => BigInt(await httpRpc(chain.url).request<Hex>('eth_blockNumber'))

test('deploymentBlock finds the block of a contract in at most six exchanges, and stores it', async () => {
  let exchanges = 0
  const real = httpRpc(chain.url)
  const rpc: ChainClient = {
    ...real,
    batch: (calls) => {
      exchanges++
      return real.batch(calls)
    },
  }
  const store = storage()
  expect(await deploymentBlock(store, on(rpc), contract, older, await headOf())).toBe(born)
  expect(exchanges).toBeLessThanOrEqual(6)
  exchanges = 0
  expect(await deploymentBlock(store, on(rpc), contract, older, await headOf())).toBe(born)
  expect(exchanges).toBe(0)
})

test('deploymentBlock is undefined on a node without old states, whether it refuses or returns empty code', async () => {
  const head = await headOf()
  const pruned = (answer: () => unknown): ChainClient => {
    const real = httpRpc(chain.url)
    return {
      ...real,
      batch: async (calls) =>
        Promise.all(
          calls.map(([method, params]) =>
            method === 'eth_getCode' && BigInt(String(params[1])) < head - 50n
              ? answer()
              : real.request(method, params),
          ),
        ),
    }
  }
  const refuses = pruned(() => {
    throw new AppError('RPC_ERROR', 'missing trie node')
  })
  const store = storage()
  expect(await deploymentBlock(store, on(refuses), contract, older, head)).toBeUndefined()
  expect(await deploymentBlock(store, on(pruned(() => '0x')), contract, older, head)).toBeUndefined()
  // No wrong block was stored: a node with old states finds it.
  expect(await deploymentBlock(store, on(httpRpc(chain.url)), contract, older, head)).toBe(born)
})
