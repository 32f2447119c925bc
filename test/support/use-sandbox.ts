import { encodeFunctionData, keccak256, parseAbi, toBytes } from 'viem/utils'
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest'
import type { Address, Hex } from '../../src/domain/address.ts'
import type { Token } from '../../src/domain/token.ts'
import type { StrategyEntry } from '../../src/protocols/catalog-types.ts'
import { sandboxAddress, sandboxKey } from '../../src/sandbox/accounts.ts'
import { type SandboxChain, type SandboxWorld, startWorld } from '../../src/sandbox/world.ts'

/** The sandbox of a test file: its own world, and reads that go directly to the nodes. */
export type TestSandbox = {
  world: SandboxWorld
  chain: (chainId: number) => SandboxChain
  token: (chainId: number, symbol: string) => Token
  strategy: (id: string) => StrategyEntry
  /** The default signing account. */
  user: { address: Address; key: Hex }
  balanceOf: (chainId: number, token: Address, owner: Address) => Promise<bigint>
  nativeBalanceOf: (chainId: number, owner: Address) => Promise<bigint>
  /** The raw result of a call, for example `call(31337, pool, 'function getPool() view returns (address)', [])`. */
  call: (chainId: number, to: Address, signature: string, args?: readonly unknown[]) => Promise<Hex>
  /** Sends from an account whose key the node has (the sandbox accounts), and waits for the receipt. */
  sendAs: (
    chainId: number,
    from: Address,
    tx: { to: Address; data?: Hex; value?: bigint },
  ) => Promise<TestReceipt>
}

/** The fields of a receipt that tests read, as the node returns them. */
export type TestReceipt = {
  status: Hex
  transactionHash: Hex
  blockNumber: Hex
  logs: { address: Address; topics: Hex[]; data: Hex }[]
}

/** Calldata from a signature in text, for example `function approve(address,uint256)`. */
export const calldata = (signature: string, args: readonly unknown[] = []): Hex => {
  const abi = parseAbi([signature])
  const functionName = /function\s+(\w+)/.exec(signature)![1]!
  return encodeFunctionData({ abi, functionName, args } as never)
}

/** The topic of an event by its plain signature, for example `Transfer(address,address,uint256)`. */
export const topicOf = (signature: string): Hex => keccak256(toBytes(signature))

/**
 * A separate world for the calling test file: free ports, started before its first test, stopped after its last one,
 * and reverted to its snapshot after each test. Standard bridge messages take 0.3 s instead of 2 s.
 */
export function useSandbox({ standardDelayMs = 300 }: { standardDelayMs?: number } = {}): TestSandbox {
  let world: SandboxWorld | undefined
  let snapshot: readonly Hex[] = []
  const up = (): SandboxWorld => {
    if (!world) throw new Error('the sandbox is up only inside tests and hooks')
    return world
  }
  beforeAll(async () => {
    world = await startWorld({
      binary: inject('anvil'),
      cacheDir: inject('sandboxCache'),
      noteDir: inject('sandboxNotes'),
      standardDelayMs,
      pollMs: 100,
      bitcoinBlockMs: 100,
    })
    // A reverted node continues from the time of its newest block, and the genesis block is old.
    for (const { rpc } of world.chains) await rpc.request('evm_mine')
  })
  afterAll(async () => {
    await world?.stop()
  })
  beforeEach(async () => {
    snapshot = await up().snapshot()
  })
  afterEach(async () => {
    await up().faults.clear()
    // Pending transactions survive a revert, and would be mined in the next test.
    for (const { rpc } of up().chains) await rpc.request('anvil_dropAllTransactions')
    await up().revert(snapshot)
  })

  return sandboxOf(up)
}

/** The test interface of a running world. */
export function sandboxOf(up: () => SandboxWorld): TestSandbox {
  const chain = (chainId: number) => found(up().chains, ({ network }) => network.chainId === chainId)
  const call: TestSandbox['call'] = (chainId, to, signature, args) =>
    chain(chainId).rpc.request<Hex>('eth_call', [{ to, data: calldata(signature, args) }, 'latest'])
  return {
    get world() {
      return up()
    },
    chain,
    call,
    user: { address: sandboxAddress(), key: sandboxKey() },
    token: (chainId, symbol) =>
      found(up().catalog().tokens, (token) => token.chainId === chainId && token.symbol === symbol),
    strategy: (id) => found(up().catalog().strategies, (entry) => entry.id === id),
    balanceOf: async (chainId, token, owner) =>
      BigInt(await call(chainId, token, 'function balanceOf(address) view returns (uint256)', [owner])),
    nativeBalanceOf: async (chainId, owner) =>
      BigInt(await chain(chainId).rpc.request<Hex>('eth_getBalance', [owner, 'latest'])),
    sendAs: async (chainId, from, { to, data = '0x', value = 0n }) => {
      const { rpc } = chain(chainId)
      const tx = { from, to, data, value: `0x${value.toString(16)}`, gas: '0x4c4b40' }
      const hash = await rpc.request<Hex>('eth_sendTransaction', [tx])
      for (;;) {
        const receipt = await rpc.request<TestReceipt | null>('eth_getTransactionReceipt', [hash])
        if (receipt) return receipt
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
  }
}

function found<T>(items: readonly T[], is: (item: T) => boolean): T {
  const item = items.find(is)
  if (!item) throw new Error('the sandbox has no such thing')
  return item
}
