import fc from 'fast-check'
import { numberToHex } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { type Hex, nativeAddress } from '../../../src/domain/address.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { AppError } from '../../../src/domain/errors.ts'
import type { State } from '../../../src/domain/swap-outcome.ts'
import type { Transaction } from '../../../src/domain/transaction-types.ts'
import {
  type ActionEvidence,
  isEnded,
  nextState,
  transitions,
} from '../../../src/engine/actions/state-machine.ts'
import { sandboxAddress } from '../../../src/sandbox/accounts.ts'
import { codeOf, engineOn, perform } from '../../support/engine.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const stranger = sandboxAddress(2)
const chainId = 31337
const rpc = () => sandbox.chain(chainId).rpc
const slug = 'aave-v3-usdc-sandbox-one'
const amount = 250_000000n

const lend = (service: ReturnType<typeof engineOn>['service']) =>
  service.strategyBytecode({ id: slug, action: 'lend', amount, wallet })
const hashesOf = (receipts: readonly { transactionHash: Hex }[]) => receipts.map((one) => one.transactionHash)
/** A small transfer of the same wallet that belongs to no operation. */
const noise = (): Transaction => ({
  to: sandbox.token(chainId, 'USDC').address,
  data: calldata('function transfer(address,uint256)', [stranger, 1n]),
  value: 0n,
  chainId,
})
/** The same networks, with finality at this depth. */
const deeper = (depth: number) => {
  const catalog = sandbox.world.catalog()
  return { catalog: { ...catalog, networks: catalog.networks.map((network) => ({ ...network, depth })) } }
}

describe('a tracked operation', () => {
  test('finds its transactions on chain without a client report, and reports kind, block, gas and nonce', async () => {
    const { service } = engineOn(sandbox)
    const { id, bytecode } = await lend(service)
    expect(await service.getAction({ id })).toMatchObject({
      status: 'INITIAL',
      type: 'SAMECHAIN_INVESTMENT_DEPOSIT',
      strategySlug: slug,
      originAddress: wallet,
      finishedAt: null,
      transactions: [
        { kind: 'approve', hash: null, status: 'pending' },
        { kind: 'deposit', hash: null, status: 'pending' },
      ],
    })
    const [approval] = await perform(sandbox, wallet, bytecode.slice(0, 1))
    const half = await service.getAction({ id })
    expect(half.status).toBe('PENDING')
    expect(half.transactions[0]).toMatchObject({ hash: approval!.transactionHash, status: 'confirmed' })
    const [deposit] = await perform(sandbox, wallet, bytecode.slice(1))
    const done = await service.getAction({ id })
    expect(done.status).toBe('SUCCESS')
    expect(done.transactions.map(({ hash }) => hash)).toEqual(hashesOf([approval!, deposit!]))
    for (const { hash, blockNumber, gasUsed, nonce } of done.transactions) {
      const receipt = await rpc().request<Record<string, Hex>>('eth_getTransactionReceipt', [hash])
      const sent = await rpc().request<Record<string, Hex>>('eth_getTransactionByHash', [hash])
      expect([blockNumber, gasUsed, nonce]).toEqual([
        Number(receipt.blockNumber),
        BigInt(receipt.gasUsed!).toString(),
        Number(sent.nonce),
      ])
    }
    expect(done.finishedAt).not.toBeNull()
    expect(await service.getAction({ id })).toEqual(done)
  })

  test('finds its transactions among others of the wallet, also in one block and long after', async () => {
    const { service } = engineOn(sandbox)
    const { id, bytecode } = await lend(service)
    const noisy = [...Array(10).fill(noise()), bytecode[0]!, ...Array(10).fill(noise())] as Transaction[]
    const receipts = await perform(sandbox, wallet, noisy)
    await rpc().request('evm_setAutomine', [false])
    const hashes: Hex[] = []
    for (const { to, data } of [noise(), noise(), bytecode[1]!, noise()])
      hashes.push(
        await rpc().request<Hex>('eth_sendTransaction', [{ from: wallet, to, data, gas: '0x4c4b40' }]),
      )
    await rpc().request('evm_mine')
    await rpc().request('evm_setAutomine', [true])
    await rpc().request('anvil_mine', ['0x258'])
    const { status, transactions } = await service.getAction({ id })
    expect(status).toBe('SUCCESS')
    expect(transactions.map(({ hash }) => hash)).toEqual([receipts[10]!.transactionHash, hashes[2]])
  })

  test('ignores the same call of another wallet, and one that was sent before it was issued', async () => {
    const { service } = engineOn(sandbox)
    const first = await lend(service)
    await perform(sandbox, wallet, first.bytecode)
    const { id, bytecode } = await lend(service)
    // The other wallet has higher nonces, and ours has sent an unrelated transaction.
    const theirs = Array.from({ length: 8 }, () => bytecode[0]!)
    await perform(sandbox, stranger, theirs)
    await perform(sandbox, wallet, [noise()])
    expect(await service.getAction({ id })).toMatchObject({
      status: 'INITIAL',
      transactions: [{ hash: null }, {}],
    })
    expect((await service.getAction({ id: first.id })).status).toBe('SUCCESS')
  })

  test('has other hashes than an equal operation, in any order of reads', async () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const { service } = engineOn(sandbox)
      const made = [await lend(service), await lend(service)]
      const sent = new Set(
        hashesOf(await perform(sandbox, wallet, [...made[0]!.bytecode, ...made[1]!.bytecode])),
      )
      const found: (string | null)[] = []
      for (const at of order) {
        const { status, transactions } = await service.getAction({ id: made[at]!.id })
        expect(status).toBe('SUCCESS')
        found.push(...transactions.map(({ hash }) => hash))
      }
      expect(new Set(found)).toEqual(sent)
      expect(found).toHaveLength(4)
    }
  })

  test('is consistent when it is read concurrently', async () => {
    const { service } = engineOn(sandbox)
    const made = [await lend(service), await lend(service)]
    await perform(sandbox, wallet, [...made[0]!.bytecode, ...made[1]!.bytecode])
    await Promise.all([0, 1, 0, 1, 0, 1].map((at) => service.getAction({ id: made[at]!.id })))
    const found = await Promise.all(made.map(({ id }) => service.getAction({ id })))
    const hashes = found.flatMap(({ transactions }) => transactions.map(({ hash }) => hash))
    expect(found.map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS'])
    expect(new Set(hashes).size).toBe(4)
  })

  test('trusts a client that names its transactions, and takes them back from an equal operation', async () => {
    const { service } = engineOn(sandbox)
    const [mine, other] = [await lend(service), await lend(service)]
    const [approval, deposit] = hashesOf(await perform(sandbox, wallet, mine.bytecode))
    const guessed = await service.getAction({ id: other.id })
    expect(guessed.status).toBe('SUCCESS')
    for (const txHash of [approval!, deposit!])
      await service.ingest({ actionId: mine.id, event: 'SIGNED', txHash, chainId })
    const told = await service.getAction({ id: mine.id })
    expect(told).toMatchObject({ status: 'SUCCESS', transactions: [{ hash: approval }, { hash: deposit }] })
    expect(await service.getAction({ id: other.id })).toMatchObject({
      status: 'INITIAL',
      finishedAt: null,
      transactions: [{ hash: null }, { hash: null }],
    })
  })

  test('refuses a client report of an unrelated transaction', async () => {
    const { service } = engineOn(sandbox)
    const { id } = await lend(service)
    const txHash = (await perform(sandbox, wallet, [noise()]))[0]!.transactionHash
    const before = await service.getAction({ id })
    for (const event of ['SIGNED', 'TX_FAILED'] as const)
      for (const where of [{ chainId }, {}])
        expect(await codeOf(service.ingest({ actionId: id, event, txHash, ...where }))).toBe('BAD_REQUEST')
    expect(await service.getAction({ id })).toEqual(before)
    expect(before).toMatchObject({ status: 'INITIAL', transactions: [{ hash: null }, { hash: null }] })
    // An unknown hash, and a report without a hash, change nothing.
    const unseen: Hex = `0x${'12'.repeat(32)}`
    for (const more of [{ txHash: unseen }, {}, { txHash, chainId: 31338 }])
      expect(await service.ingest({ actionId: id, event: 'SIGNED', ...more })).toEqual(before)
    expect(await service.ingest({ actionId: id, event: 'TX_FAILED' })).toEqual(before)
    // A chain that this service does not serve has no transactions.
    await expect(
      service.ingest({ actionId: id, event: 'SIGNED', txHash, chainId: 999 }),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: { errors: [{ path: 'chainId' }] } })
    expect(await codeOf(service.ingest({ actionId: 'nothing', event: 'SIGNED', txHash }))).toBe(
      'ACTION_NOT_FOUND',
    )
    expect(await codeOf(service.getAction({ id: 'nothing' }))).toBe('ACTION_NOT_FOUND')
  })

  test('refuses a client report of a transaction that was sent before it was issued', async () => {
    const { service } = engineOn(sandbox)
    const earlier = await lend(service)
    const [, old] = hashesOf(await perform(sandbox, wallet, earlier.bytecode))
    const { id } = await lend(service)
    const told = { actionId: id, event: 'SIGNED' as const, txHash: old!, chainId }
    expect(await codeOf(service.ingest(told))).toBe('BAD_REQUEST')
    expect((await service.getAction({ id })).transactions.at(-1)!.hash).toBeNull()
  })

  test('takes its failure from the chain, not from the client', async () => {
    const { service } = engineOn(sandbox)
    const { id, bytecode } = await lend(service)
    const [, deposit] = bytecode as [Transaction, Transaction]
    const { transactionHash: txHash } = await sandbox.sendAs(chainId, wallet, {
      to: deposit.to,
      data: deposit.data,
    })
    const upper = `0x${txHash.slice(2).toUpperCase()}` as Hex
    const failed = await service.ingest({ actionId: id, event: 'TX_FAILED', txHash: upper })
    expect(failed).toMatchObject({
      status: 'FAILED',
      transactions: [{}, { hash: txHash, error: 'reverted' }],
    })
    expect(await service.ingest({ actionId: id, event: 'SIGNED', txHash })).toEqual(failed)
  })

  test('of one customer is unaffected by reads and reports of another', async () => {
    const { service, context } = engineOn(sandbox)
    const theirs = engineOn(sandbox, { store: context.store, customer: 'somebody else' }).service
    const [mine, copy] = [await lend(service), await lend(theirs)]
    const [approval, deposit] = hashesOf(await perform(sandbox, wallet, mine.bytecode))
    // The other customer reads first, and reports, too.
    expect((await theirs.getAction({ id: copy.id })).status).toBe('SUCCESS')
    const done = await service.getAction({ id: mine.id })
    expect(done).toMatchObject({ status: 'SUCCESS', transactions: [{ hash: approval }, { hash: deposit }] })
    await theirs.ingest({ actionId: copy.id, event: 'SIGNED', txHash: deposit!, chainId })
    const more = await lend(theirs)
    expect(await codeOf(theirs.ingest({ actionId: more.id, event: 'SIGNED', txHash: deposit! }))).toBe(
      'BAD_REQUEST',
    )
    expect(await service.getAction({ id: mine.id })).toEqual(done)
  })

  test('is ACTION_NOT_FOUND for another customer', async () => {
    const { service, context } = engineOn(sandbox)
    const { id } = await lend(service)
    const theirs = engineOn(sandbox, { store: context.store, customer: 'somebody else' }).service
    expect(await codeOf(theirs.getAction({ id }))).toBe('ACTION_NOT_FOUND')
  })

  test('is FAILED after a revert, and SUCCESS when its calls are sent again within a day', async () => {
    let clock = Date.now()
    const { service } = engineOn(sandbox, { now: () => clock })
    const { id, bytecode } = await lend(service)
    const [, deposit] = bytecode as [Transaction, Transaction]
    const receipt = await sandbox.sendAs(chainId, wallet, { to: deposit.to, data: deposit.data })
    expect(receipt.status).toBe('0x0')
    const failed = await service.getAction({ id })
    expect(failed.status).toBe('FAILED')
    expect(failed.finishedAt).not.toBeNull()
    expect(failed.transactions[1]).toMatchObject({
      hash: receipt.transactionHash,
      status: 'failed',
      error: 'reverted',
    })
    const again = await perform(sandbox, wallet, bytecode)
    const done = await service.getAction({ id })
    expect(done.status).toBe('SUCCESS')
    expect(done.transactions[1]!.hash).toBe(hashesOf(again)[1])
    // After a day the operation is not read again.
    const other = await lend(service)
    const twin = await sandbox.sendAs(chainId, wallet, { to: deposit.to, data: deposit.data })
    expect(twin.status).toBe('0x0')
    expect((await service.getAction({ id: other.id })).status).toBe('FAILED')
    await perform(sandbox, wallet, other.bytecode)
    clock += 25 * 3_600_000
    expect((await service.getAction({ id: other.id })).status).toBe('FAILED')
  })

  test('that reverted leaves equal calls to a newer equal operation, in any order of reads', async () => {
    const { service } = engineOn(sandbox)
    const first = await lend(service)
    const [, deposit] = first.bytecode as [Transaction, Transaction]
    await sandbox.sendAs(chainId, wallet, { to: deposit.to, data: deposit.data })
    expect((await service.getAction({ id: first.id })).status).toBe('FAILED')
    const again = await lend(service)
    expect(again.bytecode).toEqual(first.bytecode)
    const receipts = await perform(sandbox, wallet, again.bytecode)
    expect((await service.getAction({ id: first.id })).status).toBe('FAILED')
    const done = await service.getAction({ id: again.id })
    expect([done.status, ...done.transactions.map(({ hash }) => hash)]).toEqual([
      'SUCCESS',
      ...hashesOf(receipts),
    ])
    expect((await service.getAction({ id: first.id })).status).toBe('FAILED')
  })

  test('that was sent again after a revert is SUCCESS beside an older unsent equal operation', async () => {
    let clock = Date.now()
    const { service } = engineOn(sandbox, { now: () => clock++ })
    const unsent = await lend(service)
    const sent = await lend(service)
    const [, deposit] = sent.bytecode as [Transaction, Transaction]
    await sandbox.sendAs(chainId, wallet, { to: deposit.to, data: deposit.data })
    expect((await service.getAction({ id: sent.id })).status).toBe('FAILED')
    await perform(sandbox, wallet, sent.bytecode)
    expect((await service.getAction({ id: sent.id })).status).toBe('SUCCESS')
    expect((await service.getAction({ id: unsent.id })).status).not.toBe('SUCCESS')
  })

  test('that reverted in a reorganised block has the status of the new chain', async () => {
    const { service } = engineOn(sandbox, deeper(5))
    const { id, bytecode } = await lend(service)
    const [, deposit] = bytecode as [Transaction, Transaction]
    const before = await rpc().request<Hex>('evm_snapshot')
    await sandbox.sendAs(chainId, wallet, { to: deposit.to, data: deposit.data })
    expect((await service.getAction({ id })).status).toBe('FAILED')
    await rpc().request('evm_revert', [before])
    expect((await service.getAction({ id })).status).toBe('INITIAL')
    await perform(sandbox, wallet, bytecode)
    await rpc().request('anvil_mine', ['0x5'])
    expect((await service.getAction({ id })).status).toBe('SUCCESS')
  })

  test('is PENDING until the finality depth of its chain', async () => {
    const { service } = engineOn(sandbox, deeper(3))
    const { id, bytecode } = await lend(service)
    await perform(sandbox, wallet, bytecode)
    expect((await service.getAction({ id })).status).toBe('PENDING')
    await rpc().request('evm_mine')
    expect((await service.getAction({ id })).status).toBe('PENDING')
    await rpc().request('evm_mine')
    expect((await service.getAction({ id })).status).toBe('SUCCESS')
  })

  test('is INITIAL after a reorganisation, and SUCCESS when it is sent again', async () => {
    const { service } = engineOn(sandbox, deeper(5))
    const { id, bytecode } = await lend(service)
    const lost = hashesOf(await perform(sandbox, wallet, bytecode))
    expect((await service.getAction({ id })).status).toBe('PENDING')
    await rpc().request('anvil_reorg', [2, []])
    const back = await service.getAction({ id })
    expect(back.status).toBe('INITIAL')
    expect(back.transactions.map(({ status, blockNumber }) => [status, blockNumber])).toEqual([
      ['pending', null],
      ['pending', null],
    ])
    await rpc().request('anvil_dropAllTransactions')
    // Other fees give the same calls other hashes.
    const again: Hex[] = []
    for (const { to, data } of bytecode) {
      const tx = { from: wallet, to, data, gas: '0x4c4b41', maxFeePerGas: '0x77359400' }
      again.push(await rpc().request<Hex>('eth_sendTransaction', [tx]))
    }
    await rpc().request('anvil_mine', ['0x5'])
    const done = await service.getAction({ id })
    expect(done.transactions.map(({ hash }) => hash)).toEqual(again)
    expect(again).not.toEqual(lost)
    expect(done.status).toBe('SUCCESS')
  })

  test('is not confirmed by a receipt whose block is not part of the chain', async () => {
    const real = rpc()
    /** A node that returns receipts of a lost block. */
    const forgetful: ChainClient = {
      ...real,
      batch: async (calls) => {
        const answers = await real.batch(calls)
        return answers.map((answer, at) =>
          calls[at]![0] === 'eth_getTransactionReceipt' && answer
            ? { ...answer, blockHash: `0x${'ab'.repeat(32)}` }
            : answer,
        )
      },
    }
    const { service } = engineOn(sandbox, { rpc: () => forgetful })
    const { id, bytecode } = await lend(service)
    await perform(sandbox, wallet, bytecode)
    expect((await service.getAction({ id })).status).toBe('INITIAL')
  })

  test('does not take the mined transaction of an equal operation while its own is pending', async () => {
    const { service } = engineOn(sandbox)
    const [approval] = (await lend(service)).bytecode
    const spender = (await lend(service)).bytecode[1]!.to
    const data = calldata('function approve(address,uint256)', [spender, amount * 10n])
    await perform(sandbox, wallet, [{ ...approval!, data }])
    const [mine, twin] = [await lend(service), await lend(service)]
    const next = BigInt(await rpc().request<Hex>('eth_getTransactionCount', [wallet, 'latest'])) + 5n
    const call = { from: wallet, to: spender, data: mine.bytecode[0]!.data, gas: '0x4c4b40' }
    const waits = await rpc().request<Hex>('eth_sendTransaction', [{ ...call, nonce: numberToHex(next) }])
    await service.ingest({ actionId: mine.id, event: 'SIGNED', txHash: waits, chainId })
    const [mined] = await perform(sandbox, wallet, twin.bytecode)
    expect(await service.getAction({ id: mine.id })).toMatchObject({
      status: 'INITIAL',
      transactions: [{ hash: waits, status: 'pending' }],
    })
    expect(await service.getAction({ id: twin.id })).toMatchObject({
      status: 'SUCCESS',
      transactions: [{ hash: mined!.transactionHash }],
    })
    await rpc().request('anvil_dropAllTransactions')
  })

  test('follows its transaction when a higher fee replaced it', async () => {
    const { service } = engineOn(sandbox)
    const { id, bytecode } = await lend(service)
    await perform(sandbox, wallet, bytecode.slice(0, 1))
    await rpc().request('evm_setAutomine', [false])
    const nonce = await rpc().request<Hex>('eth_getTransactionCount', [wallet, 'latest'])
    const { to, data } = bytecode[1]!
    const send = (fee: Hex) =>
      rpc().request<Hex>('eth_sendTransaction', [
        { from: wallet, to, data, nonce, gas: '0x4c4b40', maxFeePerGas: fee, maxPriorityFeePerGas: fee },
      ])
    const slow = await send('0x77359400')
    await service.ingest({ actionId: id, event: 'SIGNED', txHash: slow, chainId })
    expect((await service.getAction({ id })).transactions[1]).toMatchObject({ hash: slow, status: 'pending' })
    const fast = await send('0xee6b2800')
    await rpc().request('evm_mine')
    await rpc().request('evm_setAutomine', [true])
    expect(await service.getAction({ id })).toMatchObject({
      status: 'SUCCESS',
      transactions: [{}, { hash: fast, status: 'confirmed' }],
    })
  })
})

test('a completed full withdrawal reports the amount that its receipt shows', async () => {
  const { service, context } = engineOn(sandbox)
  await perform(sandbox, wallet, (await lend(service)).bytecode)
  await sandbox.world.warp(86_400)
  const { address, symbol } = sandbox.token(chainId, 'USDC')
  const order = { id: slug, action: 'withdraw', amount: maxUint256, wallet } as const
  const { id, bytecode } = await service.strategyBytecode(order)
  expect((await service.getAction({ id })).amounts).toEqual({ in: null, out: null })
  const before = await sandbox.balanceOf(chainId, address, wallet)
  await perform(sandbox, wallet, bytecode)
  const came = (await sandbox.balanceOf(chainId, address, wallet)) - before
  expect(came).toBeGreaterThan(amount)
  const done = await service.getAction({ id })
  expect(done).toMatchObject({ status: 'SUCCESS', amounts: { in: null, out: { raw: String(came), symbol } } })
  // If the chain is unreachable, the other fields are known.
  const dead = { request: () => Promise.reject(new AppError('RPC_UNREACHABLE', 'nobody is there')) }
  const { service: alone } = engineOn(sandbox, {
    store: context.store,
    rpc: () => ({ ...rpc(), ...dead }) as ChainClient,
  })
  expect(await alone.getAction({ id })).toEqual({ ...done, amounts: { in: null, out: null } })
})

test('a swap of which only the approval was sent expires, and its action is FAILED', async () => {
  let shift = 0
  const { service } = engineOn(sandbox, { now: () => Date.now() + shift })
  const { quote } = await service.quote({
    chainIdIn: chainId,
    chainIdOut: chainId,
    tokenIn: sandbox.token(chainId, 'USDC').address,
    tokenOut: sandbox.token(chainId, 'WETH').address,
    amountIn: amount,
  })
  const { approvals } = await service.swapBytecode({ quote: quote.raw as never, walletAddress: wallet })
  await perform(sandbox, wallet, approvals)
  expect((await service.getAction({ id: quote.id })).status).toBe('PENDING')
  // The swap itself has not started.
  const listed = async () => (await service.listQuotes({})).items.find(({ id }) => id === quote.id)?.status
  expect(await service.swapStatus({ id: quote.id })).toMatchObject({ status: 'pending', originTxHash: null })
  expect(await listed()).toBe('pending')
  shift = 301_000
  expect(await listed()).toBe('expired')
  await service.getAction({ id: quote.id })
  const over = await service.getAction({ id: quote.id })
  expect(over.status).toBe('FAILED')
  expect(over.finishedAt).not.toBeNull()
  expect((await service.swapStatus({ id: quote.id })).status).toBe('expired')
})

test('transfers of a token and of the native coin are tracked, and invalid ones are refused', async () => {
  const { service } = engineOn(sandbox)
  const to = '0x2222222222222222222222222222222222222222'
  for (const token of [
    sandbox.token(chainId, 'WETH').address,
    '0x0000000000000000000000000000000000000000',
  ] as const) {
    const sum = 10n ** 15n
    const order = { originAddress: wallet, destinationAddress: to, token, chainId, amount: sum } as const
    const kept: object[] = []
    const answer = await service.transferBytecode(order, {
      keepAnswer: async (_, one) => void kept.push(one),
    })
    expect(kept).toEqual([answer])
    const { id, bytecode } = answer
    const held = () =>
      BigInt(token) === 0n ? sandbox.nativeBalanceOf(chainId, to) : sandbox.balanceOf(chainId, token, to)
    const before = await held()
    const [receipt] = await perform(sandbox, wallet, bytecode)
    expect((await held()) - before).toBe(sum)
    expect(await service.getAction({ id })).toMatchObject({
      status: 'SUCCESS',
      type: 'TRANSFER_OUT',
      receiverAddress: to,
      transactions: [{ kind: 'transfer', hash: receipt!.transactionHash }],
    })
  }
  const usdc = sandbox.token(chainId, 'USDC').address
  const good = { originAddress: wallet, destinationAddress: stranger, token: usdc, chainId, amount: 1n }
  for (const bad of [
    { amount: 0n },
    { chainId: 1 },
    { token: stranger },
    { destinationAddress: wallet },
    { destinationAddress: usdc },
    { destinationAddress: '0x0000000000000000000000000000000000000000' as const },
  ])
    expect(await codeOf(service.transferBytecode({ ...good, ...bad }))).toBe('TRANSFER_VALIDATION_FAILED')
})

test('a transfer of more than the balance is TRANSFER_VALIDATION_FAILED with both amounts, for tokens and the native coin', async () => {
  const { service } = engineOn(sandbox)
  const usdc = sandbox.token(chainId, 'USDC').address
  const usdt = sandbox.token(chainId, 'USDT').address
  for (const token of [usdc, usdt, nativeAddress]) {
    const balance =
      token === nativeAddress
        ? await sandbox.nativeBalanceOf(chainId, wallet)
        : await sandbox.balanceOf(chainId, token, wallet)
    const all = { originAddress: wallet, destinationAddress: stranger, token, chainId, amount: balance }
    expect((await service.transferBytecode(all)).bytecode).toHaveLength(1)
    await expect(service.transferBytecode({ ...all, amount: balance + 1n })).rejects.toMatchObject({
      code: 'TRANSFER_VALIDATION_FAILED',
      details: { amount: String(balance + 1n), balance: String(balance) },
    })
  }
  const empty = { originAddress: stranger, destinationAddress: wallet, token: usdt, chainId, amount: 1n }
  const held = await sandbox.balanceOf(chainId, usdt, stranger)
  expect(await codeOf(service.transferBytecode({ ...empty, amount: held + 1n }))).toBe(
    'TRANSFER_VALIDATION_FAILED',
  )
})

test('for any evidence, every state change is in the transition table', () => {
  const evidence: fc.Arbitrary<ActionEvidence> = fc.record({
    inclusions: fc.array(fc.constantFrom('none', 'included', 'final', 'reverted'), {
      minLength: 1,
      maxLength: 4,
    }),
    pastDeadline: fc.boolean(),
    isCancelled: fc.boolean(),
    delivery: fc.constantFrom('not-needed', 'no', 'processing', 'yes', 'failed', 'refunded'),
  })
  fc.assert(
    fc.property(fc.array(evidence, { maxLength: 40 }), (all) => {
      let state: State = 'pending'
      for (const one of all) {
        if (isEnded(state) && state !== 'expired' && state !== 'failed') return
        const next = nextState(state, one)
        if (next !== state) expect(transitions[state]).toContain(next)
        state = next
      }
    }),
    { numRuns: 2_000 },
  )
})
