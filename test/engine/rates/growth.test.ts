import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/domain/address.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { engineOn, perform, word } from '../../support/engine.ts'
import { calldata, type TestReceipt, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const ray = 10n ** 27n
const day = 86_400
const year = 365 * day

/** Aave rounds half up (WadRayMath of `@aave/core-v3`). */
const rayMul = (a: bigint, b: bigint) => (a * b + ray / 2n) / ray
const rayDiv = (a: bigint, b: bigint) => (a * ray + b / 2n) / b

const lending = () => sandbox.strategy('aave-v3-USDC-sandbox-one')
const vault = () => sandbox.strategy('sandbox-vault-USDC-sandbox-one')
const pool = () => {
  const { constants } = lending()
  return constants.family === 'aave-v3' ? constants.pool : undefined!
}
const rpc = () => sandbox.chain(31337).rpc
const usdc = () => lending().asset.address
/** The normalized income of the reserve at a block: the worth of one scaled unit, in rays. */
const incomeAt = async (blockNumber: Hex) => {
  const data = calldata('function getReserveNormalizedIncome(address) view', [usdc()])
  return BigInt(await rpc().request<Hex>('eth_call', [{ to: pool(), data }, blockNumber]))
}
const timeOf = async (blockNumber: Hex) =>
  Number((await rpc().request<{ timestamp: Hex }>('eth_getBlockByNumber', [blockNumber, false])).timestamp)
const rateNow = async () =>
  word(await sandbox.call(31337, pool(), 'function getReserveData(address) view', [usdc()]), 2)
const held = () => sandbox.balanceOf(31337, usdc(), wallet)
const ask = (entry: { slug: string }, action: 'lend' | 'withdraw', amount: bigint) =>
  engineOn(sandbox).service.strategyBytecode({ id: entry.slug, action, amount, wallet })
const take = async (
  entry: { slug: string },
  action: 'lend' | 'withdraw',
  amount: bigint,
): Promise<TestReceipt> =>
  (await perform(sandbox, wallet, (await ask(entry, action, amount)).bytecode)).at(-1)!

describe('a deposit grows to the wei as its contract reports', () => {
  test.each([
    ['a day', day],
    ['a month', 30 * day],
    ['a year', year],
  ])('in Aave over %s, by the ratio of the normalized income', async (_, seconds) => {
    const amount = 12_345_678901n
    const before = await held()
    const paid = await take(lending(), 'lend', amount)
    const scaled = rayDiv(amount, await incomeAt(paid.blockNumber))
    await sandbox.world.warp(seconds)
    const back = await take(lending(), 'withdraw', maxUint256)
    const grown = rayMul(scaled, await incomeAt(back.blockNumber))
    expect((await held()) - before).toBe(grown - amount)
    expect(grown).toBeGreaterThan(amount)
    expect(await sandbox.balanceOf(31337, lending().receipt.address, wallet)).toBe(0n)
    const scaledLeft = 'function scaledBalanceOf(address) view'
    expect(BigInt(await sandbox.call(31337, lending().receipt.address, scaledLeft, [wallet]))).toBe(0n)
  })

  test.each([
    ['a day', day],
    ['a month', 30 * day],
    ['a year', year],
  ])('in a vault over %s, by the worth of its shares in the block of the withdrawal', async (_, seconds) => {
    const amount = 12_345_678901n
    const before = await held()
    const paid = await take(vault(), 'lend', amount)
    const share = vault().receipt.address
    const shares = await sandbox.balanceOf(31337, share, wallet)
    const scaledIn = await incomeAt(paid.blockNumber)
    await sandbox.world.warp(seconds)
    const back = await take(vault(), 'withdraw', maxUint256)
    // One block earlier, shares and assets are the same; only the index has grown since.
    const data = calldata('function convertToAssets(uint256) view', [shares])
    const parent: Hex = `0x${(BigInt(back.blockNumber) - 1n).toString(16)}`
    const worth = BigInt(
      await rpc().request<Hex>('eth_call', [
        { to: share, data },
        parent,
        {},
        { time: `0x${(await timeOf(back.blockNumber)).toString(16)}` },
      ]),
    )
    expect((await held()) - before).toBe(worth - amount)
    expect(await sandbox.balanceOf(31337, share, wallet)).toBe(0n)
    // The vault earns what the reserve pays, except for the rounding of shares.
    const index = (amount * (await incomeAt(back.blockNumber))) / scaledIn
    expect(Number(worth - index) / Number(amount)).toBeCloseTo(0, 9)
  })
})

describe('the stated rate', () => {
  test('exceeds the growth of an untouched year, which is linear at the rate of its first second', async () => {
    const amount = 10_000_000000n
    const paid = await take(lending(), 'lend', amount)
    const rate = await rateNow()
    const { apy } = await engineOn(sandbox).service.getStrategy({ id: lending().slug })
    await sandbox.world.warp(year)
    const { number } = await rpc().request<{ number: Hex }>('eth_getBlockByNumber', ['latest', false])
    const seconds = (await timeOf(number)) - (await timeOf(paid.blockNumber))
    const growth =
      Number((await incomeAt(number)) - (await incomeAt(paid.blockNumber))) /
      Number(await incomeAt(paid.blockNumber))
    expect(growth).toBeCloseTo((Number(rate) / 1e27) * (seconds / year), 9)
    expect(apy).toBeGreaterThan(growth)
  })
})
