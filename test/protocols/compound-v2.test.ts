import { join } from 'node:path'
import { pad, toEventSelector, toHex } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { type Address, nativeAddress } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { networkNamed } from '../../src/domain/networks.ts'
import { nativeToken } from '../../src/domain/token.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import { checkLeg } from '../../src/guard/calldata-against-intent.ts'
import { strictTerms } from '../../src/guard/user-limits-and-exemptions.ts'
import { simulatePlannedLeg } from '../../src/planning/leg-simulation.ts'
import type { Catalog, StrategyEntry } from '../../src/protocols/catalog-types.ts'
import type { CompoundV2Constants } from '../../src/protocols/compound-v2/constants-schema.ts'
import { compoundV2 } from '../../src/protocols/compound-v2/market-adapter.ts'
import type { Log } from '../../src/protocols/market-adapter.ts'
import { sandboxAddress } from '../../src/sandbox/accounts.ts'
import { deployedFrom } from '../support/contracts/compile-contract.ts'
import { codeOf, engineOn, perform } from '../support/engine.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'

// These tests use a contract of ours with the published interface: they show that sluice calls that interface correctly.
const sandbox = useSandbox()
const chainId = 31337
const wallet = sandbox.user.address
const friend = sandboxAddress(2)
const day = 86_400
const ether = 10n ** 18n

type Kind = 'token' | 'market' | 'router'

/** A market with another lender's deposit. Its asset is a token, or the native coin, sent to the market or to its router. */
async function opened(kind: Kind, more: Partial<CompoundV2Constants> = {}) {
  const isCoin = kind !== 'token'
  const asset = isCoin
    ? nativeToken(networkNamed(sandbox.world.catalog().networks, chainId))
    : sandbox.token(chainId, 'USDC')
  // Initially, one receipt unit (8 decimals) is worth 0.02 of the asset.
  const rate = 2n * 10n ** BigInt(8 + asset.decimals)
  const file = join(import.meta.dirname, 'contracts/CTokenLike.sol')
  const market = await deployedFrom(sandbox, chainId, file, [isCoin ? nativeAddress : asset.address, rate])
  const entry: StrategyEntry = {
    ...sandbox.strategy('aave-v3-USDC-sandbox-one'),
    id: `lender-${asset.symbol}-sandbox-one`,
    slug: `lender-${asset.symbol.toLowerCase()}-sandbox-one`,
    startDate: null,
    asset,
    receipt: { chainId, address: market, symbol: 'cToken', decimals: 8, name: 'cToken' },
    implementationSelector: 'compound-v2@1',
    constants: {
      family: 'compound-v2',
      market,
      comptroller: market,
      rate: 'second',
      pauses: 'guardian',
      ...(kind === 'market' && { coin: 'market' }),
      ...(kind === 'router' && { coin: { router: market } }),
      ...more,
    },
  }
  const known = sandbox.world.catalog()
  const catalog: Catalog = { ...known, strategies: [...known.strategies, entry] }
  const much = isCoin ? 50n * ether : 50_000_000_000n
  const other = sandboxAddress(3)
  if (isCoin) await sandbox.sendAs(chainId, other, { to: market, value: much })
  else
    await perform(sandbox, other, [
      {
        to: asset.address,
        data: calldata('function transfer(address,uint256)', [market, much]),
        value: 0n,
        chainId,
      },
    ])
  const { service } = engineOn(sandbox, { catalog })
  const made = async (action: 'lend' | 'withdraw', sum: bigint) =>
    (await service.strategyBytecode({ id: entry.slug, action, amount: sum, wallet })).bytecode
  const ground = { rpc: () => sandbox.chain(chainId).rpc, catalog }
  return {
    entry,
    market,
    service,
    made,
    amount: isCoin ? ether + 7n : 1_234_567_891n,
    call: (signature: string, args: readonly unknown[], value = 0n): Transaction => ({
      to: market,
      data: calldata(signature, args),
      value,
      chainId,
    }),
    set: (...flags: boolean[]) =>
      perform(sandbox, wallet, [
        { to: market, data: calldata('function set(bool,bool,bool)', flags), value: 0n, chainId },
      ]),
    shares: (who: Address = wallet) => sandbox.balanceOf(chainId, market, who),
    position: async (who: Address = wallet) =>
      (await service.getWallet({ address: who })).positions.find(({ strategy }) => strategy.id === entry.id),
    /** Checks a leg with the guard and simulates it, as the wallet does before signing. */
    checked: async (transactions: readonly Transaction[], amount: bigint, shares?: bigint) => {
      const own = { wallet, strategy: entry, amount }
      const intent =
        transactions.at(-1)!.data.startsWith('0xdb006a75') ||
        transactions.at(-1)!.data.startsWith('0x852a12e3')
          ? ({ kind: 'withdraw', ...own, ...(shares !== undefined && { shares }) } as const)
          : ({ kind: 'deposit', ...own } as const)
      checkLeg({ intent, chainId, transactions, catalog })
      return simulatePlannedLeg(ground, { chainId, intent, transactions }, strictTerms)
    },
  }
}

const deposits: Record<Kind, [signature: string, args: (amount: bigint) => readonly unknown[]]> = {
  token: ['function mint(uint256)', (amount) => [amount]],
  market: ['function mint()', () => []],
  router: ['function mint(address)', () => [wallet]],
}

describe.each(['token', 'market', 'router'] as const)(
  'a Compound v2 market that takes deposits through its %s',
  (kind) => {
    test('accepts a deposit, grows at its stated rate, and pays a partial and a full withdrawal', async () => {
      const { made, amount, call, market, entry, shares, position, checked, service } = await opened(kind)
      const [signature, args] = deposits[kind]
      const lent = await made('lend', amount)
      const isToken = kind === 'token'
      expect(lent).toEqual([
        ...(isToken
          ? [
              {
                to: entry.asset.address,
                data: calldata('function approve(address,uint256)', [market, amount]),
                value: 0n,
                chainId,
              },
            ]
          : []),
        call(signature, args(amount), isToken ? 0n : amount),
      ])
      await checked(lent, amount)
      await perform(sandbox, wallet, lent)
      const first = (await position())!
      expect(Number(amount - first.principal!) / Number(amount)).toBeCloseTo(0, 8)
      // For a token, the principal is exact.
      if (isToken) expect(first.principal).toBe(amount)
      const { apy } = await service.getStrategy({ id: entry.slug })
      expect(apy).toBeCloseTo(0.05, 6)
      await sandbox.world.warp(365 * day)
      const grown = (await position())!
      expect(Number(grown.balance) / Number(amount)).toBeCloseTo(1 + Math.log(1.05), 4)
      expect(grown.profit).toBe(grown.balance! - grown.principal!)
      // One ether is priced at 3,000 USD here, wrapped or not.
      const whole = Number(grown.balance) / 10 ** entry.asset.decimals
      expect(Number(grown.balanceUsd) / whole).toBeCloseTo(isToken ? 1 : 3_000, 2)
      const part = await made('withdraw', amount / 3n)
      expect(part).toEqual([call('function redeemUnderlying(uint256)', [amount / 3n])])
      await checked(part, amount / 3n)
      await perform(sandbox, wallet, part)
      const left = await shares()
      const all = await made('withdraw', maxUint256)
      expect(all).toEqual([call('function redeem(uint256)', [left])])
      await checked(all, amount, left)
      await perform(sandbox, wallet, all)
      expect(await shares()).toBe(0n)
      const history = await service.walletHistory({ address: wallet, strategyId: entry.slug })
      expect(history.items.map(({ type }) => type)).toEqual(['withdraw', 'withdraw', 'deposit'])
      if (isToken) expect(history.items.slice(1).map((item) => item.amount)).toEqual([amount / 3n, amount])
    })
  },
)

describe('a Compound v2 market', () => {
  test('that returns an error code instead of reverting fails the simulation', async () => {
    const { made, amount, set, checked } = await opened('token')
    await perform(sandbox, wallet, await made('lend', amount))
    await set(true, false, false)
    expect(await codeOf(checked(await made('lend', 5_000_000n), 5_000_000n))).toBe('POLICY_SIMULATION')
    expect(await codeOf(checked(await made('withdraw', 5_000_000n), 5_000_000n))).toBe('POLICY_SIMULATION')
  })

  test('that pays out no native coin fails the simulation', async () => {
    const { made, amount, set, checked } = await opened('market')
    await perform(sandbox, wallet, await made('lend', amount))
    await set(true, false, false)
    expect(await codeOf(checked(await made('withdraw', ether / 2n), ether / 2n))).toBe('POLICY_SIMULATION')
  })

  test('paused by a guardian refuses deposits only; paused by action it refuses that action', async () => {
    const guarded = await opened('token')
    await guarded.set(false, true, true)
    expect((await guarded.service.getStrategy({ id: guarded.entry.slug })).actions).toEqual(['withdraw'])
    const acting = await opened('token', { pauses: 'action' })
    await acting.set(false, false, true)
    expect((await acting.service.getStrategy({ id: acting.entry.slug })).actions).toEqual(['lend'])
    expect(await codeOf(acting.made('withdraw', 5n))).toBe('STRATEGY_PAUSED')
    await acting.set(false, true, false)
    expect(await codeOf(acting.made('lend', 5n))).toBe('STRATEGY_PAUSED')
  })

  test('with a supply cap accepts and is recommended for amounts below it; a cap of zero means no cap', async () => {
    const { service, entry, made, market, amount, call } = await opened('token')
    const limit = (cap: bigint) => perform(sandbox, wallet, [call('function limit(uint256)', [cap])])
    const inIt = await sandbox.balanceOf(chainId, entry.asset.address, market)
    await limit(inIt + amount)
    expect(await codeOf(made('lend', amount))).toBe('STRATEGY_CAP_REACHED')
    await perform(sandbox, wallet, await made('lend', amount - 1n))
    expect(await codeOf(made('lend', 1n))).toBe('STRATEGY_CAP_REACHED')
    expect((await service.getStrategy({ id: entry.slug })).actions).toEqual(['withdraw'])
    const best = async (sum?: bigint) =>
      (
        await service.recommend({
          identifier: 'USDC',
          to: 'sandbox-one',
          ...(sum !== undefined && { wallet, amount: sum }),
        })
      ).strategy.slug
    expect(await best()).not.toBe(entry.slug)
    await limit(inIt + amount + 1n)
    expect(await best()).toBe(entry.slug)
    expect(await best(2n)).not.toBe(entry.slug)
    await limit(0n)
    await perform(sandbox, wallet, await made('lend', amount))
  })

  test('has the amount of a deposit only when its transaction minted receipts once', async () => {
    const { entry, market } = await opened('token')
    if (entry.constants.family !== 'compound-v2') throw new Error('another family')
    const { event } = compoundV2(entry, entry.constants)
    const moved = (address: Address, from: Address, to: Address, amount: bigint): Log => ({
      address,
      topics: [toEventSelector('Transfer(address,address,uint256)'), pad(from), pad(to)],
      data: toHex(amount, { size: 32 }),
    })
    const [paid, one, other] = [
      moved(entry.asset.address, wallet, market, 500n),
      moved(market, market, wallet, 30n),
      moved(market, market, wallet, 20n),
    ]
    expect(event(one, wallet, [paid, one], [])).toMatchObject({ type: 'deposit', amount: 500n })
    for (const each of [one, other])
      expect(event(each, wallet, [paid, one, other], [])).toMatchObject({ type: 'deposit', amount: null })
  })

  test.each([
    [undefined, 'the rate per second, compounded every second over 365 days'],
    ['daily', 'the rate per second, compounded daily over 365 days'],
  ] as const)(
    'with compounding set to %s states that convention and the matching APY',
    async (compounds, words) => {
      const { service, entry, market } = await opened('token', { compounds })
      const { apy, apyConvention } = await service.getStrategy({ id: entry.slug })
      const aSecond = Number(await sandbox.call(chainId, market, 'function supplyRatePerTimestamp()')) / 1e18
      const [times, each] = compounds === 'daily' ? [365, 86_400 * aSecond] : [31_536_000, aSecond]
      expect(apyConvention).toBe(words)
      expect(Math.abs(apy! - Math.expm1(times * Math.log1p(each)))).toBeLessThan(1e-12)
    },
  )

  test('whose rate per block cannot be read states the growth of the last 7 days', async () => {
    const { service, entry, made, amount } = await opened('token', { rate: 'block', pauses: 'action' })
    await perform(sandbox, wallet, await made('lend', amount))
    await sandbox.world.warp(8 * day)
    await sandbox.chain(chainId).rpc.request('evm_mine')
    const { apy, apyBasis } = await service.getStrategy({ id: entry.slug })
    expect(apyBasis).toBe('trailing-7d')
    expect(apy).toBeCloseTo(0.05, 4)
  })

  test('lists a transfer of receipts for the sender, and counts it as principal of the recipient', async () => {
    const { made, amount, market, shares, service, entry, position } = await opened('token')
    await perform(sandbox, wallet, await made('lend', amount))
    const given = (await shares()) / 4n
    await perform(sandbox, wallet, [
      {
        to: market,
        data: calldata('function transfer(address,uint256)', [friend, given]),
        value: 0n,
        chainId,
      },
    ])
    const history = await service.walletHistory({ address: wallet, strategyId: entry.slug })
    expect(history.items.map(({ type }) => type)).toEqual(['transfer_out', 'deposit'])
    expect(Number((await position(friend))!.principal!) / Number(amount / 4n)).toBeCloseTo(1, 6)
  })
})
