import { encodeFunctionData, keccak256, parseAbi, toBytes } from 'viem/utils'
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest'
import type { Address, Hex } from '../../src/domain/address.ts'
import type { Token } from '../../src/domain/token.ts'
import type { StrategyEntry } from '../../src/protocols/catalog.ts'
import { sandboxAddress, sandboxKey } from '../../src/sandbox/accounts.ts'
import { type SandboxChain, type SandboxWorld, startWorld } from '../../src/sandbox/world.ts'

/** What a test file has in its hands: its own world, and reads that go straight to the nodes. */
export type TestSandbox = {
  world: SandboxWorld
  chain: (chainId: number) => SandboxChain
  token: (chainId: number, symbol: string) => Token
  strategy: (id: string) => StrategyEntry
  /** The account that signs by default. */
  user: { address: Address; key: Hex }
  balanceOf: (chainId: number, token: Address, owner: Address) => Promise<bigint>
  nativeBalanceOf: (chainId: number, owner: Address) => Promise<bigint>
  /** The raw answer of a call, such as `call(31337, pool, 'function getPool() view returns (address)', [])`. */
  call: (chainId: number, to: Address, signature: string, args?: readonly unknown[]) => Promise<Hex>
  /** Sends as an account whose key the node has (the sandbox's own accounts), and waits for the receipt. */
  sendAs: (
    chainId: number,
    from: Address,
    tx: { to: Address; data?: Hex; value?: bigint },
  ) => Promise<TestReceipt>
}

/** The parts of a receipt that tests look at, as the node gives them. */
export type TestReceipt = {
  status: Hex
  transactionHash: Hex
  blockNumber: Hex
  logs: { address: Address; topics: Hex[]; data: Hex }[]
}

/** Calldata from a signature in words, such as `function approve(address,uint256)`. */
export const calldata = (signature: string, args: readonly unknown[] = []): Hex => {
  const abi = parseAbi([signature])
  const functionName = /function\s+(\w+)/.exec(signature)![1]!
  return encodeFunctionData({ abi, functionName, args } as never)
}

/** The topic of an event by its plain signature, such as `Transfer(address,address,uint256)`. */
export const topicOf = (signature: string): Hex => keccak256(toBytes(signature))

/** A world that was started, both chains as they began, and what the gas of their next block cost then. */
type StartedWorld = { world: SandboxWorld; began: readonly Hex[]; baseFees: readonly Hex[] }

/** The world of this worker that no test file uses now. To start one costs more than most files do with it. */
let idle: StartedWorld | undefined

async function newWorld(): Promise<StartedWorld> {
  const world = await startWorld({
    binary: inject('anvil'),
    cacheDir: inject('sandboxCache'),
    noteDir: inject('sandboxNotes'),
    standardDelayMs: 300,
    pollMs: 100,
    bitcoinBlockMs: 100,
  })
  const baseFees = await Promise.all(
    world.chains.map(async ({ rpc }) => {
      const next = await rpc.request<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', ['pending', false])
      return next.baseFeePerGas
    }),
  )
  return { world, began: await world.snapshot(), baseFees }
}

/** The chains taken back to how they began, with their clocks on time; `undefined` if a test has left a node that is none any more. */
async function asItBegan({ world, began, baseFees }: StartedWorld): Promise<StartedWorld | undefined> {
  try {
    await world.faults.clear()
    for (const { rpc } of world.chains) {
      await rpc.request('evm_setAutomine', [true])
      await rpc.request('anvil_dropAllTransactions')
    }
    await world.revert(began)
    if (world.isAlive()) return { world, began: await world.snapshot(), baseFees }
  } catch {
    // A test has ended the node, or begun it anew: nobody else gets it.
  }
  await world.stop()
  return undefined
}

/**
 * A world for the test file that calls this alone: free ports, as it began before its first test, and taken back to that after each.
 * Standard bridge messages wait 0.3 s instead of 2 s.
 */
export function useSandbox(): TestSandbox {
  let mine: StartedWorld | undefined
  let snapshot: readonly Hex[] = []
  const up = (): SandboxWorld => {
    if (!mine) throw new Error('the sandbox is up only inside tests and hooks')
    return mine.world
  }
  beforeAll(async () => {
    mine = idle ?? (await newWorld())
    idle = undefined
    // A node that is taken back to a snapshot goes on with the time of its newest block, and that of genesis is old; gas costs what it last did.
    for (const [at, { rpc }] of up().chains.entries()) {
      await rpc.request('anvil_setNextBlockBaseFeePerGas', [mine.baseFees[at]])
      await rpc.request('evm_setTime', [Math.floor(Date.now() / 1_000)])
      await rpc.request('evm_mine')
    }
  })
  afterAll(async () => {
    const used = mine
    mine = undefined
    idle = used && (await asItBegan(used))
  })
  beforeEach(async () => {
    snapshot = await up().snapshot()
  })
  afterEach(async () => {
    await up().faults.clear()
    // What waits is not of the chain, and would be mined in the next test.
    for (const { rpc } of up().chains) await rpc.request('anvil_dropAllTransactions')
    await up().revert(snapshot)
  })

  return sandboxOf(up)
}

/** A world that is up, as tests have it in their hands. */
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
