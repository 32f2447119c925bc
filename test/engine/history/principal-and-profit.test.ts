import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { historyCell } from '../../../bench/histories.ts'
import { actsOf, anyActs } from '../../../bench/history-acts.ts'
import { replay } from '../../../bench/history-replay.ts'
import { sabotages } from '../../../bench/history-sabotage.ts'
import { historyWorld, slugs } from '../../../bench/history-world.ts'
import { latestBlock } from '../../../src/chain/head.ts'
import type { Hex } from '../../../src/domain/address.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { readOwnerLogs } from '../../../src/engine/history/logs/owner-logs.ts'
import { ownerEvents } from '../../../src/engine/history/owner-events.ts'
import { investedAfter } from '../../../src/engine/positions/principal.ts'
import { sandboxAddress } from '../../../src/sandbox/accounts.ts'
import { cells, engineOn, perform } from '../../support/engine.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const stranger = sandboxAddress(2)

describe('principal and profit', () => {
  test('equal the replayed value to the wei for any order of deposits, withdrawals and transfers', async () => {
    const ground = await historyWorld(sandbox.world)
    await fc.assert(
      fc.asyncProperty(anyActs(slugs.length), async (acts) => {
        expect(await historyCell(ground, acts)).toEqual([])
      }),
      { seed: 20260721, numRuns: cells(4, 60), endOnFailure: true },
    )
  })

  test.each(sabotages)('are reported as wrong when the reading is sabotaged: %s', async (name) => {
    const ground = await historyWorld(sandbox.world)
    let wrong = 0
    for (let cell = 3; cell < 6 && wrong === 0; cell++)
      wrong += (await historyCell(ground, actsOf(1, cell, slugs.length), name)).length
    expect(wrong).toBeGreaterThan(0)
  })

  test.each(slugs)('of %s restart after a full withdrawal, also in the middle of a block', async (slug) => {
    const { rpc } = sandbox.chain(31337)
    const { catalog } = await historyWorld(sandbox.world)
    const { service } = engineOn(sandbox, { catalog })
    const entry = catalog.strategies.find((one) => one.slug === slug)!
    const order = async (action: 'lend' | 'withdraw', amount: bigint) =>
      (await engineOn(sandbox, { catalog }).service.strategyBytecode({ id: slug, action, amount, wallet }))
        .bytecode
    const send = async (all: Awaited<ReturnType<typeof order>>) => {
      for (const { to, data } of all)
        await rpc.request('eth_sendTransaction', [{ from: wallet, to, data, gas: '0x4c4b40' }])
    }
    await perform(sandbox, wallet, await order('lend', 40_000_003n))
    await sandbox.world.warp(90 * 86_400)
    const [out, again] = [await order('withdraw', maxUint256), await order('lend', 7_000_001n)]
    await rpc.request('evm_setAutomine', [false])
    await send([...out, ...again])
    await rpc.request('evm_mine')
    await rpc.request('evm_setAutomine', [true])
    const block = await rpc.request<{ transactions: Hex[] }>('eth_getBlockByNumber', ['latest', false])
    expect(block.transactions).toHaveLength(3)
    const position = (await service.getWallet({ address: wallet })).positions.find(
      ({ strategy }) => strategy.slug === slug,
    )!
    expect(position.principal).toBe(7_000_001n)
    expect(position.principal! + position.profit!).toBe(position.balance)
    expect((await replay(rpc, entry, wallet)).events).toHaveLength(3)
  })

  test('restart in the middle of a block also when the rounding of the contract is unknown', async () => {
    const slug = 'aave-v3-usdc-sandbox-one'
    const { rpc } = sandbox.chain(31337)
    const { context, service } = engineOn(sandbox)
    const order = async (action: 'lend' | 'withdraw', amount: bigint) =>
      (await engineOn(sandbox).service.strategyBytecode({ id: slug, action, amount, wallet })).bytecode
    await perform(sandbox, wallet, await order('lend', 40_000_003n))
    const asset = sandbox.token(31337, 'USDC').address
    const { to, data } = (await order('lend', 7_000_001n)).at(-1)!
    const spends = calldata('function approve(address,uint256)', [to, maxUint256])
    await sandbox.sendAs(31337, wallet, { to: asset, data: spends })
    await sandbox.world.warp(90 * 86_400)
    const [out] = await order('withdraw', maxUint256)
    await rpc.request('evm_setAutomine', [false])
    for (const one of [out!.data, data])
      await rpc.request('eth_sendTransaction', [{ from: wallet, to, data: one, gas: '0x4c4b40' }])
    await rpc.request('evm_mine')
    await rpc.request('evm_setAutomine', [true])
    const market = context.markets.find(({ entry }) => entry.slug === slug)!
    const chain = context.chain(31337)
    const logs = await readOwnerLogs(context, chain, [market], wallet, await latestBlock(chain))
    const events = await ownerEvents(context.store, chain, market, wallet, logs.get(market)!)
    expect(events.map(({ type }) => type)).toEqual(['deposit', 'withdraw', 'deposit'])
    // The withdrawal was everything by one rounding, and all but one unit by the other.
    const unsure = events.map((event) => {
      const all = events[0]!.shares[0]!
      return event.type === 'withdraw' ? { ...event, shares: [all - 1n, all] } : { ...event, shares: [all] }
    })
    expect(await investedAfter(context.store, chain, market, wallet, unsure)).toEqual({
      principal: 7_000_001n,
      realised: unsure[1]!.amount - 40_000_003n,
      mark: unsure[1]!.amount - 40_000_003n,
    })
    // A remainder within the rounding before the new deposit counts as none, and what did not come back is lost; a larger one was left in
    // the position.
    const at = `0x${events[2]!.blockNumber.toString(16)}`
    const balance = calldata('function balanceOf(address)', [wallet])
    const held = BigInt(
      await rpc.request<Hex>('eth_call', [{ to: market.entry.receipt.address, data: balance }, at]),
    )
    const invested = async (left: bigint) => {
      const [first, second, last] = unsure
      const all = [{ ...first!, amount: 90_000_003n }, second!, { ...last!, amount: held - left }]
      return (await investedAfter(context.store, chain, market, wallet, all)).principal
    }
    expect(await invested(2n)).toBe(held - 2n)
    expect(await invested(3n)).toBe(90_000_003n - unsure[1]!.amount + held - 3n)
    expect((await service.getWallet({ address: wallet })).positions[0]!.principal).toBe(7_000_001n)
  })

  test('value a transfer by its logged amount, also when a unit is worth twice as much as at the deposit', async () => {
    const slug = 'aave-v3-usdc-sandbox-one'
    const { rpc } = sandbox.chain(31337)
    const { service } = engineOn(sandbox)
    const entry = sandbox.world.catalog().strategies.find((one) => one.slug === slug)!
    const { bytecode } = await service.strategyBytecode({
      id: slug,
      action: 'lend',
      amount: 90_000_000n,
      wallet,
    })
    await perform(sandbox, wallet, bytecode)
    await sandbox.world.warp(60 * 365 * 86_400)
    for (let given = 1_000_001n; given < 1_000_025n; given += 2n)
      await sandbox.sendAs(31337, wallet, {
        to: entry.receipt.address,
        data: calldata('function transfer(address,uint256)', [stranger, given]),
      })
    const expected = await replay(rpc, entry, wallet)
    const { items } = await service.walletHistory({ address: wallet, strategyId: slug, limit: 100 })
    expect(items.map(({ type, amount }) => `${type} ${amount}`).reverse()).toEqual(expected.events)
    const { positions } = await service.getWallet({ address: wallet })
    expect(positions.map(({ principal }) => principal)).toEqual([expected.principal])
  })

  test('are zero and the whole balance when more was withdrawn than deposited', async () => {
    const slug = 'aave-v3-usdc-sandbox-one'
    const { service } = engineOn(sandbox)
    const ask = async (action: 'lend' | 'withdraw', amount: bigint) => {
      const { bytecode } = await engineOn(sandbox).service.strategyBytecode({
        id: slug,
        action,
        amount,
        wallet,
      })
      await perform(sandbox, wallet, bytecode)
    }
    await ask('lend', 10_000_000000n)
    await sandbox.world.warp(365 * 86_400)
    await ask('withdraw', 10_001_000000n)
    const { positions } = await service.getWallet({ address: wallet })
    const { principal, profit, balance } = positions.find(({ strategy }) => strategy.slug === slug)!
    expect({ principal, profit }).toEqual({ principal: 0n, profit: balance })
    expect(balance).toBeGreaterThan(1_000000n)
  })
})
