import { expect, test } from 'vitest'
import { filesOf } from '../../src/app/profiles/catalog-of-configured-networks.ts'
import { networkNamed, publicNetworks } from '../../src/domain/networks.ts'
import { tokenNamed } from '../../src/domain/token.ts'
import { joined } from '../../src/protocols/catalog-operations.ts'
import { isSupportedPair } from '../../src/swaps/across/pairs.ts'

const catalog = joined(await filesOf(publicNetworks))
const token = (network: string, symbol: string) =>
  tokenNamed(catalog.tokens, networkNamed(publicNetworks, network), symbol)

test.each([
  ['ethereum USDT', 'arbitrum USDT0', true],
  ['polygon USDT0', 'ethereum USDT', true],
  ['arbitrum USDT0', 'polygon USDT0', true],
  ['optimism USDT', 'polygon USDT0', true],
  ['ethereum USDC', 'base USDC', true],
  ['ethereum WETH', 'polygon WETH', true],
  // Another asset, although both are dollars.
  ['ethereum USDT', 'arbitrum USDC', false],
  // 18 decimals on BNB Chain.
  ['ethereum USDT', 'bnb USDT', false],
  // The wrapped coin of Base arrives as the coin.
  ['ethereum WETH', 'base WETH', false],
  // A test token of Aave under the same symbol, which Across does not carry.
  ['base-sepolia WETH', 'arbitrum-sepolia WETH', false],
])('Across carries %s to %s: %s', (from, to, isCarried) => {
  const [one, two] = [from, to].map((words) => token(...(words.split(' ') as [string, string])))
  expect(isSupportedPair(catalog, one!, two!)).toBe(isCarried)
})

test('CoW Protocol is on Linea, and KyberSwap and LI.FI are on Scroll', () => {
  const has = (provider: string, chainId: number) =>
    catalog.swaps[provider]?.some((one) => one.chainId === chainId)
  expect([has('cow', 59144), has('kyberswap', 534352), has('lifi', 534352)]).toEqual([true, true, true])
})
