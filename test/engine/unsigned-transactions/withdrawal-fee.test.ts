import { expect, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import type { Address } from '../../../src/domain/address.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { engineOn, operating, perform } from '../../support/engine.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const collector: Address = '0x7777777777777777777777777777777777777777'
const wallet = () => sandbox.user.address
const year = 365 * 86_400

/** A node that returns no logs. */
const withoutLogs = (rpc: ChainClient): ChainClient => ({
  ...rpc,
  request: (method, params) => {
    if (method === 'eth_getLogs') throw new AppError('RPC_ERROR', 'no logs here')
    return rpc.request(method, params)
  },
  batch: (calls) => {
    if (calls.some(([method]) => method === 'eth_getLogs')) throw new AppError('RPC_ERROR', 'no logs here')
    return rpc.batch(calls)
  },
})

const invest = async (slug: string) => {
  const { service } = engineOn(sandbox)
  const lend = { id: slug, action: 'lend' as const, amount: 100_000_000n, wallet: wallet() }
  await perform(sandbox, wallet(), (await service.strategyBytecode(lend)).bytecode)
  await sandbox.world.warp(year)
}
const out = (id: string, amount: bigint) => ({ id, action: 'withdraw' as const, amount, wallet: wallet() })

test.each(['aave-v3-usdc-sandbox-one', 'sandbox-vault-usdc-sandbox-one'])(
  'a full withdrawal from %s charges the fee that the wallet shows, to the unit',
  async (slug) => {
    await invest(slug)
    const { service, context } = engineOn(sandbox)
    await operating(context, { operatorCollector: collector, performanceFeeBps: 700 })
    await service.setFees({ collector, markupBps: 30 })
    const { profit, performanceFee, balance } = (await service.getWallet({ address: wallet() })).positions[0]!
    const made = await service.strategyBytecode(out(slug, maxUint256))
    const charged = performanceFee!
    expect(charged).toBe(((profit! + charged) * 730n) / 10_000n)
    expect(charged).toBeGreaterThan(0n)
    expect(made.feeCharged).toBe(String(charged))
    expect(made.fees).toEqual([
      {
        kind: 'performance',
        bps: 730,
        token: sandbox.token(31337, 'USDC').address,
        chainId: 31337,
        amount: String(charged),
        of: String(balance),
        to: collector,
        paidBy: 'step',
      },
    ])
    await perform(sandbox, wallet(), made.bytecode)
    expect(await sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, collector)).toBe(charged)
    const action = await service.getAction({ id: made.id })
    expect(action.transactions?.at(-1)).toMatchObject({ kind: 'fee' })
    expect(action.transactions?.at(-1)?.hash).not.toBeNull()
  },
)

test('partial withdrawals charge no profit twice', async () => {
  const slug = 'aave-v3-usdc-sandbox-one'
  await invest(slug)
  const { service, context } = engineOn(sandbox)
  await operating(context, { operatorCollector: collector, performanceFeeBps: 1_000 })
  const usdc = sandbox.token(31337, 'USDC').address
  const before = (await service.getWallet({ address: wallet() })).positions[0]!
  for (const amount of [30_000_000n, 70_500_000n, maxUint256])
    await perform(sandbox, wallet(), (await service.strategyBytecode(out(slug, amount))).bytecode)
  const charged = await sandbox.balanceOf(31337, usdc, collector)
  // The interest of some more blocks, and the rounding of each payment.
  expect(charged - (before.profit! + before.performanceFee!) / 10n).toBeGreaterThanOrEqual(-2n)
  expect(charged - (before.profit! + before.performanceFee!) / 10n).toBeLessThan(100n)
})

test('an unknown profit is not charged, and the fee says so', async () => {
  const slug = 'aave-v3-usdc-sandbox-one'
  await invest(slug)
  const { service, context } = engineOn(sandbox, {
    rpc: (chainId) => withoutLogs(sandbox.chain(chainId).rpc),
  })
  await operating(context, { operatorCollector: collector })
  const made = await service.strategyBytecode(out(slug, maxUint256))
  expect(made).toMatchObject({
    feeCharged: '0',
    fees: [{ amount: '0', to: null, note: expect.stringContaining('unknown') }],
  })
  expect(made.bytecode).toHaveLength(1)
})

test('deposits and queued withdrawal requests are not charged', async () => {
  const { service, context } = engineOn(sandbox)
  await operating(context, { operatorCollector: collector, performanceFeeBps: 10_000 })
  const lend = {
    id: 'aave-v3-usdc-sandbox-one',
    action: 'lend' as const,
    amount: 1_000_000n,
    wallet: wallet(),
  }
  expect(await service.strategyBytecode(lend)).toMatchObject({ feeCharged: '0', fees: [] })
  const lido = { ...lend, id: 'sandbox-lido-eth-sandbox-one', amount: 10n ** 18n }
  await perform(sandbox, wallet(), (await service.strategyBytecode(lido)).bytecode)
  const request = await service.strategyBytecode(out(lido.id, 10n ** 17n))
  expect(request).toMatchObject({ feeCharged: '0', fees: [] })
})

test('a fee of 100 percent gets no quote', async () => {
  const { service, context } = engineOn(sandbox)
  await operating(context, { operatorCollector: collector, swapFeeBps: 10_000 })
  const [tokenIn, tokenOut] = ['USDC', 'WETH'].map((symbol) => sandbox.token(31337, symbol).address) as [
    Address,
    Address,
  ]
  const ask = { chainIdIn: 31337, chainIdOut: 31337, tokenIn, tokenOut }
  for (const amount of [{ amountIn: 1_000_000n }, { amountOut: 10n ** 15n }])
    await expect(service.quote({ ...ask, ...amount })).rejects.toMatchObject({
      code: 'QUOTE_GENERATION_FAILED',
    })
})
