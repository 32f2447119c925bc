import type { Abi } from 'viem'
import {
  concatHex,
  decodeAbiParameters,
  decodeFunctionData,
  decodeFunctionResult,
  encodeFunctionData,
  numberToHex,
  parseAbiParameters,
} from 'viem/utils'
import { describe, expect, test } from 'vitest'
import type { Quote } from '../../../src/api/quote.ts'
import type { Service } from '../../../src/api/service-type.ts'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { type Address, type Hex, nativeAddress } from '../../../src/domain/address.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { multicall3, networkNamed } from '../../../src/domain/networks.ts'
import type { Token } from '../../../src/domain/token.ts'
import type { Transaction } from '../../../src/domain/transaction-types.ts'
import { fullAccess } from '../../../src/engine/access-scope.ts'
import { createCustomerEngines, type EngineContext } from '../../../src/engine/engine.ts'
import { quoteFor } from '../../../src/engine/quotes/create-quote.ts'
import { sandboxAddress } from '../../../src/sandbox/accounts.ts'
import { publishedAbi } from '../../../src/sandbox/genesis/artifacts.ts'
import { balancerV2Contracts } from '../../../src/swaps/balancer-v2/constants-schema.ts'
import { depositProviderNames } from '../../../src/swaps/deposit-provider-registry.ts'
import { bestOffer } from '../../../src/swaps/offers/best-offer.ts'
import type { OfferRequest, SwapProvider } from '../../../src/swaps/provider.ts'
import { contractsIn } from '../../../src/swaps/swap-contracts.ts'
import { swapProviderNames } from '../../../src/swaps/swap-provider-registry.ts'
import { uniswapV2Contracts } from '../../../src/swaps/uniswap-v2/constants-schema.ts'
import { pancakeSwapV3Contracts, uniswapV3Contracts } from '../../../src/swaps/uniswap-v3/constants-schema.ts'
import { uniswapV4Contracts } from '../../../src/swaps/uniswap-v4/constants-schema.ts'
import { withAttestation } from '../../support/changed-catalogs.ts'
import { campaignSeed, cells, codeOf, engineOn, perform, seeded } from '../../support/engine.ts'
import { published } from '../../support/plans/published-calls.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const stranger = sandboxAddress(2)
const someone: Address = '0x2222222222222222222222222222222222222222'

const routerAbi = publishedAbi('SwapRouter02')
const quoterAbi = publishedAbi('QuoterV2')
const pairRouterAbi = publishedAbi('UniswapV2Router02')

/** A path through pools. Uniswap v2 pairs have the same fee, so none is listed. */
type Path = { tokens: readonly Address[]; fees: readonly number[] }
const packed = ({ tokens, fees }: Path): Hex =>
  concatHex(
    tokens.flatMap((token, at) =>
      fees[at] === undefined ? [token] : [token, numberToHex(fees[at], { size: 3 })],
    ),
  )
const reversed = ({ tokens, fees }: Path): Path => ({ tokens: tokens.toReversed(), fees: fees.toReversed() })
const pools = (chainId: number) =>
  contractsIn(sandbox.world.catalog(), uniswapV3Contracts).find((one) => one.chainId === chainId)!

/** The answer of QuoterV2 for a path at a block; `undefined` without a pool or enough liquidity. */
async function quoted(
  chainId: number,
  exact: 'in' | 'out',
  path: Path,
  amount: bigint,
  block: Hex | 'latest' = 'latest',
  to = pools(chainId).quoterV2,
): Promise<bigint | undefined> {
  const functionName = exact === 'in' ? 'quoteExactInput' : 'quoteExactOutput'
  const args = [packed(exact === 'in' ? path : reversed(path)), amount]
  const data = encodeFunctionData({ abi: quoterAbi, functionName, args })
  try {
    const answer = await sandbox.chain(chainId).rpc.request<Hex>('eth_call', [{ to, data }, block])
    return (decodeFunctionResult({ abi: quoterAbi, functionName, data: answer }) as readonly [bigint])[0]
  } catch {
    return undefined // The quoter reverts for a path without pools.
  }
}

/** The answer of the Uniswap v2 router for a path at a block; `undefined` without a pair or enough liquidity. */
const quotedByPairs: typeof quoted = async (chainId, exact, { tokens }, amount, block = 'latest') => {
  const functionName = exact === 'in' ? 'getAmountsOut' : 'getAmountsIn'
  const data = encodeFunctionData({ abi: pairRouterAbi, functionName, args: [amount, tokens] })
  const to = contractsIn(sandbox.world.catalog(), uniswapV2Contracts).find(
    (one) => one.chainId === chainId,
  )!.router02
  try {
    const answer = await sandbox.chain(chainId).rpc.request<Hex>('eth_call', [{ to, data }, block])
    const amounts = decodeFunctionResult({ abi: pairRouterAbi, functionName, data: answer }) as bigint[]
    return amounts.at(exact === 'in' ? -1 : 0)
  } catch {
    return undefined // The router reverts for a path without pairs.
  }
}

/** Every path of one or two pairs. */
const allPairPaths = (chainId: number, tokenIn: Address, tokenOut: Address): Path[] => [
  ...new Map(
    allPaths(chainId, tokenIn, tokenOut).map(({ tokens }) => [tokens.join(), { tokens, fees: [] }]),
  ).values(),
]

/** Every path of one or two pools, listed independently of the source. */
function allPaths(
  chainId: number,
  tokenIn: Address,
  tokenOut: Address,
  { tiers, via } = { tiers: [100, 500, 3000, 10000], via: ['USDC', 'WETH'] },
): Path[] {
  const middles = via.map((symbol) => sandbox.token(chainId, symbol).address)
  return [
    ...tiers.map((fee) => ({ tokens: [tokenIn, tokenOut], fees: [fee] })),
    ...middles
      .filter((middle) => middle !== tokenIn && middle !== tokenOut)
      .flatMap((middle) =>
        tiers.flatMap((a) => tiers.map((b) => ({ tokens: [tokenIn, middle, tokenOut], fees: [a, b] }))),
      ),
  ]
}

/** The one swap in the calldata of the router, decoded by the published ABI. */
function swapIn(data: Hex): { path: Path; recipient: Address; amounts: bigint[]; deadline: bigint } {
  const outer = decodeFunctionData({ abi: routerAbi, data })
  expect(outer.functionName).toBe('multicall')
  const [deadline, calls] = outer.args as [bigint, Hex[]]
  expect(calls).toHaveLength(1)
  const { functionName, args } = decodeFunctionData({ abi: routerAbi, data: calls[0]! })
  const params = args![0] as Record<string, never>
  const { tokenIn, tokenOut, fee, path, recipient, amountIn, amountOut, amountOutMinimum, amountInMaximum } =
    params
  const amounts = functionName.startsWith('exactInput')
    ? [amountIn!, amountOutMinimum!]
    : [amountInMaximum!, amountOut!]
  if (functionName.endsWith('Single'))
    return { path: { tokens: [tokenIn!, tokenOut!], fees: [fee!] }, recipient: recipient!, amounts, deadline }
  const bytes = (path as unknown as Hex).slice(2)
  const tokens: Address[] = []
  const fees: number[] = []
  for (let at = 0; at < bytes.length; at += 46) {
    tokens.push(`0x${bytes.slice(at, at + 40)}`)
    if (at + 40 < bytes.length) fees.push(Number.parseInt(bytes.slice(at + 40, at + 46), 16))
  }
  const whole = { tokens, fees }
  return {
    path: functionName === 'exactInput' ? whole : reversed(whole),
    recipient: recipient!,
    amounts,
    deadline,
  }
}

/** The one swap in the calldata of the Uniswap v2 router, decoded by the published ABI. */
const pairSwapIn: typeof swapIn = (data) => {
  const { functionName, args } = decodeFunctionData({ abi: pairRouterAbi, data })
  const [one, other, tokens, recipient, deadline] = args as [bigint, bigint, Address[], Address, bigint]
  expect(['swapExactTokensForTokens', 'swapTokensForExactTokens']).toContain(functionName)
  const amounts = functionName === 'swapExactTokensForTokens' ? [one, other] : [other, one]
  return { path: { tokens, fees: [] }, recipient, amounts, deadline }
}

const pathKey = 'struct Key { address token; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }'
const spacings: Record<number, number> = { 100: 1, 500: 10, 3000: 60, 10000: 200 }

/** A path as Uniswap v4 encodes it: from the token with the exact amount, each pool with the next token. */
function keys({ tokens, fees }: Path, exact: 'in' | 'out') {
  const [fixed, ...others] = exact === 'in' ? tokens : [tokens.at(-1)!, ...tokens.slice(0, -1)]
  const path = others.map((intermediateCurrency, at) => ({
    intermediateCurrency,
    fee: fees[at]!,
    tickSpacing: spacings[fees[at]!]!,
    hooks: nativeAddress,
    hookData: '0x',
  }))
  return { exactCurrency: fixed!, path }
}

/** The answer of V4Quoter for a path at a block; `undefined` without a pool or enough liquidity. */
const quotedByV4: typeof quoted = async (chainId, exact, path, exactAmount, block = 'latest') => {
  const functionName = exact === 'in' ? 'quoteExactInput' : 'quoteExactOutput'
  const abi: Abi = published.v4Quoter
  const data = encodeFunctionData({ abi, functionName, args: [{ ...keys(path, exact), exactAmount }] })
  const to = contractsIn(sandbox.world.catalog(), uniswapV4Contracts).find(
    (one) => one.chainId === chainId,
  )!.quoter
  try {
    const answer = await sandbox.chain(chainId).rpc.request<Hex>('eth_call', [{ to, data }, block])
    return (decodeFunctionResult({ abi, functionName, data: answer }) as readonly [bigint])[0]
  } catch {
    return undefined // The quoter reverts for a path without pools.
  }
}

/** Every path of one or two pools of Uniswap v4, which hold the native coin itself. */
const allV4Paths = (chainId: number, tokenIn: Address, tokenOut: Address): Path[] => {
  const fees = Object.keys(spacings).map(Number)
  const middles = [nativeAddress, ...['USDC', 'USDT'].map((symbol) => sandbox.token(chainId, symbol).address)]
  return [
    ...fees.map((fee) => ({ tokens: [tokenIn, tokenOut], fees: [fee] })),
    ...middles
      .filter((middle) => middle !== tokenIn && middle !== tokenOut)
      .flatMap((middle) =>
        fees.flatMap((a) => fees.map((b) => ({ tokens: [tokenIn, middle, tokenOut], fees: [a, b] }))),
      ),
  ]
}

/** The one swap in the calldata of the Universal Router, decoded by its published ABI and the structs of IV4Router. */
const v4SwapIn: typeof swapIn = (data) => {
  const { args } = decodeFunctionData({ abi: published.universalRouter, data })
  const [commands, [plan], deadline] = args as [Hex, Hex[], bigint]
  expect(commands).toBe('0x10')
  const [actions, [swap, , taken]] = decodeAbiParameters(parseAbiParameters('bytes, bytes[]'), plan!)
  const isIn = actions === '0x070b0e'
  const [{ currency, path, exact, bound }] = decodeAbiParameters(
    parseAbiParameters([
      'Swap swap',
      'struct Swap { address currency; Key[] path; uint128 exact; uint128 bound; }',
      pathKey,
    ]),
    swap!,
  )
  const [, recipient] = decodeAbiParameters(parseAbiParameters('address, address, uint256'), taken!)
  const others = path.map(({ token }) => token)
  const tokens = isIn ? [currency, ...others] : [...others, currency]
  const amounts = isIn ? [exact, bound] : [bound, exact]
  return { path: { tokens, fees: path.map(({ fee }) => fee) }, recipient, amounts, deadline }
}

const forkAt = (chainId: number) =>
  contractsIn(sandbox.world.catalog(), pancakeSwapV3Contracts).find((one) => one.chainId === chainId)!

/** The answer of the PancakeSwap v3 quoter for a path. */
const quotedByFork: typeof quoted = (chainId, exact, path, amount, block) =>
  quoted(chainId, exact, path, amount, block, forkAt(chainId).quoterV2)

const allForkPaths: typeof allPaths = (chainId, tokenIn, tokenOut) =>
  allPaths(chainId, tokenIn, tokenOut, { tiers: [100, 500, 2500, 10000], via: ['USDT', 'WETH'] })

const poolsOfBalancer = (chainId: number) =>
  contractsIn(sandbox.world.catalog(), balancerV2Contracts).find((one) => one.chainId === chainId)!

/** The answer of BalancerQueries for a path at a block; a pool is its index in the list. `undefined` if it reverts. */
const quotedByBalancer: typeof quoted = async (
  chainId,
  exact,
  { tokens, fees },
  amount,
  block = 'latest',
) => {
  const { queries, pools: listed } = poolsOfBalancer(chainId)
  const [kind, given] = exact === 'in' ? [0, 0] : [1, fees.length - 1]
  const parties = { sender: nativeAddress, recipient: nativeAddress }
  const funds = { ...parties, fromInternalBalance: false, toInternalBalance: false }
  const steps = fees.map((place, at) => ({
    poolId: listed[place]!.id,
    assetInIndex: at,
    assetOutIndex: at + 1,
    amount: at === given ? amount : 0n,
    userData: '0x',
  }))
  const single = { ...steps[0]!, kind, assetIn: tokens[0], assetOut: tokens[1] }
  const abi: Abi = published.balancerQueries
  const [functionName, args] =
    fees.length === 1
      ? (['querySwap', [single, funds]] as const)
      : (['queryBatchSwap', [kind, exact === 'in' ? steps : steps.toReversed(), tokens, funds]] as const)
  const data = encodeFunctionData({ abi, functionName, args })
  try {
    const answer = await sandbox.chain(chainId).rpc.request<Hex>('eth_call', [{ to: queries, data }, block])
    const said = decodeFunctionResult({ abi, functionName, data: answer }) as bigint | bigint[]
    return typeof said === 'bigint' ? said : exact === 'in' ? -said.at(-1)! : said[0]!
  } catch {
    return undefined // The pools cannot take or pay that amount.
  }
}

/** Every path of one or two pools of Balancer v2. */
const allBalancerPaths = (chainId: number, tokenIn: Address, tokenOut: Address): Path[] => {
  const listed = poolsOfBalancer(chainId).pools
  const between = (one: Address, other: Address) =>
    listed.flatMap(({ tokens }, at) =>
      one !== other && tokens.includes(one) && tokens.includes(other) ? [at] : [],
    )
  const middles = new Set(listed.flatMap(({ tokens }) => tokens))
  return [
    ...between(tokenIn, tokenOut).map((at) => ({ tokens: [tokenIn, tokenOut], fees: [at] })),
    ...[...middles].flatMap((middle) =>
      between(tokenIn, middle).flatMap((a) =>
        between(middle, tokenOut).map((b) => ({ tokens: [tokenIn, middle, tokenOut], fees: [a, b] })),
      ),
    ),
  ]
}

/** The one swap in the calldata of the Vault, decoded by its published ABI. */
const balancerSwapIn: typeof swapIn = (data) => {
  const { functionName, args } = decodeFunctionData({ abi: published.vault, data })
  const balancerV2 = contractsIn(sandbox.world.catalog(), balancerV2Contracts)
  const placeOf = ({ poolId }: { poolId: Hex }) =>
    Math.max(...balancerV2.map(({ pools: listed }) => listed.findIndex(({ id }) => id === poolId)))
  if (functionName === 'swap') {
    const [single, { recipient }, limit, deadline] = args as [
      { poolId: Hex; kind: number; assetIn: Address; assetOut: Address; amount: bigint },
      { recipient: Address },
      bigint,
      bigint,
    ]
    const path = { tokens: [single.assetIn, single.assetOut], fees: [placeOf(single)] }
    const amounts = single.kind === 0 ? [single.amount, limit] : [limit, single.amount]
    return { path, recipient, amounts, deadline }
  }
  const [kind, steps, tokens, { recipient }, limits, deadline] = args as [
    number,
    { poolId: Hex }[],
    Address[],
    { recipient: Address },
    bigint[],
    bigint,
  ]
  const fees = (kind === 0 ? steps : steps.toReversed()).map(placeOf)
  return { path: { tokens, fees }, recipient, amounts: [limits[0]!, -limits.at(-1)!], deadline }
}

/** The swap providers on one chain, each with the answers of its own contracts for a path. */
const exchanges = {
  'uniswap-v3': { swapIn, quoted, allPaths },
  'uniswap-v2': { swapIn: pairSwapIn, quoted: quotedByPairs, allPaths: allPairPaths },
  'uniswap-v4': { swapIn: v4SwapIn, quoted: quotedByV4, allPaths: allV4Paths },
  'pancakeswap-v3': { swapIn, quoted: quotedByFork, allPaths: allForkPaths },
  'balancer-v2': { swapIn: balancerSwapIn, quoted: quotedByBalancer, allPaths: allBalancerPaths },
} as const

const symbols = ['USDC', 'USDT', 'WETH', 'WBTC', 'BRLA'] as const
const usd = { USDC: 1, USDT: 1, WETH: 3000, WBTC: 90000, BRLA: 0.18 }
const pairs = symbols.flatMap((a) => symbols.filter((b) => b !== a).map((b) => [a, b] as const))
/** The amount of a token that is worth this many dollars, in its smallest unit. */
const worth = (symbol: keyof typeof usd, dollars: number, { decimals }: Token) =>
  (BigInt(Math.max(1, Math.round((dollars / usd[symbol]) * 1e6))) * 10n ** BigInt(decimals)) / 1_000_000n

/** The pairs that the Uniswap v4 pools serve: BRLA has one pool, with USDT. */
const isInV4 = (a: string, b: string) =>
  ![a, b].includes('BRLA')
    ? !(a === 'WETH' || b === 'WETH') || [a, b].includes('USDC')
    : [a, b].includes('USDT')

const providerAt = (at: number, a: string, b: string) => {
  const round = Math.floor(at / pairs.length) + (at % pairs.length)
  const names = [
    'uniswap-v3',
    'uniswap-v2',
    ...(isInV4(a, b) ? (['uniswap-v4'] as const) : []),
    // No listed pool of Balancer v2 has USDC.
    ...([a, b].includes('USDC') ? [] : (['balancer-v2'] as const)),
    ...([a, b].some((one) => ['USDC', 'BRLA'].includes(one)) ? [] : (['pancakeswap-v3'] as const)),
  ] as const
  return names[round % names.length]!
}

const random = seeded(campaignSeed(20260101))
const campaign = Array.from({ length: cells(40, 1_000) }, (_, at) => {
  const [a, b] = pairs[at % pairs.length]!
  const exact = random() < 0.5 ? ('in' as const) : ('out' as const)
  // A ramp between USDC and BRLA has limits.
  const isRamp = [a, b].includes('USDC') && [a, b].includes('BRLA')
  const most = isRamp ? 4_000 : 9_000
  const dollars = Math.max(isRamp ? 2 : 1, Math.exp(random() * Math.log(most)))
  const slippage = Number((0.0001 + random() ** 3 * 0.4999).toFixed(4))
  return {
    at,
    chainId: random() < 0.5 ? 31337 : 31338,
    a,
    b,
    exact,
    dollars,
    slippage,
    away: random() < 0.25,
    provider: providerAt(at, a, b),
  }
})
const seenHops: number[] = []

describe('a random swap', () => {
  test.each(campaign)(
    '$at: exact $exact, $a to $b on $chainId moves the quoted amounts of $provider by its best path',
    async ({ chainId, a, b, exact, dollars, slippage, away, provider }) => {
      const { swapIn, quoted, allPaths } = exchanges[provider]
      const [tokenIn, tokenOut] = [sandbox.token(chainId, a), sandbox.token(chainId, b)]
      const known = exact === 'in' ? worth(a, dollars, tokenIn) : worth(b, dollars, tokenOut)
      const amount = known === 0n ? 1n : known
      const recipient = away ? someone : wallet
      const { service } = engineOn(sandbox)
      const { quote } = await service.quote({
        chainIdIn: chainId,
        chainIdOut: chainId,
        tokenIn: tokenIn.address,
        tokenOut: tokenOut.address,
        ...(exact === 'in' ? { amountIn: amount } : { amountOut: amount }),
        slippage,
        preferredProvider: provider,
        ...(away && { destinationAddress: someone }),
      })
      const order = { quote: quote.raw as never, walletAddress: wallet }
      const { approvals, transactions } = await service.swapBytecode(order)
      const swap = swapIn(transactions[0]!.data)
      seenHops.push(swap.path.tokens.length - 1)
      expect(swap.recipient.toLowerCase()).toBe(recipient.toLowerCase())

      const before = [
        await sandbox.balanceOf(chainId, tokenIn.address, wallet),
        await sandbox.balanceOf(chainId, tokenOut.address, recipient),
      ] as const
      const receipts = await perform(sandbox, wallet, [...approvals, ...transactions])
      const spent = before[0] - (await sandbox.balanceOf(chainId, tokenIn.address, wallet))
      const got = (await sandbox.balanceOf(chainId, tokenOut.address, recipient)) - before[1]

      const parent = numberToHex(BigInt(receipts.at(-1)!.blockNumber) - 1n)
      const said = (await quoted(chainId, exact, swap.path, amount, parent))!
      expect({ spent, got }).toEqual(
        exact === 'in' ? { spent: amount, got: said } : { spent: said, got: amount },
      )
      expect([quote.tokenIn.amount, quote.tokenOut.amount]).toEqual([spent, got])
      expect(swap.amounts).toEqual([quote.maxAmountIn, quote.minAmountOut])
      expect(got).toBeGreaterThanOrEqual(quote.minAmountOut!)
      expect(spent).toBeLessThanOrEqual(quote.maxAmountIn!)
      const kept = BigInt(Math.round((1 - slippage) * 1e6))
      if (exact === 'in') expect(quote.minAmountOut! * 1_000_000n).toBeGreaterThan((got - 2n) * kept)

      const every = await Promise.all(
        allPaths(chainId, tokenIn.address, tokenOut.address).map((path) =>
          quoted(chainId, exact, path, amount, parent),
        ),
      )
      const able = every.filter((answer) => answer !== undefined)
      for (const other of able) {
        if (exact === 'in') expect(said).toBeGreaterThanOrEqual(other)
        else expect(said).toBeLessThanOrEqual(other)
      }
      const status = await service.swapStatus({ id: quote.id })
      expect(status).toEqual({
        status: 'fulfilled',
        originTxHash: receipts.at(-1)!.transactionHash,
        destinationTxHash: receipts.at(-1)!.transactionHash,
        provider,
      })
    },
  )

  test.skipIf(campaign.length < 20)('swaps of the campaign use one pool and two pools', () => {
    expect(new Set(seenHops)).toEqual(new Set([1, 2]))
  })
})

const usdc = () => sandbox.token(31337, 'USDC')
const weth = () => sandbox.token(31337, 'WETH')
const plain = () => ({
  chainIdIn: 31337,
  chainIdOut: 31337,
  tokenIn: usdc().address,
  tokenOut: weth().address,
  amountIn: 1_000_000000n,
})
const bodyOf = (quote: Quote) => ({ quote: quote.raw as never, walletAddress: wallet })

test('a swap reverts when the price moved beyond its slippage, and never delivers below its minimum', async () => {
  const { service } = engineOn(sandbox)
  const [tight, loose] = [
    (await service.quote({ ...plain(), slippage: 0.001 })).quote,
    (await service.quote({ ...plain(), slippage: 0.5 })).quote,
  ]
  const { quote: big } = await service.quote({ ...plain(), amountIn: 90_000_000000n, slippage: 0.5 })
  const theirs = await service.swapBytecode({ ...bodyOf(big), walletAddress: stranger })
  for (let times = 0; times < 5; times++)
    await sandbox.world.fund(stranger, { symbol: 'USDC', amount: 1_000_000_000000n })
  const { transactions: tightSwap, approvals } = await service.swapBytecode(bodyOf(tight))
  const { transactions: looseSwap } = await service.swapBytecode(bodyOf(loose))
  await perform(sandbox, stranger, [...theirs.approvals, ...theirs.transactions])
  await perform(sandbox, wallet, approvals)
  const before = await sandbox.balanceOf(31337, usdc().address, wallet)
  const [call] = tightSwap as [Transaction]
  expect((await sandbox.sendAs(31337, wallet, { to: call.to, data: call.data })).status).toBe('0x0')
  expect(await sandbox.balanceOf(31337, usdc().address, wallet)).toBe(before)
  const had = await sandbox.balanceOf(31337, weth().address, wallet)
  await perform(sandbox, wallet, looseSwap)
  const got = (await sandbox.balanceOf(31337, weth().address, wallet)) - had
  expect(got).toBeGreaterThanOrEqual(loose.minAmountOut!)
  expect(got).toBeLessThan(loose.tokenOut.amount)
  expect((await service.swapStatus({ id: tight.id })).status).toBe('failed')
})

describe('the choice between several providers', () => {
  const real = (context: EngineContext) => context.providers.find(({ name }) => name === 'uniswap-v3')!
  /** The same provider with its offer changed by this amount. */
  const off = (provider: SwapProvider, name: string, by: bigint): SwapProvider => ({
    ...provider,
    name,
    quote: async (ask, signal) => {
      const offer = await provider.quote(ask, signal)
      return offer && { ...offer, amountOut: offer.amountOut + by, amountIn: offer.amountIn - by }
    },
  })
  const broken = (provider: SwapProvider): SwapProvider => ({
    ...provider,
    name: 'broken',
    quote: () => Promise.reject(new Error('nonsense')),
  })
  const late = (provider: SwapProvider): SwapProvider => ({
    ...provider,
    name: 'late',
    quote: () => new Promise(() => undefined),
  })
  const silent = (provider: SwapProvider): SwapProvider => ({
    ...provider,
    name: 'silent',
    quote: async () => undefined,
  })

  test.each(['in', 'out'] as const)('takes and stores the best offer, exact %s', async (exact) => {
    const { context, service } = engineOn(sandbox)
    const { amountIn: amount, ...route } = plain()
    const ask = { ...route, ...(exact === 'in' ? { amountIn: amount } : { amountOut: 10n ** 17n }) }
    const uniswap = real(context)
    const around = [off(uniswap, 'worse', -1n), broken(uniswap), silent(uniswap)]
    const won = await quoteFor({ ...context, providers: [...around, uniswap] }, ask, [])
    expect(won.provider).toBe('uniswap-v3')
    const beaten = await quoteFor(
      { ...context, providers: [uniswap, ...around, off(uniswap, 'better', 1n)] },
      ask,
      [],
    )
    expect(beaten.provider).toBe('better')
    const { items } = await service.listQuotes({})
    expect(items.map(({ id, provider }) => [id, provider]).toSorted()).toEqual(
      [
        [won.id, 'uniswap-v3'],
        [beaten.id, 'better'],
      ].toSorted(),
    )
  })

  test('skips providers without an answer, and reports why there is no offer', async () => {
    const { context } = engineOn(sandbox)
    const network = networkNamed(context.catalog.networks, 31337)
    const ask: OfferRequest = {
      from: network,
      to: network,
      tokenIn: usdc(),
      tokenOut: weth(),
      exact: 'in',
      amount: 1_000000n,
      slippage: 0.005,
      speed: 'fast',
      refund: null,
      isSpent: false,
    }
    const uniswap = real(context)
    const unpriced = Promise.resolve({ tokenIn: null, tokenOut: null, coin: null, gasPrice: null })
    const { provider } = await bestOffer(
      [late(uniswap), uniswap],
      ask,
      undefined,
      500,
      unpriced,
      context.catalog,
    )
    expect(provider.name).toBe('uniswap-v3')
    // The provider quotes through our nodes: the nodes are slow, and the tokens are not wrong.
    expect(await codeOf(bestOffer([late(uniswap)], ask, undefined, 50, unpriced, context.catalog))).toBe(
      'RPC_UNREACHABLE',
    )
    const served = { ...late(uniswap), asksService: true as const }
    expect(await codeOf(bestOffer([served], ask, undefined, 50, unpriced, context.catalog))).toBe(
      'PROVIDER_API_ERROR',
    )
    // An offer with an unproven minimum loses against any proven offer, and is taken if it is the only one.
    const onWord = {
      ...uniswap,
      name: 'promises',
      isUnproven: true as const,
      quote: async (...asked: Parameters<typeof uniswap.quote>) => {
        const offer = await uniswap.quote(...asked)
        return offer && { ...offer, amountOut: (offer.amountOut * 102n) / 100n }
      },
    }
    for (const [providers, name] of [
      [[onWord, uniswap], 'uniswap-v3'],
      [[onWord], 'promises'],
    ] as const)
      expect(
        (await bestOffer(providers, ask, undefined, 5_000, unpriced, context.catalog)).provider.name,
      ).toBe(name)
    expect(await codeOf(bestOffer([broken(uniswap)], ask, undefined, 50, unpriced, context.catalog))).toBe(
      'QUOTE_GENERATION_FAILED',
    )
    expect(await codeOf(bestOffer([silent(uniswap)], ask, undefined, 50, unpriced, context.catalog))).toBe(
      'NO_ROUTE_FOUND',
    )
    // An error of the chain is no failure of a provider.
    const astray = {
      ...uniswap,
      quote: () => Promise.reject(new AppError('CHAIN_ID_MISMATCH', 'Another chain')),
    }
    expect(await codeOf(bestOffer([astray], ask, undefined, 50, unpriced, context.catalog))).toBe(
      'CHAIN_ID_MISMATCH',
    )
    for (const bad of [late, broken, silent])
      expect(
        await codeOf(
          bestOffer([bad(uniswap), uniswap], ask, bad(uniswap).name, 50, unpriced, context.catalog),
        ),
      ).toBe('PREFERRED_PROVIDER_QUOTE_UNAVAILABLE')
  })

  test('asks the preferred provider only', async () => {
    const { context } = engineOn(sandbox)
    const uniswap = real(context)
    const providers = [uniswap, off(uniswap, 'worse', -1n)]
    const won = await quoteFor({ ...context, providers }, { ...plain(), preferredProvider: 'WORSE' }, [])
    expect(won.provider).toBe('worse')
  })
})

describe('a preferred provider that this version knows', () => {
  const names = [...swapProviderNames, ...depositProviderNames]

  test.each(names)(
    '%s is never called unknown, on an EVM route or from Bitcoin, by the engine or a service',
    async (name) => {
      const { context } = engineOn(sandbox)
      const { store, now, newId, catalog } = context
      const rpc = (chainId: number) => sandbox.chain(chainId).rpc
      const served = createCustomerEngines({ catalog, rpc, store, now, newId })({
        customer: 'tests',
        changedBy: 'tests',
        scope: fullAccess,
      })
      const route = { ...plain(), tokenOut: sandbox.token(31337, 'DUP').address, preferredProvider: name }
      const fromBitcoin = {
        originChain: 'bitcoin',
        chainIdOut: 31337,
        tokenIn: nativeAddress,
        tokenOut: plain().tokenOut,
        amountIn: 10_000_000n,
        destinationAddress: sandbox.user.address,
        preferredProvider: name,
      }
      const refused = async (service: Service, ask: object) =>
        service.quote(ask as never).then(
          () => ({ code: 'QUOTED', message: '' }),
          ({ code, message }: AppError) => ({ code, message }),
        )
      for (const service of [engineOn(sandbox).service, served]) {
        const answers = [await refused(service, route)]
        if (swapProviderNames.includes(name)) answers.push(await refused(service, fromBitcoin))
        for (const { code, message } of answers) {
          expect(code, message).toMatch(/^PREFERRED_PROVIDER_(NOT_ELIGIBLE|QUOTE_UNAVAILABLE)$/)
          if (service === served) expect(message).not.toContain('SLUICE_')
        }
      }
    },
  )
})

describe('a quote is refused', () => {
  const other = () => sandbox.token(31338, 'USDT').address
  const refusals: [string, string, () => Record<string, unknown>][] = [
    ['with both amounts', 'INVALID_AMOUNT_PARAMS', () => ({ amountOut: 1n })],
    ['with no amount', 'MISSING_AMOUNT_PARAMS', () => ({ amountIn: undefined })],
    ['of zero', 'QUOTE_GENERATION_FAILED', () => ({ amountIn: 0n })],
    ['with a slippage below 0.0001', 'INVALID_SLIPPAGE', () => ({ slippage: 0.00009 })],
    ['with a slippage above 0.5', 'INVALID_SLIPPAGE', () => ({ slippage: 0.50001 })],
    ['with a slippage that is no number', 'INVALID_SLIPPAGE', () => ({ slippage: Number.NaN })],
    ['by an unknown provider', 'INVALID_PREFERRED_PROVIDER', () => ({ preferredProvider: 'nobody' })],
    ['by the bridge on one chain', 'PREFERRED_PROVIDER_NOT_ELIGIBLE', () => ({ preferredProvider: 'cctp' })],
    [
      'by the pools over two chains',
      'PREFERRED_PROVIDER_NOT_ELIGIBLE',
      () => ({ preferredProvider: 'uniswap-v3', chainIdOut: 31338, tokenOut: other() }),
    ],
    [
      'by a provider of swaps from Bitcoin',
      'PREFERRED_PROVIDER_NOT_ELIGIBLE',
      () => ({ preferredProvider: 'near-intents' }),
    ],
    ['to the zero address', 'INVALID_ADDRESS', () => ({ destinationAddress: nativeAddress })],
    [
      'to the address that the router replaces with itself',
      'INVALID_ADDRESS',
      () => ({ destinationAddress: `0x${'0'.repeat(39)}2` }),
    ],
    ['to the bought token', 'INVALID_ADDRESS', () => ({ destinationAddress: plain().tokenOut })],
    [
      'to the router',
      'INVALID_ADDRESS',
      () => ({
        destinationAddress: contractsIn(sandbox.world.catalog(), uniswapV3Contracts)[0]!.swapRouter02,
      }),
    ],
    [
      'to a market',
      'INVALID_ADDRESS',
      () => ({ destinationAddress: sandbox.world.catalog().strategies[0]!.receipt.address }),
    ],
    ['to Multicall3', 'INVALID_ADDRESS', () => ({ destinationAddress: multicall3 })],
    ['with a refund to the zero address', 'INVALID_ADDRESS', () => ({ refundAddress: nativeAddress })],
    ['from a token to itself', 'NO_ROUTE_FOUND', () => ({ tokenOut: usdc().address })],
    ['from the native coin on one chain', 'NO_ROUTE_FOUND', () => ({ tokenIn: nativeAddress })],
    ['to a token without pools', 'NO_ROUTE_FOUND', () => ({ tokenOut: sandbox.token(31337, 'DUP').address })],
    [
      'for more than the pools hold',
      'NO_ROUTE_FOUND',
      () => ({ amountIn: undefined, amountOut: 10n ** 30n }),
    ],
    [
      'to the native coin of another chain',
      'NO_ROUTE_FOUND',
      () => ({ chainIdOut: 31338, tokenOut: nativeAddress }),
    ],
    ['from an unknown chain', 'NO_ROUTE_FOUND', () => ({ chainIdIn: 1 })],
    ['without an origin chain', 'VALIDATION_ERROR', () => ({ chainIdIn: undefined })],
    ['from an address that is no token', 'QUOTE_GENERATION_FAILED', () => ({ tokenIn: someone })],
  ]
  test.each(refusals)('%s: %s', async (_, code, change) => {
    expect(await codeOf(engineOn(sandbox).service.quote({ ...plain(), ...change() } as never))).toBe(code)
  })

  test('to a pool, when quoted and when taken, but not to an ordinary address', async () => {
    const { service } = engineOn(sandbox)
    const { tokenIn, tokenOut } = plain()
    const { factory, feeTiers } = pools(31337)
    const signature = 'function getPool(address,address,uint24) view returns (address)'
    const said = await Promise.all(
      feeTiers.map((fee) => sandbox.call(31337, factory, signature, [tokenIn, tokenOut, fee])),
    )
    const pool = said.map((one): Address => `0x${one.slice(-40)}`).find((one) => BigInt(one) !== 0n)!
    const refused = { code: 'INVALID_ADDRESS', message: expect.stringContaining('a pool of Uniswap v3') }
    await expect(service.quote({ ...plain(), destinationAddress: pool })).rejects.toMatchObject(refused)
    const { quote } = await service.quote(plain())
    const taken = { quote: quote.raw as never, walletAddress: wallet }
    await expect(service.swapBytecode({ ...taken, destinationAddress: pool })).rejects.toMatchObject(refused)
    expect((await service.swapBytecode({ ...taken, destinationAddress: someone })).approvals).toHaveLength(1)
  })

  test('for another recipient when it is taken while that chain is down, but not for the signer', async () => {
    let isDown = false
    const there = sandbox.chain(31338).rpc
    const ifUp = <T>(work: () => Promise<T>): Promise<T> =>
      isDown ? Promise.reject(new AppError('RPC_UNREACHABLE', 'it is down')) : work()
    const unsteady: ChainClient = {
      ...there,
      request: (method, params) => ifUp(() => there.request(method, params)),
      batch: (calls) => ifUp(() => there.batch(calls)),
    }
    const { service } = engineOn(sandbox, { rpc: (id) => (id === 31338 ? unsteady : sandbox.chain(id).rpc) })
    const tokenOut = sandbox.token(31338, 'USDC').address
    const across = { ...plain(), chainIdOut: 31338, tokenOut, destinationAddress: someone }
    const { quote } = await service.quote(across)
    isDown = true
    const taken = { quote: quote.raw as never, walletAddress: wallet }
    expect(await codeOf(service.swapBytecode(taken))).toBe('RPC_UNREACHABLE')
    // Only the quoted recipient is accepted. The wallet that signs is no pool, so its chain is not read.
    expect(await codeOf(service.swapBytecode({ ...taken, destinationAddress: wallet }))).toBe(
      'QUOTE_VALIDATION_ERROR',
    )
    isDown = false
    const { destinationAddress: _, ...open } = across
    const own = { quote: (await service.quote(open)).quote.raw as never, walletAddress: wallet }
    isDown = true
    const { transactions } = await service.swapBytecode({ ...own, destinationAddress: wallet })
    expect(transactions).toHaveLength(1)
  })

  test('for another recipient than the quoted one, which it echoes with the refund address', async () => {
    const { service } = engineOn(sandbox)
    const other = '0x4444444444444444444444444444444444444444'
    const { quote } = await service.quote({ ...plain(), destinationAddress: someone, refundAddress: other })
    expect(quote).toMatchObject({ destinationAddress: someone, refundAddress: other })
    expect(quote.raw).toMatchObject({ destinationAddress: someone, refundAddress: other })
    const taken = { quote: quote.raw as never, walletAddress: wallet }
    await expect(service.swapBytecode({ ...taken, destinationAddress: other })).rejects.toMatchObject({
      code: 'QUOTE_VALIDATION_ERROR',
      details: { errors: [{ path: 'destinationAddress' }] },
    })
    expect(await service.swapBytecode({ ...taken, destinationAddress: someone })).toMatchObject({
      swapDetails: { recipient: someone },
    })
    const { quote: open } = await service.quote(plain())
    expect(open).toMatchObject({ destinationAddress: null, refundAddress: null })
  })

  test('with decimals that are not those of its token, when quoted and when taken', async () => {
    const { service } = engineOn(sandbox)
    const refused = {
      code: 'QUOTE_VALIDATION_ERROR',
      message: 'USDC has 6 decimals, not 18',
      details: { errors: [{ path: 'decimalsIn' }] },
    }
    await expect(service.quote({ ...plain(), decimalsIn: 18 })).rejects.toMatchObject(refused)
    const { quote } = await service.quote({ ...plain(), decimalsIn: 6 })
    const taken = { quote: quote.raw as never, walletAddress: wallet }
    await expect(service.swapBytecode({ ...taken, decimalsIn: 18 })).rejects.toMatchObject(refused)
    expect((await service.swapBytecode({ ...taken, decimalsIn: 6 })).transactions).toHaveLength(1)
  })

  test('not for a requested fee sponsorship, but states why there is none', async () => {
    const { service } = engineOn(sandbox)
    const { quote } = await service.quote({ ...plain(), feeSponsorship: true })
    expect(quote).toMatchObject({
      feeSponsorship: false,
      feeSponsorshipReason: 'uniswap-v3 does not sponsor fees on this route: the wallet pays its own gas',
    })
    for (const feeSponsorship of [false, undefined])
      expect((await service.quote({ ...plain(), feeSponsorship })).quote).toMatchObject({
        feeSponsorship: false,
        feeSponsorshipReason: null,
      })
  })

  test('by a provider that does not exist, when it is taken', async () => {
    const { service } = engineOn(sandbox)
    const { quote } = await service.quote(plain())
    const invented = { ...quote.raw, provider: 'nobody' } as never
    await expect(service.swapBytecode({ quote: invented, walletAddress: wallet })).rejects.toMatchObject({
      code: 'PROVIDER_NOT_FOUND',
      details: { provider: 'nobody' },
    })
  })

  test('to either of its tokens, also when no catalogue lists them', async () => {
    const catalog = { ...sandbox.world.catalog(), tokens: [], strategies: [] }
    const { service } = engineOn(sandbox, { catalog })
    const { tokenIn, tokenOut } = plain()
    for (const destinationAddress of [tokenIn, tokenOut])
      expect(await codeOf(service.quote({ ...plain(), destinationAddress }))).toBe('INVALID_ADDRESS')
  })

  test('not at the bounds of slippage, and not by network names instead of ids', async () => {
    const { service } = engineOn(sandbox)
    for (const slippage of [0.0001, 0.5])
      expect((await service.quote({ ...plain(), slippage })).quote.slippage).toBe(slippage)
    const { chainIdIn: _, chainIdOut: __, ...rest } = plain()
    const named = { ...rest, originChain: 'sandbox-one', destinationChain: 'sandbox-one' }
    expect((await service.quote(named)).quote.from).toEqual({ network: 'sandbox-one', chainId: 31337 })
  })
})

describe('a returned quote', () => {
  /** Every way to change one leaf of a document. */
  function* edits(value: unknown, path: string[] = []): Generator<{ path: string[]; edited: unknown }> {
    if (Array.isArray(value) || (typeof value === 'object' && value !== null)) {
      for (const [key, inner] of Object.entries(value))
        for (const { path: deep, edited } of edits(inner, [...path, key])) {
          const copy = structuredClone(value) as Record<string, unknown>
          copy[key] = edited
          yield { path: deep, edited: copy }
        }
      return
    }
    const edited =
      typeof value === 'string'
        ? value.endsWith('1')
          ? `${value.slice(0, -1)}2`
          : `${value.slice(0, -1)}1`
        : typeof value === 'number'
          ? value + 1
          : value !== true
    yield { path, edited }
  }

  const isTerm = (path: readonly string[]) =>
    /^(id|quoteId|provider|originChain|destinationChain|minAmountOut|maxAmountIn|slippage|destinationAddress|refundAddress|rawQuote\b.*|token(In|Out)\.(contract|chainId|decimals|amount))$/.test(
      path.join('.'),
    )

  test('with a changed term is refused, and with another changed field is accepted', async () => {
    const { service } = engineOn(sandbox)
    const { quote } = await service.quote(plain())
    let tried = 0
    const others: Record<string, string> = { quoteId: 'QUOTE_NOT_FOUND', provider: 'PROVIDER_NOT_FOUND' }
    for (const { path, edited } of edits(quote.raw)) {
      const asked = service.swapBytecode({ quote: edited as never, walletAddress: wallet })
      if (!isTerm(path)) {
        expect((await asked).transactions, path.join('.')).toHaveLength(1)
        continue
      }
      const code = await codeOf(asked)
      expect({ path, code }).toEqual({
        path,
        code: others[path.join('.')] ?? 'QUOTE_VALIDATION_ERROR',
      })
      tried++
    }
    expect(tried).toBeGreaterThan(15)
    expect(
      await codeOf(
        service.swapBytecode({ ...bodyOf(quote), quote: { ...quote.raw, rawQuote: null } as never }),
      ),
    ).toBe('QUOTE_VALIDATION_ERROR')
    expect(
      await codeOf(
        service.swapBytecode({ ...bodyOf(quote), quote: { ...quote.raw, provider: '' } as never }),
      ),
    ).toBe('QUOTE_VALIDATION_ERROR')
  })

  test('with lower-case addresses, another date format and extra fields is the same quote', async () => {
    const { service } = engineOn(sandbox)
    const { quote } = await service.quote(plain())
    const { tokenIn, deadlineDate, ...rest } = quote.raw as unknown as {
      tokenIn: Record<string, unknown>
      deadlineDate?: string
    }
    const { priceUSD: _, ...side } = tokenIn
    const typed = {
      ...rest,
      tokenIn: { ...side, contract: String(side.contract).toLowerCase() },
      deadlineDate: new Date(deadlineDate ?? quote.deadline!).toUTCString(),
      extra: 1,
    }
    const { transactions } = await service.swapBytecode({ ...bodyOf(quote), quote: typed as never })
    expect(swapIn(transactions[0]!.data).amounts).toEqual([quote.maxAmountIn, quote.minAmountOut])
  })

  test.each(['quoteId', 'rawQuote'])('without %s is QUOTE_VALIDATION_ERROR, which names it', async (name) => {
    const { service } = engineOn(sandbox)
    const { quote } = await service.quote(plain())
    const { [name]: _, ...rest } = quote.raw as Record<string, unknown>
    for (const given of [rest, { ...rest, [name]: null }])
      await expect(service.swapBytecode({ ...bodyOf(quote), quote: given as never })).rejects.toMatchObject({
        code: 'QUOTE_VALIDATION_ERROR',
        message: `The quote must be sent back as it was issued: ${name} is missing`,
        details: { errors: [{ path: name, message: 'is missing' }] },
      })
  })

  test('with reordered keys is the same quote', async () => {
    const { service } = engineOn(sandbox)
    const { quote } = await service.quote(plain())
    const rest = Object.fromEntries(Object.entries(quote.raw).reverse())
    const { transactions } = await service.swapBytecode({ ...bodyOf(quote), quote: rest as never })
    expect(swapIn(transactions[0]!.data).amounts).toEqual([quote.maxAmountIn, quote.minAmountOut])
  })

  test('is QUOTE_EXPIRED after five minutes, and is taken one second before', async () => {
    let shift = 0
    const start = Date.now()
    const { service } = engineOn(sandbox, { now: () => start + shift })
    const { quote } = await service.quote(plain())
    expect(Date.parse(quote.deadline!) - start).toBeGreaterThan(298_999)
    expect(Date.parse(quote.deadline!) - start).toBeLessThanOrEqual(300_000)
    shift = 298_900
    await service.swapBytecode(bodyOf(quote))
    shift = 300_000
    expect(await codeOf(service.swapBytecode(bodyOf(quote)))).toBe('QUOTE_EXPIRED')
  })

  test('whose deadline has passed by the clock of its chain alone is QUOTE_EXPIRED', async () => {
    let ahead = 0n
    const here = sandbox.chain(31337).rpc
    const later: ChainClient = {
      ...here,
      batch: async (calls) =>
        (await here.batch(calls)).map((one) => {
          const { timestamp } = (one ?? {}) as { timestamp?: Hex }
          return timestamp ? { ...(one as object), timestamp: numberToHex(BigInt(timestamp) + ahead) } : one
        }),
    }
    const { service } = engineOn(sandbox, { rpc: (id) => (id === 31337 ? later : sandbox.chain(id).rpc) })
    const { quote } = await service.quote(plain())
    await service.swapBytecode(bodyOf(quote))
    ahead = 172_800n
    await expect(service.swapBytecode(bodyOf(quote))).rejects.toMatchObject({
      code: 'QUOTE_EXPIRED',
      message: expect.stringMatching(/^The quote expired at \S+ \S+Z by the clock of sandbox-one$/),
    })
  })

  test('with an unknown id, or of another customer, is QUOTE_NOT_FOUND', async () => {
    const { service, context } = engineOn(sandbox)
    const { quote } = await service.quote(plain())
    const theirs = engineOn(sandbox, { store: context.store, customer: 'somebody else' }).service
    expect(await codeOf(theirs.swapBytecode(bodyOf(quote)))).toBe('QUOTE_NOT_FOUND')
    expect(await codeOf(theirs.swapStatus({ id: quote.id }))).toBe('QUOTE_NOT_FOUND')
    expect(await codeOf(service.swapStatus({ id: 'nothing' }))).toBe('QUOTE_NOT_FOUND')
  })

  test('of a removed provider is PROVIDER_NOT_FOUND', async () => {
    const { service, context } = engineOn(sandbox)
    const far = { chainIdIn: 31337, chainIdOut: 31338, tokenIn: usdc().address, amountIn: 100_000000n }
    const { quote } = await service.quote({ ...far, tokenOut: sandbox.token(31338, 'USDC').address })
    const catalog = withAttestation(sandbox.world.catalog(), null)
    const later = engineOn(sandbox, { store: context.store, catalog }).service
    expect(await codeOf(later.swapBytecode(bodyOf(quote)))).toBe('PROVIDER_NOT_FOUND')
  })
})

describe('the status of a swap', () => {
  test('is pending, expired after the deadline, and fulfilled once the chain shows the swap', async () => {
    let shift = 0
    const { service } = engineOn(sandbox, { now: () => Date.now() + shift })
    const { quote } = await service.quote(plain())
    const { quote: unused } = await service.quote(plain())
    expect((await service.swapStatus({ id: quote.id })).status).toBe('pending')
    const { approvals, transactions } = await service.swapBytecode(bodyOf(quote))
    expect((await service.swapStatus({ id: quote.id })).status).toBe('pending')
    shift = 301_000
    expect(await service.swapStatus({ id: quote.id })).toMatchObject({
      status: 'expired',
      originTxHash: null,
    })
    expect((await service.swapStatus({ id: unused.id })).status).toBe('expired')
    const receipts = await perform(sandbox, wallet, [...approvals, ...transactions])
    expect(await service.swapStatus({ id: quote.id })).toMatchObject({
      status: 'fulfilled',
      originTxHash: receipts.at(-1)!.transactionHash,
    })
  })
})

describe('the list of quotes', () => {
  test('is sorted newest first, filtered, paged, and private to its customer', async () => {
    let at = Date.now()
    const { service, context } = engineOn(sandbox, { now: () => at++ })
    const far = { chainIdIn: 31337, chainIdOut: 31338, tokenIn: usdc().address, amountIn: 100_000000n }
    const ids: string[] = []
    for (let made = 0; made < 5; made++) ids.push((await service.quote(plain())).quote.id)
    ids.push((await service.quote({ ...far, tokenOut: sandbox.token(31338, 'USDC').address })).quote.id)
    const newest = ids.toReversed()
    const idsOf = async (input: Parameters<typeof service.listQuotes>[0]) =>
      (await service.listQuotes(input)).items.map(({ id }) => id)
    expect(await idsOf({})).toEqual(newest)
    expect(await idsOf({ provider: 'cctp' })).toEqual(newest.slice(0, 1))
    expect(await idsOf({ provider: 'uniswap-v3' })).toEqual(newest.slice(1))
    expect(await idsOf({ originChain: 'sandbox-one' })).toEqual(newest)
    expect(await idsOf({ destinationChain: 'sandbox-two' })).toEqual(newest.slice(0, 1))
    expect(await idsOf({ originChain: 'sandbox-two' })).toEqual([])
    expect(await service.listQuotes({ limit: 4, page: 1 })).toMatchObject({
      total: 6,
      hasMore: true,
      limit: 4,
    })
    expect(await service.listQuotes({ limit: 4, page: 2 })).toMatchObject({
      total: 6,
      hasMore: false,
      page: 2,
    })
    expect(await idsOf({ limit: 4, page: 2 })).toEqual(newest.slice(4))
    const { items } = await service.listQuotes({})
    for (const { raw } of items) {
      expect(raw).not.toHaveProperty('rawQuote')
      expect(raw.deadline).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
    }
    const theirs = engineOn(sandbox, { store: context.store, customer: 'somebody else' }).service
    expect((await theirs.listQuotes({})).total).toBe(0)
  })
})
