import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Service } from '../../src/api/service-type.ts'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import { openChain } from '../../src/chain/network-client.ts'
import { AppError } from '../../src/domain/errors.ts'
import { networkNamed } from '../../src/domain/networks.ts'
import { createCustomerEngines } from '../../src/engine/engine.ts'
import { oncePerBlock, readOncePerBlock } from '../../src/engine/once-per-block.ts'
import { aroundReads, engineOn, perform, takenSwap } from '../support/engine.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const slug = 'aave-v3-usdc-sandbox-one'
const network = () => networkNamed(sandbox.world.catalog().networks, 31337)
/** Disables the reuse of answers: every request reads the newest block. */
const noReuse = { minCallers: Number.POSITIVE_INFINITY, ms: 0 }

/** A memoized chain over a node that answers with its call count and records its calls. */
function numbered() {
  let block = 1
  const asked: string[] = []
  const failing = new Map<string, AppError>()
  const answer = (method: string, params: readonly unknown[] = []): unknown => {
    const name = [method, ...params].join(' ')
    asked.push(name)
    const fault = failing.get(method)
    if (fault) throw fault
    return method === 'eth_getBlockByNumber' ? { number: `0x${block}`, hash: `0x${block}` } : asked.length
  }
  const node: ChainClient = {
    host: 'node',
    peers: [],
    request: async <T>(method: string, params?: readonly unknown[]) => answer(method, params) as T,
    batch: async (calls) => calls.map(([method, params]) => answer(method, params)),
  }
  const chain = readOncePerBlock(openChain(network(), node), noReuse)
  /** The calls to the node meanwhile, except for its newest block. */
  const reads = async (work: () => Promise<unknown>) => {
    asked.length = 0
    await work()
    return asked.filter((name) => !name.startsWith('eth_getBlockByNumber'))
  }
  return { rpc: chain.rpc, chain, failing, reads, mine: () => block++ }
}
const balance = ['eth_getBalance', ['a', 'latest']] as const
const count = ['eth_getTransactionCount', ['a', 'latest']] as const

describe('the per-block memo of a chain', () => {
  test('sends equal requests once per block, and again in the next block', async () => {
    const { rpc, reads, mine } = numbered()
    const twice = () => Promise.all([rpc.request(...balance), rpc.request(...balance)])
    expect(await reads(twice)).toHaveLength(1)
    expect(await reads(twice)).toEqual([])
    mine()
    expect(await reads(twice)).toHaveLength(1)
    const [before, again] = [await rpc.request(...balance), await rpc.request(...balance)]
    expect(again).toBe(before)
    mine()
    expect(await rpc.request(...balance)).not.toBe(before)
  })

  test('sends only the missing requests of a batch, and assigns the answers correctly', async () => {
    const { rpc, reads } = numbered()
    const known = await rpc.request(...balance)
    let answers: unknown[] = []
    const both = async () => (answers = await rpc.batch([count, balance]))
    expect(await reads(both)).toEqual(['eth_getTransactionCount a latest'])
    expect(answers[1]).toBe(known)
    expect(await reads(both)).toEqual([])
    expect(answers).toEqual([await rpc.request(...count), known])
  })

  test('separates wallets, blocks and overrides, and stores only reads of the newest state', async () => {
    const { rpc, reads } = numbered()
    await rpc.request(...balance)
    const others = [
      ['eth_getBalance', ['b', 'latest']],
      ['eth_getBalance', ['a', '0x1']],
      ['eth_getBalance', ['a', 'pending']],
      ['eth_call', ['a', 'latest', { override: 1 }]],
      ['eth_getTransactionReceipt', ['a']],
      ['eth_sendRawTransaction', ['a']],
    ] as const
    for (const [method, params] of others)
      expect(await reads(() => rpc.request(method, params))).toEqual([[method, ...params].join(' ')])
    // Only reads of the newest state are stored.
    for (const [method, params] of others.slice(1))
      expect(await reads(() => rpc.request(method, params))).toHaveLength(1)
  })

  test('stores a revert, and no failure of the node', async () => {
    const { rpc, reads, failing } = numbered()
    const call = () => rpc.request('eth_call', ['a', 'latest']).catch(({ code }: AppError) => code)
    failing.set('eth_call', new AppError('RPC_ERROR', 'no', { details: { code: 3, message: 'reverted' } }))
    expect(await reads(call)).toHaveLength(1)
    expect(await reads(call)).toEqual([])
    const other = numbered()
    const read = () => other.rpc.request(...balance).catch(({ code }: AppError) => code)
    other.failing.set('eth_getBalance', new AppError('RPC_UNREACHABLE', 'down'))
    expect(await other.reads(read)).toHaveLength(1)
    expect(await other.reads(read)).toHaveLength(1)
    const batch = () => other.rpc.batch([balance, count]).catch(({ code }: AppError) => code)
    expect(await batch()).toBe('RPC_UNREACHABLE')
    other.failing.clear()
    expect(typeof (await read())).toBe('number')
    expect(await other.reads(batch)).toEqual(['eth_getTransactionCount a latest'])
  })

  test('stores a computed value for the block, and recomputes it on a chain without a memo', async () => {
    const { chain, mine } = numbered()
    let made = 0
    const make = async () => ++made
    const ask = (name: string) => oncePerBlock(chain, ['value', name], make)
    expect([await ask('one'), await ask('one'), await ask('two')]).toEqual([1, 1, 2])
    mine()
    expect(await ask('one')).toBe(3)
    const plain = sandbox.chain(31337)
    expect(await oncePerBlock(openChain(network(), plain.rpc), ['value', 'one'], make)).toBe(4)
    expect(await oncePerBlock(openChain(network(), plain.rpc), ['value', 'one'], make)).toBe(5)
  })
})

describe('a server with many requests', () => {
  /** The services of two customers, and the calls to their node except for the newest block. */
  const served = () => {
    const asked: string[] = []
    const of = createCustomerEngines({
      catalog: sandbox.world.catalog(),
      rpc: (id) => aroundReads(sandbox.chain(id).rpc, (method) => asked.push(method)),
      store: engineOn(sandbox).context.store,
      answerReuse: noReuse,
      now: Date.now,
      newId: randomUUID,
    })
    const [one, two] = ['one', 'two'].map((customer) =>
      of({ customer, changedBy: customer, scope: { testnets: true, strategies: null } }),
    ) as [Service, Service]
    const reads = async (work: () => Promise<unknown>) => {
      asked.length = 0
      await work()
      return asked.filter((method) => method !== 'eth_getBlockByNumber')
    }
    return { one, two, reads }
  }

  test('reads market, allowance and nonces of a deposit once per block, for every customer', async () => {
    const { one, two, reads } = served()
    const ask = (service: Service) => () =>
      service.strategyBytecode({ id: slug, action: 'lend', amount: 5_000_000n, wallet })
    const first = await ask(one)()
    let second: typeof first | undefined
    expect(await reads(async () => (second = await ask(two)()))).toEqual([])
    expect(second).toEqual({ ...first, id: second!.id })
    expect(second!.id).not.toBe(first.id)
    // The approval of the wallet is in the next block, and so in the next answer.
    await perform(sandbox, wallet, [first.bytecode[0]!])
    let third: typeof first | undefined
    expect((await reads(async () => (third = await ask(two)()))).length).toBeGreaterThan(0)
    expect([first.bytecode.length, third!.bytecode.length]).toEqual([2, 1])
    const [approval] = first.bytecode
    const { to, data } = approval!
    const none = { ...approval!, to, data: `${data.slice(0, 74)}${'0'.repeat(64)}` as typeof data }
    await perform(sandbox, wallet, [none])
    expect((await ask(one)()).bytecode).toHaveLength(2)
  })

  test('reads allowance, gas and nonces of a swap once per block, and sees sent transactions in the next', async () => {
    const { one, reads } = served()
    const { quote } = await takenSwap(sandbox, one, wallet)
    const ask = () => one.swapBytecode({ quote: quote.raw as never, walletAddress: wallet })
    const first = await ask()
    expect(await reads(ask)).toEqual([])
    expect(await ask()).toEqual(first)
    await perform(sandbox, wallet, [...first.approvals, ...first.transactions])
    await expect(ask()).rejects.toMatchObject({ code: 'QUOTE_VALIDATION_ERROR' })
  })
})
