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

// OpenZeppelin's vault with the particulars of several protocols: shares of 18 digits over an asset of 6.
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
/** The vault earns so many basis points. */
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

test('a vault that lets out a unit or two less than all there is gives all of it, and of a part no more than it says', async () => {
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

describe('a vault whose rate nobody states', () => {
  const plain = () => on({ family: 'erc4626', vault })

  test('has no rate before it is a day old, and never zero instead', async () => {
    expect(await plain().shown()).toMatchObject({ apy: null, apyBasis: null, apyConvention: null })
  })

  test.each([7, 14])('over %s days has the rate at which its share price grew', async (days) => {
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

  test('asks for the past once an hour of the chain, and for the present in one call', async () => {
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
    // The first time the past, each day since the chain began, and the age of the prices, too; it may have begun before midnight.
    expect([4, 5]).toContain(first)
  })

  test('has none where the node keeps no old states, and all the rest is there', async () => {
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

  test('counts shares of more digits than the asset, and leaves none', async () => {
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

  test('lets out no more than it says it can', async () => {
    const { made } = plain()
    await perform(sandbox, wallet, await made('lend', amount))
    await set(false, 1_000n)
    expect(await codeOf(made('withdraw', 2_000n))).toBe('INSUFFICIENT_LIQUIDITY')
    expect(await made('withdraw', 1_000n)).toHaveLength(1)
  })

  test('that takes no deposits says so', async () => {
    await set(true)
    expect((await plain().shown()).paused).toBe(true)
    expect(await codeOf(plain().made('lend', 5n))).toBe('STRATEGY_PAUSED')
  })
})

test('a vault whose limits mean nothing is open, in and out', async () => {
  await set(true)
  const { made, shown } = on({ family: 'erc4626', vault, limits: 'none' })
  expect((await shown()).actions).toEqual(['lend', 'withdraw'])
  await perform(sandbox, wallet, await made('lend', amount))
  await perform(sandbox, wallet, await made('withdraw', amount / 2n))
  await perform(sandbox, wallet, await made('withdraw', maxUint256))
  expect(await sandbox.balanceOf(chainId, vault, wallet)).toBe(0n)
})

test('a rate that is stated a second in rays is compounded every second', async () => {
  const { apy, apyBasis } = await on({ family: 'erc4626', vault, stated: { at: vault, name: 'ssr' } }).shown()
  expect(apyBasis).toBe('current')
  // The contract says 1000000001547125957863212448 a second: five percent a year.
  expect(apy).toBeCloseTo(0.05, 6)
})

test('the receipt is called what its contract says, and what the catalogue says only where that is silent', async () => {
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

describe('a contract that says what is paid now is preferred to growth', () => {
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

  test('a vault of Euler: what borrowers pay over 365.2425 days, for the part that is lent, less the fee', async () => {
    await sandbox.world.warp(9 * day)
    await earn(20n)
    // Five percent a year, of 365 days.
    await saying({ interestRate: 1547125957863212448n, interestFee: 1000n, cash: 250n, totalBorrows: 750n })
    const { apy, apyBasis, protocolFeeBps } = await on({ family: 'erc4626', vault, lends: 'euler' }).shown()
    expect([apyBasis, protocolFeeBps]).toEqual(['current', '1000'])
    expect(apy).toBeCloseTo((1.05 ** (365.2425 / 365) - 1) * 0.75 * 0.9, 8)
  })

  test('a vault of Yearn v3: the shares that it burns a second, and growth where it burns none', async () => {
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
  'a deposit into a vault, known as one of %s, must bring all that it is worth, in the simulation of it',
  async (family) => {
    const { entry, catalog } = on(
      family === 'morpho' ? { family, vault, morpho: sandboxAddress(9) } : { family, vault },
    )
    await earn(700n)
    const tried = await deposited(sandbox, { catalog, entry, amount })
    expect(tried).toEqual({ whole: undefined, part: 'POLICY_SIMULATION' })
  },
)

test('a deposit into a vault of Morpho that brings three ten thousandths less than the vault says is not signed', async () => {
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

describe('a vault of Yearn v3', () => {
  const yearn = () => on({ family: 'yearn-v3', vault })

  test('is left with the smallest loss, by calldata that passes the guard and is tried', async () => {
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

  test('that has lost something is not left at any price', async () => {
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
