import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AbiFunction } from 'viem'
import { decodeFunctionData, encodeFunctionData, getAddress, isAddress, toFunctionSelector } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { catalogOfFile } from '../../../src/app/profiles/catalog-file.ts'
import { filesOf } from '../../../src/app/profiles/catalog-of-configured-networks.ts'
import { encodeCall } from '../../../src/chain/call.ts'
import { type Address, nativeAddress } from '../../../src/domain/address.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { publicNetworks } from '../../../src/domain/networks.ts'
import { addSlippage, subtractSlippage } from '../../../src/domain/slippage.ts'
import type { Token } from '../../../src/domain/token.ts'
import { supply, withdraw } from '../../../src/protocols/aave-v3/encode.ts'
import { addLiquidity, removeLiquidity } from '../../../src/protocols/across-pool/encode.ts'
import { lpFeeRate } from '../../../src/protocols/across-pool/market-adapter.ts'
import { mint, redeem, redeemUnderlying } from '../../../src/protocols/compound-v2/encode.ts'
import { supplyBase, withdrawBase } from '../../../src/protocols/compound-v3/encode.ts'
import type { LidoConstants } from '../../../src/protocols/lido/constants-schema.ts'
import { requestWithdrawals, submit } from '../../../src/protocols/lido/encode.ts'
import { claimWithdrawals } from '../../../src/protocols/lido/queue.ts'
import { netRate } from '../../../src/protocols/morpho/rate.ts'
import { calldataRulesOf } from '../../../src/protocols/registry.ts'
import { rewardRate, wholeTokens } from '../../../src/protocols/shared/market-rewards.ts'
import { compounded, ray } from '../../../src/protocols/shared/rate-units.ts'
import { depositStake, requestExit } from '../../../src/protocols/stakewise/encode.ts'
import { claimExitedAssets } from '../../../src/protocols/stakewise/queue.ts'
import { balancerV2Contracts } from '../../../src/swaps/balancer-v2/constants-schema.ts'
import { swapBalancerV2 } from '../../../src/swaps/balancer-v2/encode.ts'
import { quoteOf } from '../../../src/swaps/balancer-v2/path-quote.ts'
import { contractsIn } from '../../../src/swaps/swap-contracts.ts'
import { swapsAbi as uniswapV2Swaps } from '../../../src/swaps/uniswap-v2/abi.ts'
import { uniswapV2Contracts } from '../../../src/swaps/uniswap-v2/constants-schema.ts'
import { swapV2 } from '../../../src/swaps/uniswap-v2/encode.ts'
import { pairOf } from '../../../src/swaps/uniswap-v2/provider.ts'
import { quoterV2Abi, swapRouter02Abi } from '../../../src/swaps/uniswap-v3/abi.ts'
import { pancakeSwapV3Contracts } from '../../../src/swaps/uniswap-v3/constants-schema.ts'
import { encodeV3Swap } from '../../../src/swaps/uniswap-v3/encode.ts'
import { packPath } from '../../../src/swaps/uniswap-v3/path.ts'
import { swapV4 } from '../../../src/swaps/uniswap-v4/encode.ts'
import { poolIdOf } from '../../../src/swaps/uniswap-v4/pools.ts'
import { madeBy } from '../../oracles/make.ts'
import { oracles } from '../../oracles/sets.ts'

type Json = ReturnType<typeof JSON.parse>
const fixture = (name: string): Json =>
  JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', 'oracles', 'fixtures', `${name}.json`), 'utf8'),
  )
const aave = fixture('aave-v3')
const across = fixture('across')
const uniswapV2 = fixture('uniswap-v2')
const uniswap = fixture('uniswap-v3')
const uniswapV4 = fixture('uniswap-v4')
const balancer = fixture('balancer-v2')
const pancakeSwap = fixture('pancakeswap-v3')
const compound = fixture('compound-v2')
const comet = fixture('compound-v3')
const lido = fixture('lido')
const morpho = fixture('morpho')
const stakewise = fixture('stakewise')

describe('fixtures of the official SDKs', () => {
  test.each(oracles.map((oracle) => [oracle.name, oracle] as const))(
    '%s was made by the current script and packages (npm run oracles)',
    (name, oracle) => {
      expect(fixture(name).madeBy).toBe(madeBy(oracle))
    },
  )
})

describe('@aave/contract-helpers and math-utils', () => {
  test('builds the same supply calldata for random pools, assets, amounts and owners', () => {
    expect(aave.supply).toHaveLength(100)
    for (const { pool, asset, amount, onBehalfOf, to, data } of aave.supply)
      expect(supply({ chainId: 8453, pool, asset, amount: BigInt(amount), onBehalfOf })).toMatchObject({
        to,
        data,
      })
  })

  test('builds the same withdraw calldata, also for the whole balance', () => {
    expect(aave.withdraw).toHaveLength(100)
    for (const { pool, asset, amount, to, target, data } of aave.withdraw)
      expect(withdraw({ chainId: 8453, pool, asset, amount: BigInt(amount), to })).toMatchObject({
        to: target,
        data,
      })
  })

  test('computes the same APR and APY within 1e-9 for any rate', () => {
    expect(aave.rates).toHaveLength(200)
    for (const { liquidityRate, supplyAPR, supplyAPY } of aave.rates) {
      const apr = Number(liquidityRate) / Number(ray)
      expect(Math.abs(apr - Number(supplyAPR))).toBeLessThan(1e-9)
      expect(Math.abs(compounded(apr) - Number(supplyAPY))).toBeLessThan(1e-9)
    }
  })
})

test('@aave/math-utils computes the same reward APR for any emission, price and supply', () => {
  expect(aave.incentives).toHaveLength(200)
  for (const { apr, decimals, ...one } of aave.incentives) {
    const aSecond = wholeTokens(BigInt(one.emissionPerSecond), one.rewardTokenDecimals)
    const price = BigInt(one.rewardTokenPriceInMarketReferenceCurrency)
    const rate = rewardRate([{ aSecond, price }], {
      tvl: BigInt(one.totalTokenSupply),
      decimals,
      price: BigInt(one.priceInMarketReferenceCurrency),
    })
    expect(Math.abs(rate! - Number(apr))).toBeLessThan(1e-9 * Math.max(1, Number(apr)))
  }
})

describe('@across-protocol/sdk', () => {
  test('builds the same calldata to add and remove liquidity, of a token and of the native coin', () => {
    expect(across.calls).toHaveLength(50)
    for (const { hubPool, weth, token, amount: typed, ...said } of across.calls) {
      const [chainId, amount] = [1, BigInt(typed)]
      const asset = (address: Address): Token => ({ chainId, address, symbol: 'X', decimals: 18, name: 'X' })
      const plain = { constants: { family: 'across', hubPool }, asset: asset(token) } as const
      const coin = {
        constants: { family: 'across', hubPool, wrapped: weth },
        asset: asset(nativeAddress),
      } as const
      const made = {
        addToken: addLiquidity({ chainId, amount, ...plain }),
        addCoin: addLiquidity({ chainId, amount, ...coin }),
        removeToken: removeLiquidity({ chainId, units: amount, ...plain }),
        removeCoin: removeLiquidity({ chainId, units: amount, ...coin }),
      }
      for (const [name, { to, data, value }] of Object.entries(made))
        expect({ to: getAddress(to), data, value: String(value) }).toEqual(said[name])
    }
  })

  test('computes the same APR and APY within 1e-9 for any undistributed fees and time since the last touch', () => {
    expect(across.pools).toHaveLength(100)
    let some = 0
    for (const { estimatedApr, estimatedApy, value, ...one } of across.pools) {
      const fees = {
        undistributed: BigInt(one.undistributed),
        perSecond: BigInt(one.perSecond),
        passed: BigInt(one.passed),
      }
      const { apr, apy } = lpFeeRate(fees, BigInt(value))
      expect(Math.abs(apr! - Number(estimatedApr))).toBeLessThan(1e-9)
      expect(Math.abs(apy! - Number(estimatedApy))).toBeLessThan(1e-9)
      if (apr! > 0.01) some++
    }
    expect(some).toBeGreaterThan(50)
  })
})

describe('@compound-finance/compound-js', () => {
  test('builds the same calldata for deposits, partial and full withdrawals, of a token and of the native coin', () => {
    expect(compound.all).toHaveLength(100)
    for (const { asset, amount: typed, ...said } of compound.all) {
      const [amount, market] = [BigInt(typed), said.mint.to]
      const [receiver, coin] = [market, asset === 'ETH' ? ('market' as const) : undefined]
      const made = { mint: mint({ chainId: 1, market, coin, amount, receiver }) }
      const left = { redeem: redeem({ chainId: 1, market, amount }) }
      const part = { redeemUnderlying: redeemUnderlying({ chainId: 1, market, amount }) }
      for (const [name, { to, data, value }] of Object.entries({ ...made, ...left, ...part }))
        expect({ to, data, value: String(value) }).toEqual(said[name])
    }
  })
})

describe('@compound-finance/compound-js for Compound v3', () => {
  test('builds the same calldata for deposits, partial and full withdrawals of the base asset', () => {
    expect(comet.all).toHaveLength(100)
    expect(comet.all.filter((one: { amount: string }) => BigInt(one.amount) === maxUint256)).toHaveLength(2)
    for (const { market, owner, asset, amount: typed, ...said } of comet.all) {
      const call = { chainId: 1, comet: market, asset, amount: BigInt(typed), owner }
      for (const [name, { to, data, value }] of Object.entries({
        supply: supplyBase(call),
        withdraw: withdrawBase(call),
      }))
        expect({ to, data, value: String(value) }).toEqual(said[name])
    }
  })
})

describe('@lidofinance/lido-ethereum-sdk', () => {
  const known = catalogOfFile(
    JSON.parse(readFileSync(join(import.meta.dirname, '../../../src/engine/catalog/ethereum.json'), 'utf8')),
  )
  const held = (holds: string): LidoConstants => {
    const found = known.strategies.find(
      ({ constants }) => constants.family === 'lido' && constants.holds === holds,
    )
    return found!.constants as LidoConstants
  }

  test('builds the same staking calldata for stETH and wstETH, to the same contracts', () => {
    expect(lido.stakes).toHaveLength(50)
    for (const one of lido.stakes)
      for (const holds of ['stETH', 'wstETH']) {
        const made = submit({ chainId: 1, constants: held(holds), amount: BigInt(one.amount) })
        const { value, ...rest } = one[holds]
        expect(made).toMatchObject({ ...rest, value: BigInt(value) })
      }
  })

  test('builds the same calldata for withdrawal requests and claims', () => {
    expect(lido.requests).toHaveLength(100)
    for (const { account, token, amount, to, data } of lido.requests)
      expect(
        requestWithdrawals({ chainId: 1, constants: held(token), amount: BigInt(amount), owner: account }),
      ).toMatchObject({ to, data })
    expect(lido.claims).toHaveLength(100)
    for (const { ids, hints, to, data } of lido.claims)
      expect(
        claimWithdrawals({
          chainId: 1,
          queue: held('stETH').queue,
          ids: ids.map(BigInt),
          hints: hints.map(BigInt),
        }),
      ).toMatchObject({ to, data })
  })
})

test('@stakewise/v3-sdk builds the same deposits of ETH and GNO, exits, claims and share queries', () => {
  expect(stakewise.all.map(({ asset }: { asset: string }) => asset)).toEqual([
    ...Array(50).fill('ETH'),
    ...Array(50).fill('GNO'),
  ])
  const entryOn = (name: string) =>
    catalogOfFile(
      JSON.parse(readFileSync(join(import.meta.dirname, `../../../src/engine/catalog/${name}.json`), 'utf8')),
    ).strategies.find(({ constants }) => constants.family === 'stakewise')!
  const entries = { ETH: entryOn('ethereum'), GNO: entryOn('gnosis') }
  for (const one of stakewise.all) {
    const entry = entries[one.asset as keyof typeof entries]
    const { chainId } = entry
    expect(entry.asset.symbol).toBe(one.asset)
    expect((entry.asset.address === nativeAddress) === (one.asset === 'ETH')).toBe(true)
    const { address: vault } = entry.receipt
    const ask = { chainId, vault, owner: one.owner }
    const id = `${one.place}-${one.time}`
    for (const [kind, { to, data, value }] of Object.entries({
      deposit: depositStake({ ...ask, asset: entry.asset.address, amount: BigInt(one.assets) }),
      exit: requestExit({ ...ask, shares: BigInt(one.shares) }),
      claim: claimExitedAssets({ chainId, vault, id, index: BigInt(one.index) }),
    }))
      expect({ to, data, value: String(value) }).toEqual(one[kind])
    const cost = calldataRulesOf(entry).cost(BigInt(one.assets))
    expect('read' in cost && encodeCall(cost.read)).toEqual({ to: vault, data: one.question })
  }
})

describe('@morpho-org/blue-sdk', () => {
  test('computes the same net APY within 1e-9 from markets that were last touched up to three days ago', () => {
    expect(morpho.vaults).toHaveLength(100)
    const units = (one: Record<string, string>) =>
      Object.fromEntries(Object.entries(one).map(([name, value]) => [name, BigInt(value)])) as never
    for (const { fee, lost, lent, netApy } of morpho.vaults) {
      const vault = { fee: BigInt(fee), lent: lent.map(units), ...(lost && { lost: units(lost) }) }
      expect(Math.abs(netRate(vault, BigInt(morpho.now)).apy - netApy)).toBeLessThan(1e-9)
    }
    const touched = morpho.vaults.flatMap(({ lent }: Json) =>
      lent.map((one: Json) => Number(morpho.now) - Number(one.lastUpdate)),
    )
    expect([Math.min(...touched) >= 60, Math.max(...touched) > 2 * 86_400]).toEqual([true, true])
    expect(Math.max(...morpho.vaults.map((one: { netApy: number }) => one.netApy))).toBeGreaterThan(0.1)
  })
})

describe('@uniswap/v2-sdk', () => {
  test('builds the same pairs, bounds and call for one and two hops, with the native coin at either end', () => {
    expect(uniswapV2.swaps).toHaveLength(120)
    const { initCodeHash } = uniswapV2
    for (const { exact, coin, tokens, pairs, ...one } of uniswapV2.swaps) {
      const factory = uniswapV2.factories[1]
      expect(
        tokens.slice(1).map((to: Address, at: number) => pairOf({ factory, initCodeHash }, tokens[at], to)),
      ).toEqual(pairs)
      const [amountIn, amountOut, least] = [one.amountIn, one.amountOut, one.least].map(BigInt) as [
        bigint,
        bigint,
        bigint,
      ]
      const slippage = one.slippageBps / 10_000
      const bound = exact === 'in' ? subtractSlippage(amountOut, slippage) : addSlippage(amountIn, slippage)
      // The SDK rounds the maximum input down, sluice rounds it up.
      expect(bound - least).toBeGreaterThanOrEqual(0n)
      expect(bound - least).toBeLessThanOrEqual(exact === 'in' ? 0n : 1n)
      const { data, value } = swapV2({
        chainId: 1,
        router: one.recipient,
        exact,
        path: tokens,
        amountIn: exact === 'in' ? amountIn : least,
        amountOut: exact === 'in' ? least : amountOut,
        recipient: one.recipient,
        deadline: one.deadline,
        isNativeIn: coin === 'in',
        isNativeOut: coin === 'out',
      })
      const { functionName, args } = decodeFunctionData({ abi: uniswapV2Swaps, data })
      expect(functionName).toBe(one.methodName)
      const words = (value: unknown): unknown =>
        Array.isArray(value)
          ? value.map(words)
          : isAddress(String(value))
            ? getAddress(String(value))
            : BigInt(value as string)
      expect(words(args)).toEqual(words(one.args))
      expect(value).toBe(BigInt(one.value))
    }
  })

  test('has the factories and the init code hash of the catalogue', async () => {
    const known = (await filesOf(publicNetworks)).flatMap((one) => contractsIn(one, uniswapV2Contracts))
    expect(known.length).toBeGreaterThan(5)
    for (const { chainId, factory, initCodeHash } of known)
      expect({ chainId, factory, initCodeHash }).toEqual({
        chainId,
        factory: getAddress(uniswapV2.factories[chainId]),
        initCodeHash: uniswapV2.initCodeHash,
      })
  })
})

describe('@uniswap/router-sdk and v3-sdk', () => {
  test('builds the same path, bounds and calldata for one to three hops, exact input and output', () => {
    expect(uniswap.swaps).toHaveLength(150)
    for (const one of uniswap.swaps) {
      const [amountIn, amountOut] = [BigInt(one.amountIn), BigInt(one.amountOut)]
      const slippage = one.slippageBps / 10_000
      const bound =
        one.exact === 'in' ? subtractSlippage(amountOut, slippage) : addSlippage(amountIn, slippage)
      // The SDK rounds the maximum input down, sluice rounds it up, so ours is at most one unit larger.
      expect(bound - BigInt(one.least)).toBeGreaterThanOrEqual(0n)
      expect(bound - BigInt(one.least)).toBeLessThanOrEqual(one.exact === 'in' ? 0n : 1n)
      expect(packPath(one.path, one.exact)).toBe(one.packed)
      const made = encodeV3Swap({
        chainId: 8453,
        router: one.recipient,
        exact: one.exact,
        path: one.path,
        amountIn: one.exact === 'in' ? amountIn : BigInt(one.least),
        amountOut: one.exact === 'in' ? BigInt(one.least) : amountOut,
        recipient: one.recipient,
        deadline: one.deadline,
      })
      expect(made.data).toBe(one.data)
      expect(BigInt(one.value)).toBe(made.value)
    }
  })
})

describe('@uniswap/universal-router-sdk and v4-sdk', () => {
  test('builds the same pool ids and calldata for router 2.0, one to three hops, native coin at any position', () => {
    expect(uniswapV4.swaps).toHaveLength(60)
    for (const { path, pools, amountIn, amountOut, data, ...one } of uniswapV4.swaps) {
      const { tokens, fees } = path
      expect(fees.map((fee: number, at: number) => poolIdOf(tokens[at], tokens[at + 1], fee))).toEqual(pools)
      const amounts = { amountIn: BigInt(amountIn), amountOut: BigInt(amountOut) }
      const made = swapV4({ chainId: 8453, router: one.recipient, path, ...amounts, ...one })
      expect(made.data).toBe(data)
      expect(made.value).toBe(one.isNativeIn ? amounts.amountIn : 0n)
    }
  })

  test('a pool id depends on its two tokens, in either order, and its fee, also when cached', () => {
    const { tokens } = uniswapV4.swaps.find(
      (one: { path: { tokens: string[] } }) => one.path.tokens.length > 2,
    )!.path
    const pairs = [
      [tokens[0], tokens[1]],
      [tokens[1], tokens[0]],
      [tokens[1], tokens[2]],
    ]
    const idsOf = () => pairs.map(([one, other]) => [500, 3000].map((fee) => poolIdOf(one, other, fee)))
    const first = idsOf()
    expect(idsOf()).toEqual(first)
    expect(first[1]).toEqual(first[0])
    expect(new Set(first.flat()).size).toBe(4)
  })
})

describe('@balancer/sdk', () => {
  test('builds the same calldata and query for one and two pools, with the native coin at either end', () => {
    expect(balancer.swaps).toHaveLength(40)
    for (const { path, amountIn, amountOut, query, to, data, value, ...one } of balancer.swaps) {
      const amounts = { amountIn: BigInt(amountIn), amountOut: BigInt(amountOut) }
      const made = swapBalancerV2({ chainId: 1, router: to, path, ...amounts, ...one })
      expect(made).toMatchObject({ data, value: BigInt(value) })
      if (!query) continue
      const { exact } = one
      const asked = quoteOf(to, path, exact, exact === 'in' ? amounts.amountIn : amounts.amountOut)
      expect(encodeFunctionData(asked as never)).toBe(query)
    }
  })

  test('has the Vault and its queries contract at the addresses of the catalogue', async () => {
    const known = (await filesOf(publicNetworks)).flatMap((one) => contractsIn(one, balancerV2Contracts))
    expect(known).toHaveLength(7)
    for (const { chainId, vault, queries } of known)
      expect({ vault, queries }).toEqual({
        vault: balancer.vaults[chainId],
        queries: getAddress(balancer.queries[chainId]),
      })
  })
})

describe('@pancakeswap/smart-router and v3-sdk', () => {
  test('builds the same calldata for one and two hops, with the native coin at either end', () => {
    expect(pancakeSwap.swaps).toHaveLength(60)
    for (const { amountIn, amountOut, data, value, ...one } of pancakeSwap.swaps) {
      const amounts = { amountIn: BigInt(amountIn), amountOut: BigInt(amountOut) }
      const made = encodeV3Swap({ chainId: 56, router: one.recipient, ...amounts, ...one })
      expect(made).toMatchObject({ data, value: BigInt(value) })
    }
  })

  test('has the functions that sluice calls, and the addresses and fee tiers of the catalogue', async () => {
    const { abis, routers, quoters, spacings } = pancakeSwap
    for (const [ours, theirs] of [
      [swapRouter02Abi, abis.router],
      [quoterV2Abi, abis.quoter],
    ]) {
      const known = theirs.map((one: AbiFunction) => toFunctionSelector(one))
      for (const one of ours) expect(known).toContain(toFunctionSelector(one))
    }
    const there = (await filesOf(publicNetworks)).flatMap((one) => contractsIn(one, pancakeSwapV3Contracts))
    expect(there.map(({ chainId }) => chainId)).toEqual([1, 56])
    for (const { chainId, swapRouter02, quoterV2, feeTiers } of there)
      expect({ swapRouter02, quoterV2, feeTiers }).toEqual({
        swapRouter02: routers[chainId],
        quoterV2: quoters[chainId],
        feeTiers: Object.keys(spacings).map(Number),
      })
  })
})
