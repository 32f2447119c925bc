import { join } from 'node:path'
import { encodeAbiParameters, toHex } from 'viem/utils'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import type { Address } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { AppError } from '../../src/domain/errors.ts'
import { checkLeg } from '../../src/guard/calldata-against-intent.ts'
import { strictTerms } from '../../src/guard/user-limits-and-exemptions.ts'
import { simulatePlannedLeg } from '../../src/planning/leg-simulation.ts'
import type { Catalog, StrategyEntry } from '../../src/protocols/catalog-types.ts'
import type { MarketConstants } from '../../src/protocols/market-constants-union.ts'
import { sandboxAddress } from '../../src/sandbox/accounts.ts'
import { deployedFrom } from '../support/contracts/compile-contract.ts'
import { deposited } from '../support/contracts/deposit-brings-its-worth.ts'
import { speaks } from '../support/contracts/override-answer.ts'
import { codeOf, engineOn, perform, watched } from '../support/engine.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'

// OpenZeppelin's vault with features of several protocols. Its shares have 18 decimals, its asset 6.
const sandbox = useSandbox()
const chainId = 31337
const wallet = sandbox.user.address
const giver = sandboxAddress(3)
const day = 86_400
const amount = 1_234_567_891n

let vault: Address
let usdc: Address
beforeEach(async () => {
  usdc = sandbox.token(chainId, 'USDC').address
  vault = await deployedFrom(sandbox, chainId, join(import.meta.dirname, 'contracts/VaultLike.sol'), [usdc])
  await approve(giver, 10n ** 12n)
  await perform(sandbox, giver, [to('function deposit(uint256,address)', [10_000_000_000n, giver])])
})

const to = (signature: string, args: readonly unknown[], at: Address = vault) => ({
  to: at,
  data: calldata(signature, args),
  value: 0n,
  chainId,
})
const approve = (who: Address, much: bigint) =>
  perform(sandbox, who, [to('function approve(address,uint256)', [vault, much], usdc)])
/** Adds this many basis points to the assets of the vault. */
const earn = async (bps: bigint) => {
  const all = BigInt(await sandbox.call(chainId, vault, 'function totalAssets() view'))
  await perform(sandbox, giver, [
    to('function transfer(address,uint256)', [vault, (all * bps) / 10_000n], usdc),
  ])
}
const set = (saysNothing: boolean, idle = maxUint256, loss = 0n) =>
  perform(sandbox, wallet, [to('function set(bool,uint256,uint256)', [saysNothing, idle, loss])])

const entryWith = (constants: MarketConstants): StrategyEntry => ({
  ...sandbox.strategy('sandbox-vault-USDC-sandbox-one'),
  id: 'some-vault-USDC-sandbox-one',
  slug: 'some-vault-usdc-sandbox-one',
  startDate: null,
  receipt: { chainId, address: vault, symbol: 'vUSDC', decimals: 18, name: 'vUSDC' },
  implementationSelector: `${constants.family}@1`,
  constants,
})
const catalogWith = (entry: StrategyEntry): Catalog => {
  const known = sandbox.world.catalog()
  return { ...known, strategies: [...known.strategies, entry] }
}
const on = (constants: MarketConstants, rpc?: (chainId: number) => ChainClient) => {
  const entry = entryWith(constants)
  const catalog = catalogWith(entry)
  const { service } = engineOn(sandbox, { catalog, ...(rpc && { rpc }) })
  const made = async (action: 'lend' | 'withdraw', much: bigint) =>
    (await service.strategyBytecode({ id: entry.slug, action, amount: much, wallet })).bytecode
  return { entry, catalog, service, made, shown: () => service.getStrategy({ id: entry.slug }) }
}

test('a full withdrawal tolerates a limit two units below the balance, a partial withdrawal does not', async () => {
  const { made, service } = on({ family: 'erc4626', vault })
  await approve(wallet, amount)
  await perform(sandbox, wallet, [to('function deposit(uint256,address)', [amount, wallet])])
  const { balance } = (await service.getWallet({ address: wallet })).positions[0]!
  const lets = (most: bigint) =>
    speaks(
      sandbox,
      chainId,
      vault,
      new Map([[calldata('function maxWithdraw(address)', [wallet]), toHex(most, { size: 32 })]]),
    )
  await lets(balance! - 2n)
  expect(await codeOf(made('withdraw', maxUint256))).toBeUndefined()
  expect(await codeOf(made('withdraw', balance! - 1n))).toBe('INSUFFICIENT_LIQUIDITY')
  expect(await codeOf(made('withdraw', balance! - 2n))).toBeUndefined()
  await lets(balance! - 3n)
  expect(await codeOf(made('withdraw', maxUint256))).toBe('INSUFFICIENT_LIQUIDITY')
})

describe('an ERC-4626 vault without a stated rate', () => {
  const plain = () => on({ family: 'erc4626', vault })

  test('has a null APY in its first day', async () => {
    expect(await plain().shown()).toMatchObject({ apy: null, apyBasis: null, apyConvention: null })
  })

  test.each([7, 14])('after %s days has the growth of its share price as APY', async (days) => {
    await sandbox.world.warp(days * day)
    await earn(20n)
    const { apy, apyBasis, apyConvention } = await plain().shown()
    expect([apyBasis, apyConvention]).toEqual([
      'trailing-7d',
      'growth of the last 7 days, compounded over 365 days',
    ])
    const years = days / 365
    expect(apy! / (1.002 ** (1 / years) - 1)).toBeCloseTo(1, 3)
    const { positions } = await plain().service.getWallet({ address: giver })
    expect(
      positions.find(({ strategy }) => strategy.slug === 'some-vault-usdc-sandbox-one')?.apy,
    ).toBeCloseTo(apy!, 6)
  })

  test('reads old blocks once an hour of chain time, and the current state in one call', async () => {
    await sandbox.world.warp(9 * day)
    await earn(20n)
    const said: string[] = []
    const { service } = on({ family: 'erc4626', vault }, (id) =>
      watched(sandbox.chain(id).rpc, id === chainId ? said : []),
    )
    await service.listStrategies({ limit: 100 })
    const first = said.filter((method) => method === 'eth_call').length
    await sandbox.chain(chainId).rpc.request('evm_mine')
    await service.listStrategies({ limit: 100 })
    expect(said.filter((method) => method === 'eth_call').length).toBe(first + 1)
    // The first list also reads old blocks, each day since genesis, and the price ages. Genesis may be before midnight.
    expect([4, 5]).toContain(first)
  })

  test('has a null APY on a node without old states, and keeps its other fields', async () => {
    await sandbox.world.warp(9 * day)
    await earn(20n)
    const forgetful = (rpc: ChainClient): ChainClient => ({
      ...rpc,
      request: async (method, params = []) => {
        if (method === 'eth_call' && /^0x/.test(String(params[1])))
          throw new AppError('RPC_ERROR', 'old', { details: { code: -32000, message: 'missing trie node' } })
        return rpc.request(method, params)
      },
    })
    const { items } = await on({ family: 'erc4626', vault }, (id) =>
      forgetful(sandbox.chain(id).rpc),
    ).service.listStrategies({ limit: 100 })
    const mine = items.find(({ slug }) => slug === 'some-vault-usdc-sandbox-one')!
    expect(mine).toMatchObject({ apy: null, paused: false })
    expect(Number(mine.tvlUsd)).toBeGreaterThan(10_000)
    const isGrowth = ({ slug }: { slug: string }) => /^(some-vault|sandbox-lido)/.test(slug)
    expect(items.filter(({ apy }) => apy === null).every(isGrowth)).toBe(true)
  })

  test('has exact amounts when its shares have more decimals than its asset, and a full withdrawal leaves none', async () => {
    const { made, service, entry } = plain()
    await perform(sandbox, wallet, await made('lend', amount))
    await earn(37n)
    const held = await sandbox.balanceOf(chainId, vault, wallet)
    expect(held).toBeGreaterThan(10n ** 18n)
    const worth = BigInt(await sandbox.call(chainId, vault, 'function convertToAssets(uint256) view', [held]))
    const { positions } = await service.getWallet({ address: wallet })
    expect(positions.find(({ strategy }) => strategy.id === entry.id)).toMatchObject({
      balance: worth,
      principal: amount,
      profit: worth - amount,
    })
    await perform(sandbox, wallet, await made('withdraw', maxUint256))
    expect(await sandbox.balanceOf(chainId, vault, wallet)).toBe(0n)
  })

  test('pays no more than its withdrawal limit', async () => {
    const { made } = plain()
    await perform(sandbox, wallet, await made('lend', amount))
    await set(false, 1_000n)
    expect(await codeOf(made('withdraw', 2_000n))).toBe('INSUFFICIENT_LIQUIDITY')
    expect(await made('withdraw', 1_000n)).toHaveLength(1)
  })

  test('that takes no deposits is paused', async () => {
    await set(true)
    expect((await plain().shown()).paused).toBe(true)
    expect(await codeOf(plain().made('lend', 5n))).toBe('STRATEGY_PAUSED')
  })
})

test('a vault configured without limits accepts deposits and withdrawals whatever its limits say', async () => {
  await set(true)
  const { made, shown } = on({ family: 'erc4626', vault, limits: 'none' })
  expect((await shown()).actions).toEqual(['lend', 'withdraw'])
  await perform(sandbox, wallet, await made('lend', amount))
  await perform(sandbox, wallet, await made('withdraw', amount / 2n))
  await perform(sandbox, wallet, await made('withdraw', maxUint256))
  expect(await sandbox.balanceOf(chainId, vault, wallet)).toBe(0n)
})

test('a rate stated per second in rays is compounded every second', async () => {
  const { apy, apyBasis } = await on({ family: 'erc4626', vault, stated: { at: vault, name: 'ssr' } }).shown()
  expect(apyBasis).toBe('current')
  // The contract states 1000000001547125957863212448 per second: 5 % a year.
  expect(apy).toBeCloseTo(0.05, 6)
})

test('the receipt symbol comes from the contract, or from the catalogue when the contract has none', async () => {
  const entry = () => on({ family: 'erc4626', vault })
  const receipt = async () => (await entry().shown()).receipt!
  expect(await receipt()).toEqual({ symbol: 'vUSDC', address: vault, decimals: 18, symbolFrom: 'contract' })
  await speaks(
    sandbox,
    chainId,
    vault,
    new Map([[calldata('function symbol()', []), encodeAbiParameters([{ type: 'string' }], ['yvUSDC-7'])]]),
  )
  expect(await receipt()).toMatchObject({ symbol: 'yvUSDC-7', symbolFrom: 'contract' })
  await speaks(sandbox, chainId, vault, new Map([[calldata('function symbol()', []), '0x']]))
  expect(await receipt()).toMatchObject({ symbol: 'vUSDC', symbolFrom: 'catalogue' })
})

describe('a vault whose contract states its rate', () => {
  const saying = (all: Record<string, bigint>) =>
    speaks(
      sandbox,
      chainId,
      vault,
      new Map(
        Object.entries(all).map(([name, value]) => [
          calldata(`function ${name}()`, []),
          toHex(value, { size: 32 }),
        ]),
      ),
    )
  const now = async () =>
    BigInt(
      (
        await sandbox
          .chain(chainId)
          .rpc.request<{ timestamp: `0x${string}` }>('eth_getBlockByNumber', ['latest', false])
      ).timestamp,
    )

  test('of Euler has the borrow APY over 365.2425 days, times the lent share, less the fee', async () => {
    await sandbox.world.warp(9 * day)
    await earn(20n)
    // 5 % a year of 365 days.
    await saying({ interestRate: 1547125957863212448n, interestFee: 1000n, cash: 250n, totalBorrows: 750n })
    const { apy, apyBasis, protocolFeeBps } = await on({ family: 'erc4626', vault, lends: 'euler' }).shown()
    expect([apyBasis, protocolFeeBps]).toEqual(['current', '1000'])
    expect(apy).toBeCloseTo((1.05 ** (365.2425 / 365) - 1) * 0.75 * 0.9, 8)
  })

  test('of Yearn v3 has the rate at which it burns shares, and trailing growth when it burns none', async () => {
    await sandbox.world.warp(9 * day)
    await earn(20n)
    const supply = BigInt(await sandbox.call(chainId, vault, 'function totalSupply()'))
    const each = (supply * 10n ** 12n) / 1_000_000_000n
    await saying({ profitUnlockingRate: each, fullProfitUnlockDate: (await now()) + 1_000n })
    const yearn = () => on({ family: 'yearn-v3', vault }).shown()
    const { apy, apyBasis } = await yearn()
    expect(apyBasis).toBe('current')
    expect(apy).toBeCloseTo(Math.expm1(0.031536), 6)
    await sandbox.world.warp(2_000)
    await sandbox.chain(chainId).rpc.request('evm_mine')
    expect((await yearn()).apyBasis).toBe('trailing-7d')
  })
})

test.each(['erc4626', 'yearn-v3', 'morpho'] as const)(
  'the guard refuses a deposit into a vault of type %s whose simulation delivers less than its worth',
  async (family) => {
    const { entry, catalog } = on(
      family === 'morpho' ? { family, vault, morpho: sandboxAddress(9) } : { family, vault },
    )
    await earn(700n)
    const tried = await deposited(sandbox, { catalog, entry, amount })
    expect(tried).toEqual({ whole: undefined, part: 'POLICY_SIMULATION' })
  },
)

test('the guard refuses a Morpho deposit that delivers 0.03 percent less than the vault previews', async () => {
  const { entry, catalog, made } = on({ family: 'morpho', vault, morpho: sandboxAddress(9) })
  await earn(700n)
  const transactions = await made('lend', amount)
  const intent = { kind: 'deposit', wallet, strategy: entry, amount } as const
  const ground = { rpc: () => sandbox.chain(chainId).rpc, catalog }
  const tried = () => codeOf(simulatePlannedLeg(ground, { chainId, intent, transactions }, strictTerms))
  expect(await tried()).toBeUndefined()
  const asked = calldata('function previewDeposit(uint256)', [amount])
  const brings = BigInt(await sandbox.call(chainId, vault, 'function previewDeposit(uint256)', [amount]))
  const said = (brings * 10_003n) / 10_000n
  await speaks(sandbox, chainId, vault, new Map([[asked, toHex(said, { size: 32 })]]))
  expect(await tried()).toBe('POLICY_SIMULATION')
})

describe('a Yearn v3 vault', () => {
  const yearn = () => on({ family: 'yearn-v3', vault })

  test('is withdrawn with the smallest loss bound, by calldata that passes guard and simulation', async () => {
    const { made, entry, catalog } = yearn()
    await perform(sandbox, wallet, await made('lend', amount))
    const shares = await sandbox.balanceOf(chainId, vault, wallet)
    const all = await made('withdraw', maxUint256)
    expect(all).toEqual([
      to('function redeem(uint256,address,address,uint256)', [shares, wallet, wallet, 1n]),
    ])
    const intent = { kind: 'withdraw', wallet, strategy: entry, amount, shares } as const
    expect(checkLeg({ intent, chainId, transactions: all, catalog })).toHaveLength(1)
    const ground = { rpc: () => sandbox.chain(chainId).rpc, catalog }
    const { changes } = await simulatePlannedLeg(ground, { chainId, intent, transactions: all }, strictTerms)
    expect(changes.find(({ token }) => token.address === vault)?.delta).toBe(-shares)
    const part = { kind: 'withdraw', wallet, strategy: entry, amount: amount / 2n } as const
    const transactions = await made('withdraw', amount / 2n)
    expect(checkLeg({ intent: part, chainId, transactions, catalog })).toHaveLength(1)
    await simulatePlannedLeg(ground, { chainId, intent: part, transactions }, strictTerms)
    await perform(sandbox, wallet, all)
    expect(await sandbox.balanceOf(chainId, vault, wallet)).toBe(0n)
  })

  test('with a loss fails the simulation of a full withdrawal', async () => {
    const { made, entry, catalog } = yearn()
    await perform(sandbox, wallet, await made('lend', amount))
    await set(false, maxUint256, 50n)
    const shares = await sandbox.balanceOf(chainId, vault, wallet)
    const intent = { kind: 'withdraw', wallet, strategy: entry, amount, shares } as const
    const transactions = await made('withdraw', maxUint256)
    const ground = { rpc: () => sandbox.chain(chainId).rpc, catalog }
    expect(await codeOf(simulatePlannedLeg(ground, { chainId, intent, transactions }, strictTerms))).toMatch(
      /^(PREFLIGHT|POLICY|SIMULATION|TX)/,
    )
  })
})
