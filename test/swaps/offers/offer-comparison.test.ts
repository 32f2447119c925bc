import { describe, expect, test } from 'vitest'
import {
  gasCostUsd,
  isBetter,
  type NetPrices,
  netAmount,
} from '../../../src/swaps/offers/offer-comparison.ts'
import type { Offer, OfferRequest } from '../../../src/swaps/provider.ts'

const token = (symbol: string, decimals: number) => ({
  chainId: 1,
  address: '0x00000000000000000000000000000000000000aa' as const,
  symbol,
  name: symbol,
  decimals,
})
const ask = (exact: 'in' | 'out') =>
  ({ exact, tokenIn: token('USDC', 6), tokenOut: token('WETH', 18) }) as unknown as OfferRequest
const offer = (amountIn: bigint, amountOut: bigint, gas?: bigint): Offer => ({
  amountIn,
  amountOut,
  maxAmountIn: amountIn,
  minAmountOut: amountOut,
  fees: [],
  raw: null,
  ...(gas !== undefined && { gas }),
})
/** Prices of 1 and 2,000 dollars, and gas at 10 gwei: 100,000 units of gas cost 2 dollars. */
const prices: NetPrices = {
  tokenIn: 100_000_000n,
  tokenOut: 200_000_000_000n,
  coin: 200_000_000_000n,
  gasPrice: 10n ** 10n,
}
const weth = 10n ** 18n

describe('netAmount of an offer', () => {
  test('is the output minus the gas cost', () => {
    expect(gasCostUsd(offer(1n, 1n, 100_000n), prices)).toBe('2')
    expect(netAmount(ask('in'), offer(2_000_000_000n, weth, 100_000n), prices)).toBe(weth - weth / 1_000n)
    expect(netAmount(ask('in'), offer(1n, weth, 1n), { ...prices, coin: 1n })).toBe(weth - 0n)
  })

  test('is the input plus the gas cost for an exact output', () => {
    expect(netAmount(ask('out'), offer(2_000_000_000n, weth, 100_000n), prices)).toBe(2_002_000_000n)
  })

  test.each<[string, Partial<NetPrices>, bigint | undefined]>([
    ['the gas', {}, undefined],
    ['the gas price', { gasPrice: null }, 1n],
    ['the price of the native coin', { coin: null }, 1n],
    ['the price of the output', { tokenOut: null }, 1n],
  ])('is null without %s', (_, without, gas) => {
    expect(netAmount(ask('in'), offer(1n, weth, gas), { ...prices, ...without })).toBeNull()
  })
})

describe('isBetter between two offers after gas', () => {
  const [cheap, dear] = [offer(1n, weth, 100_000n), offer(1n, weth + weth / 2_000n, 300_000n)]

  test('prefers the higher net amount over the higher output', () => {
    expect(isBetter('after-gas', ask('in'), cheap, dear, prices)).toBe(true)
    expect(isBetter('after-gas', ask('in'), dear, cheap, prices)).toBe(false)
    expect(isBetter('after-gas', ask('in'), dear, cheap, { ...prices, gasPrice: 1n })).toBe(true)
  })

  test('never prefers an offer with unknown gas to one with known gas', () => {
    const unknown = offer(1n, 2n * weth)
    expect(isBetter('after-gas', ask('in'), unknown, cheap, prices)).toBe(false)
    expect(isBetter('after-gas', ask('in'), cheap, unknown, prices)).toBe(true)
  })

  test('prefers the higher output or the lower input when the gas price is unknown', () => {
    const unpriced = { ...prices, gasPrice: null }
    expect(isBetter('after-gas', ask('in'), dear, cheap, unpriced)).toBe(true)
    expect(isBetter('after-gas', ask('out'), offer(1n, weth), offer(2n, weth), unpriced)).toBe(true)
  })
})

describe('isBetter between two offers by output', () => {
  const [cheap, dear] = [offer(1n, weth, 100_000n), offer(1n, weth + 1n, 3_000_000n)]

  test('prefers the higher output or the lower input, whatever the gas', () => {
    expect(isBetter('output', ask('in'), dear, cheap, prices)).toBe(true)
    expect(isBetter('output', ask('in'), cheap, dear, prices)).toBe(false)
    expect(isBetter('output', ask('out'), offer(1n, weth), offer(2n, weth, 1n), prices)).toBe(true)
  })

  test('prefers the lower gas at equal outputs', () => {
    const same = offer(1n, weth, 99_999n)
    expect(isBetter('output', ask('in'), same, cheap, prices)).toBe(true)
    expect(isBetter('output', ask('in'), cheap, same, prices)).toBe(false)
  })

  test('compares the minimum outputs if the minimum is spent at once', () => {
    const loose = { ...offer(1n, weth + 1n), minAmountOut: weth - 1n }
    expect(isBetter('output', { ...ask('in'), isSpent: true }, cheap, loose, prices)).toBe(true)
    expect(isBetter('output', ask('in'), cheap, loose, prices)).toBe(false)
  })
})
