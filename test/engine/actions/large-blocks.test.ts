import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { httpRpc } from '../../../src/chain/rpc/failover.ts'
import { AppError } from '../../../src/domain/errors.ts'
import type { Transaction } from '../../../src/domain/transaction-types.ts'
import { sandboxAddress } from '../../../src/sandbox/accounts.ts'
import { engineOn, perform, takenSwap } from '../../support/engine.ts'
import { type BusyNode, busyNode } from '../../support/nodes/busy-chain-node.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const chainId = 31337
const rpc = () => sandbox.chain(chainId).rpc

/** A busy machine needs long for blocks of megabytes. */
const patient = { deadlineMs: 60_000, budgetMs: 120_000 }

let node: BusyNode
beforeAll(async () => {
  node = await busyNode(sandbox.chain(chainId).rpcUrl)
})
afterAll(() => node.close())
beforeEach(() => {
  // About the size of a block on Ethereum or Base.
  Object.assign(node, { strangers: 10, inputBytes: 25_000, states: 1e9, lies: false, refuses: false })
  Object.assign(node, { bytes: 0, exchanges: 0, blocks: 0 })
})

const engine = (needs: Parameters<typeof engineOn>[1] = {}) =>
  engineOn(sandbox, {
    rpc: (id) => (id === chainId ? httpRpc(node.url, patient) : sandbox.chain(id).rpc),
    ...needs,
  }).service
type Service = ReturnType<typeof engine>
const lend = (service: Service, amount = 250_000000n) =>
  service.strategyBytecode({ id: 'aave-v3-usdc-sandbox-one', action: 'lend', amount, wallet })
/** A small transfer of the same wallet that belongs to no operation. */
const noise = (): Transaction => ({
  to: sandbox.token(chainId, 'USDC').address,
  data: calldata('function transfer(address,uint256)', [sandboxAddress(2), 1n]),
  value: 0n,
  chainId,
})
const mine = (blocks: number) => rpc().request('anvil_mine', [`0x${blocks.toString(16)}`])
/** The status and hashes of an operation, and the bytes, whole blocks and exchanges that the read cost. */
async function look(service: Service, id: string) {
  Object.assign(node, { bytes: 0, exchanges: 0, blocks: 0 })
  const { status, transactions } = await service.getAction({ id })
  const { bytes, blocks, exchanges } = node
  return { status, hashes: transactions.map(({ hash }) => hash), bytes, blocks, exchanges }
}
const hashesOf = (receipts: { transactionHash: string }[]) => receipts.map((one) => one.transactionHash)

describe('on a chain with blocks of half a megabyte', () => {
  test('a sent operation is SUCCESS and an unsent one INITIAL, and only few blocks are read', async () => {
    const service = engine()
    const sent = await lend(service)
    const unsent = await lend(service, 7_000000n)
    const hashes = hashesOf(await perform(sandbox, wallet, sent.bytecode))
    await mine(30)
    await perform(sandbox, wallet, [noise()])
    await mine(50)
    const found = await look(service, sent.id)
    expect(found).toMatchObject({ status: 'SUCCESS', hashes, blocks: 3 })
    expect(found.bytes).toBeLessThan(2_000_000)
    expect(found.exchanges).toBeLessThan(25)
    expect(await look(service, unsent.id)).toMatchObject({
      status: 'INITIAL',
      hashes: [null, null],
      blocks: 0,
    })
    // A client may also report its last transaction only.
    const third = await lend(service, 9_000000n)
    const told = hashesOf(await perform(sandbox, wallet, third.bytecode))
    await mine(10)
    const { status } = await service.ingest({
      actionId: third.id,
      event: 'SIGNED',
      txHash: told.at(-1) as never,
    })
    expect(status).toBe('SUCCESS')
  })

  test('a swap that completed long ago is fulfilled whenever it is first read', async () => {
    let late = 0
    const service = engine({ now: () => Date.now() + late })
    const { quote, made } = await takenSwap(sandbox, service, wallet)
    const hashes = hashesOf(await perform(sandbox, wallet, [...made.approvals, ...made.transactions]))
    await mine(300)
    late = 3_600_000
    // An unreadable block is neither an error nor an expiry: the status stays pending.
    Object.assign(node, { refuses: true, states: 0 })
    expect(await service.swapStatus({ id: quote.id })).toMatchObject({
      status: 'pending',
      originTxHash: null,
    })
    Object.assign(node, { refuses: false, states: 1e9 })
    expect(await service.swapStatus({ id: quote.id })).toMatchObject({
      status: 'fulfilled',
      originTxHash: hashes.at(-1),
    })
  })

  test('a swap that expired after its approval stays expired while later blocks cannot be read', async () => {
    let late = 0
    let gives = true
    const there = httpRpc(node.url, patient)
    const givesNoBlock: ChainClient = {
      ...there,
      request: async (method, params) => {
        if (gives || params?.[1] !== true) return there.request(method, params)
        throw new AppError('RPC_UNREACHABLE', 'busy')
      },
    }
    const service = engine({
      now: () => Date.now() + late,
      rpc: (id) => (id === chainId ? givesNoBlock : sandbox.chain(id).rpc),
    })
    const { quote, made } = await takenSwap(sandbox, service, wallet)
    await perform(sandbox, wallet, [...made.approvals])
    late = 3_600_000
    const over = await service.getAction({ id: quote.id })
    expect([over.status, (await service.swapStatus({ id: quote.id })).status]).toEqual(['FAILED', 'expired'])
    expect(over.finishedAt).not.toBeNull()
    await perform(sandbox, wallet, [noise()])
    for (gives of [false, true]) {
      expect(await service.getAction({ id: quote.id })).toEqual(over)
      expect((await service.swapStatus({ id: quote.id })).status).toBe('expired')
    }
    // Only the swap itself changes that.
    await perform(sandbox, wallet, made.transactions)
    expect((await service.swapStatus({ id: quote.id })).status).toBe('fulfilled')
  })

  test('a block above the response size limit is read in parts', async () => {
    Object.assign(node, { strangers: 120, inputBytes: 50_000 })
    const service = engine()
    const { id, bytecode } = await lend(service)
    const hashes = hashesOf(await perform(sandbox, wallet, bytecode))
    await mine(30)
    expect(await look(service, id)).toMatchObject({ status: 'SUCCESS', hashes })
  })

  test.each([
    ['reports that it has no old states', false],
    ['returns the newest state for old blocks', true],
  ])('a node that %s is read block by block, a limited number per read', async (_, lies) => {
    Object.assign(node, { states: 3, lies })
    const service = engine()
    const { id, bytecode } = await lend(service)
    await mine(70)
    const hashes = hashesOf(await perform(sandbox, wallet, bytecode))
    await mine(150)
    await perform(sandbox, wallet, [noise()])
    const looks = [await look(service, id), await look(service, id), await look(service, id)]
    expect(looks.map(({ status }) => status)).toEqual(['INITIAL', 'INITIAL', 'SUCCESS'])
    expect(looks[2]!.hashes).toEqual(hashes)
    for (const { bytes, blocks } of looks) {
      expect(bytes).toBeLessThan(20_000_000)
      expect(blocks).toBeLessThanOrEqual(48)
    }
  })

  describe('after a nonce was used without a transaction, as by an authorization of the wallet', () => {
    const skip = async () => {
      const count = Number(await rpc().request('eth_getTransactionCount', [wallet, 'latest']))
      await rpc().request('anvil_setNonce', [wallet, `0x${(count + 1).toString(16)}`])
    }

    test('a later operation is found by reading block by block', async () => {
      Object.assign(node, { states: 3 })
      const service = engine()
      const { id, bytecode } = await lend(service)
      await skip()
      await perform(sandbox, wallet, [noise()])
      await mine(70)
      const hashes = hashesOf(await perform(sandbox, wallet, bytecode))
      await mine(10)
      const looks = []
      for (let times = 0; times < 4; times++) looks.push(await look(service, id))
      expect(looks.map(({ status }) => status)).toEqual(['INITIAL', 'INITIAL', 'SUCCESS', 'SUCCESS'])
      expect(looks[2]!.hashes).toEqual(hashes)
    })

    test('an unsent swap expires once all blocks are read, also while new blocks arrive', async () => {
      Object.assign(node, { states: 3 })
      let late = 0
      const catalog = sandbox.world.catalog()
      const networks = catalog.networks.map((network) => ({ ...network, depth: 5 }))
      const service = engine({ now: () => Date.now() + late, catalog: { ...catalog, networks } })
      const { quote } = await service.quote({
        chainIdIn: chainId,
        chainIdOut: chainId,
        tokenIn: sandbox.token(chainId, 'USDC').address,
        tokenOut: sandbox.token(chainId, 'WETH').address,
        amountIn: 1_000000n,
      })
      await service.swapBytecode({ quote: quote.raw as never, walletAddress: wallet })
      await skip()
      await skip()
      await mine(40)
      late = 3_600_000
      const said = []
      for (let times = 0; times < 3; times++) {
        said.push((await service.swapStatus({ id: quote.id })).status)
        await mine(2)
      }
      expect(said).toEqual(['pending', 'expired', 'expired'])
    })
  })
})
