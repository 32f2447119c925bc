import { describe, expect, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import type { Hex } from '../../../src/domain/address.ts'
import type { Transaction } from '../../../src/domain/transaction-types.ts'
import { engineMigrations, engineStore } from '../../../src/store/engine/store.ts'
import { sqliteSql } from '../../../src/store/sql/sqlite.ts'
import { codeOf, engineOn, perform, takenSwap } from '../../support/engine.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const chainId = 31337
const rpc = () => sandbox.chain(chainId).rpc

type Service = ReturnType<typeof engineOn>['service']
const lend = (service: Service) =>
  service.strategyBytecode({ id: 'aave-v3-usdc-sandbox-one', action: 'lend', amount: 250_000000n, wallet })
const tell = (service: Service, actionId: string, txHash: Hex, event: 'SIGNED' | 'TX_FAILED' = 'SIGNED') =>
  service.ingest({ actionId, event, txHash })
/** Sends without waiting for a block. */
const send = ({ to, data }: Transaction, more: object = {}) =>
  rpc().request<Hex>('eth_sendTransaction', [{ from: wallet, to, data, gas: '0x4c4b40', ...more }])
/** Runs work while no block is mined. */
async function unmined<value>(work: () => Promise<value>): Promise<value> {
  await rpc().request('evm_setAutomine', [false])
  try {
    return await work()
  } finally {
    await rpc().request('evm_setAutomine', [true])
  }
}

describe('a completed operation', () => {
  test('stays SUCCESS when a second send reverts, which is listed beside it', async () => {
    const { service } = engineOn(sandbox)
    const { id, bytecode } = await lend(service)
    await perform(sandbox, wallet, bytecode)
    const done = await service.getAction({ id })
    expect(done.status).toBe('SUCCESS')
    const { to, data } = bytecode.at(-1)!
    const second = await sandbox.sendAs(chainId, wallet, { to, data })
    expect(second.status).toBe('0x0')
    const told = await tell(service, id, second.transactionHash, 'TX_FAILED')
    expect(told).toEqual({ ...done, transactions: [...done.transactions, expect.anything()] })
    expect(told.transactions.at(-1)).toMatchObject({
      kind: 'deposit',
      hash: second.transactionHash,
      status: 'failed',
      error: 'reverted',
    })
    expect(await tell(service, id, second.transactionHash, 'TX_FAILED')).toEqual(told)
    expect(await service.getAction({ id })).toEqual(told)
  })

  test('stays SUCCESS while a second send of a swap is pending, and after it is dropped', async () => {
    const { service } = engineOn(sandbox)
    const { quote, made } = await takenSwap(sandbox, service, wallet)
    const receipts = await perform(sandbox, wallet, [...made.approvals, ...made.transactions])
    const originTxHash = receipts.at(-1)!.transactionHash
    const isDone = async () => {
      expect((await service.getAction({ id: quote.id })).status).toBe('SUCCESS')
      expect(await service.swapStatus({ id: quote.id })).toMatchObject({ status: 'fulfilled', originTxHash })
      expect(await codeOf(service.swapBytecode({ quote: quote.raw as never, walletAddress: wallet }))).toBe(
        'QUOTE_VALIDATION_ERROR',
      )
    }
    await isDone()
    await unmined(async () => {
      const second = await send(made.transactions[0]!)
      expect((await tell(service, quote.id, second)).status).toBe('SUCCESS')
      await isDone()
      await rpc().request('anvil_dropTransaction', [second])
    })
    await isDone()
  })

  test('has the transactions that were sent again after a reorganisation', async () => {
    const { service } = engineOn(sandbox)
    const { id, bytecode } = await lend(service)
    const before = await rpc().request<Hex>('evm_snapshot')
    await perform(sandbox, wallet, bytecode)
    expect((await service.getAction({ id })).status).toBe('SUCCESS')
    await rpc().request('evm_revert', [before])
    await rpc().request('evm_mine')
    await rpc().request('evm_mine')
    const hashes: Hex[] = []
    for (const tx of bytecode) hashes.push(await send(tx, { gas: '0x4c4b41' }))
    const isMined = async () => await rpc().request('eth_getTransactionReceipt', [hashes.at(-1)])
    await expect.poll(isMined, { timeout: 20_000 }).not.toBeNull()
    for (const hash of hashes) await tell(service, id, hash)
    const now = await service.getAction({ id })
    expect([now.status, ...now.transactions.map(({ hash }) => hash)]).toEqual(['SUCCESS', ...hashes])
  })
})

describe('an operation that completed after its last read', () => {
  const isBesideOf = async (service: Service, id: string, [first, second]: readonly [Hex, Hex]) => {
    const { status, transactions } = await service.getAction({ id })
    expect(status).toBe('SUCCESS')
    expect(transactions.slice(1).map(({ hash, status }) => [hash, status])).toEqual([
      [first, 'confirmed'],
      [second, 'failed'],
    ])
  }

  test('is SUCCESS when only its reverted second send is reported', async () => {
    const { service } = engineOn(sandbox)
    const { id, bytecode } = await lend(service)
    const hashes = (await perform(sandbox, wallet, bytecode)).map((one) => one.transactionHash)
    const { to, data } = bytecode.at(-1)!
    const second = (await sandbox.sendAs(chainId, wallet, { to, data })).transactionHash
    expect((await tell(service, id, second, 'TX_FAILED')).status).toBe('SUCCESS')
    await isBesideOf(service, id, [hashes[1]!, second])
  })

  test.each([
    ['mined before the second is reported', true],
    ['pending when the second is reported', false],
  ])('is SUCCESS when its own transaction was reported and is %s', async (_, isMined) => {
    const { service } = engineOn(sandbox)
    const { id, bytecode } = await lend(service)
    const [approval, deposit] = bytecode as [Transaction, Transaction]
    await perform(sandbox, wallet, [approval])
    const hashes = await unmined(async () => {
      const own = await send(deposit)
      expect((await tell(service, id, own)).status).toBe('PENDING')
      const second = await send(deposit)
      if (!isMined) await tell(service, id, second)
      return [own, second] as const
    })
    await rpc().request('evm_mine')
    if (isMined) await tell(service, id, hashes[1], 'TX_FAILED')
    await isBesideOf(service, id, hashes)
  })

  test.each([
    ['after both sends', 'later', Date.now],
    ['days before and never sent', 'before', () => Date.now() - 2 * 24 * 3_600_000],
  ])(
    'is SUCCESS after a reverted second send, although an equal operation was issued %s',
    async (_, when, now) => {
      const store = engineStore(sqliteSql(':memory:', { migrations: engineMigrations }))
      const [service, other] = [
        engineOn(sandbox, { store }).service,
        engineOn(sandbox, { store, now }).service,
      ]
      if (when === 'before') await lend(other)
      const { id, bytecode } = await lend(service)
      const hashes = (await perform(sandbox, wallet, bytecode)).map((one) => one.transactionHash)
      const { to, data } = bytecode.at(-1)!
      const second = (await sandbox.sendAs(chainId, wallet, { to, data })).transactionHash
      if (when === 'later') await lend(other)
      expect((await tell(service, id, second, 'TX_FAILED')).status).toBe('SUCCESS')
      await isBesideOf(service, id, [hashes[1]!, second])
    },
  )

  test('is FAILED by its reported transaction when the other one may belong to an equal operation', async () => {
    const { service } = engineOn(sandbox)
    const [first, twin] = [await lend(service), await lend(service)]
    await perform(sandbox, wallet, first.bytecode)
    const { to, data } = twin.bytecode.at(-1)!
    const second = (await sandbox.sendAs(chainId, wallet, { to, data })).transactionHash
    expect((await tell(service, twin.id, second, 'TX_FAILED')).status).toBe('FAILED')
    expect((await service.getAction({ id: first.id })).status).toBe('SUCCESS')
    expect((await service.getAction({ id: twin.id })).status).toBe('FAILED')
  })
})

test('a second send of a completed operation is listed, also when it was reported before a node knew it', async () => {
  const { service } = engineOn(sandbox)
  const { id, bytecode } = await lend(service)
  await perform(sandbox, wallet, bytecode)
  expect((await service.getAction({ id })).status).toBe('SUCCESS')
  const hash = await unmined(async () => {
    const early = await send(bytecode[1]!)
    await rpc().request('anvil_dropTransaction', [early])
    await tell(service, id, early)
    expect(await send(bytecode[1]!)).toBe(early)
    return early
  })
  await rpc().request('evm_mine')
  const { status, transactions } = await service.getAction({ id })
  expect([status, transactions.at(-1)]).toMatchObject(['SUCCESS', { hash, status: 'failed' }])
})

test('a status read that a client report overtakes writes none of its findings', async () => {
  let meanwhile: (() => Promise<unknown>) | undefined
  const slow = (real: ChainClient): ChainClient => ({
    ...real,
    request: async (method, params) => {
      const answer = await real.request(method, params)
      // The depth of a transaction is read last, before anything is written.
      if (method === 'eth_blockNumber' && meanwhile) {
        const now = meanwhile
        meanwhile = undefined
        await now()
      }
      return answer as never
    },
  })
  const { service } = engineOn(sandbox, { rpc: (id) => slow(sandbox.chain(id).rpc) })
  const [first, twin] = [await lend(service), await lend(service)]
  const hashes = (await perform(sandbox, wallet, twin.bytecode)).map((one) => one.transactionHash)
  meanwhile = async () => {
    for (const hash of hashes) await tell(service, twin.id, hash)
  }
  const looked = await service.getAction({ id: first.id })
  expect(meanwhile).toBeUndefined()
  for (const { status, finishedAt, transactions } of [looked, await service.getAction({ id: first.id })]) {
    expect([status, finishedAt]).toEqual(['INITIAL', null])
    expect(transactions.map(({ hash }) => hash)).toEqual([null, null])
  }
  const own = await service.getAction({ id: twin.id })
  expect([own.status, ...own.transactions.map(({ hash }) => hash)]).toEqual(['SUCCESS', ...hashes])
})

describe('a reported hash that no node knows yet', () => {
  test.each([
    ['that operation', [1, 0]],
    ['an equal operation', [0, 1]],
  ])('belongs to the reported operation once it is mined, although %s is read first', async (_, order) => {
    const { service } = engineOn(sandbox)
    const twins = [await lend(service), await lend(service)]
    const [approval, deposit] = twins[1]!.bytecode as [Transaction, Transaction]
    await perform(sandbox, wallet, [approval])
    const hash = await unmined(async () => {
      const early = await send(deposit)
      await rpc().request('anvil_dropTransaction', [early])
      expect(await rpc().request('eth_getTransactionByHash', [early])).toBeNull()
      const told = await tell(service, twins[1]!.id, early)
      expect(told.transactions.at(-1)).toMatchObject({ hash: null, status: 'pending' })
      expect(await send(deposit)).toBe(early)
      return early
    })
    await rpc().request('evm_mine')
    // The equal operation never claims the transaction, not even temporarily.
    for (const at of order)
      expect((await service.getAction({ id: twins[at]!.id })).status === 'SUCCESS').toBe(at === 1)
    const [first, own] = await Promise.all(twins.map(({ id }) => service.getAction({ id })))
    expect(own!.transactions.at(-1)).toMatchObject({ hash, status: 'confirmed' })
    expect(own!.status).toBe('SUCCESS')
    expect(first!.transactions.at(-1)!.hash).toBeNull()
  })

  test('is looked up for at most an hour after its operation is done', async () => {
    let at = Date.now()
    const asked: unknown[] = []
    const { service, context } = engineOn(sandbox, {
      now: () => at,
      rpc: (id) => {
        const real = sandbox.chain(id).rpc
        return {
          ...real,
          request: async (method, params) => {
            if (method === 'eth_getTransactionByHash') asked.push(params?.[0])
            return real.request(method, params)
          },
        }
      },
    })
    const [before, after]: Hex[] = [`0x${'a1'.repeat(32)}`, `0x${'a2'.repeat(32)}`]
    const { id, bytecode } = await lend(service)
    await tell(service, id, before!)
    const isAsked = async (hash: Hex) => {
      asked.length = 0
      const { status } = await service.getAction({ id })
      return [status, asked.includes(hash)]
    }
    expect(await isAsked(before!)).toEqual(['INITIAL', true])
    await perform(sandbox, wallet, bytecode)
    at += 1_000
    await service.getAction({ id })
    expect(await isAsked(before!)).toEqual(['SUCCESS', true])
    at += 1_800_000
    await tell(service, id, after!)
    at += 2_000_000
    expect(await isAsked(before!)).toEqual(['SUCCESS', false])
    expect(await isAsked(after!)).toEqual(['SUCCESS', true])
    at += 3_600_000
    expect(await isAsked(after!)).toEqual(['SUCCESS', false])
    expect(await context.store.clientReports(id)).toEqual([])
  })

  test('is forgotten when it turns out to be an unrelated transaction, and at most eight are stored', async () => {
    const { service, context } = engineOn(sandbox)
    const { id, bytecode } = await lend(service)
    const unseen = (at: number): Hex => `0x${at.toString(16).padStart(64, '0')}`
    for (let at = 0; at < 12; at++) await tell(service, id, unseen(at))
    expect(await context.store.clientReports(id)).toHaveLength(8)
    const hash = await unmined(async () => {
      const other = { ...bytecode[0]!, to: wallet }
      const early = await send(other)
      await rpc().request('anvil_dropTransaction', [early])
      await tell(service, id, early)
      await send(other)
      return early
    })
    await rpc().request('evm_mine')
    expect((await service.getAction({ id })).status).toBe('INITIAL')
    expect((await context.store.clientReports(id)).map((one) => one.hash)).not.toContain(hash)
  })
})
