import { expect, test } from 'vitest'
import { filesOf } from '../../src/app/profiles/catalog-of-configured-networks.ts'
import { networkNamed, publicNetworks } from '../../src/domain/networks.ts'
import { tokenNamed } from '../../src/domain/token.ts'
import { joined } from '../../src/protocols/catalog-operations.ts'
import { acrossContracts } from '../../src/swaps/across/constants-schema.ts'
import { isSupportedPair } from '../../src/swaps/across/pairs.ts'
import { contractsIn } from '../../src/swaps/swap-contracts.ts'

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

test('Across is asked on the networks that it serves, and keeps its pool on Scroll, which it left', () => {
  // docs.across.to/chains-and-contracts and docs.across.to/reference/supported-chains.
  const served = [1, 10, 56, 130, 137, 8453, 42161, 59144]
  const tests = [84532, 421614, 11155111, 11155420]
  const rows = contractsIn(catalog, acrossContracts)
  const asked = rows.filter(({ api }) => api !== null).map(({ chainId }) => chainId)
  expect(asked.toSorted((a, b) => a - b)).toEqual([...served, ...tests].toSorted((a, b) => a - b))
  expect(rows.filter(({ api }) => api === null).map(({ chainId }) => chainId)).toEqual([534352])
  const [from, to] = [token('scroll', 'USDC'), token('base', 'USDC')]
  expect([isSupportedPair(catalog, from, to), isSupportedPair(catalog, to, from)]).toEqual([false, false])
})

test('CoW Protocol is on Linea, and KyberSwap and LI.FI are on Scroll', () => {
  const has = (provider: string, chainId: number) =>
    catalog.swaps[provider]?.some((one) => one.chainId === chainId)
  expect([has('cow', 59144), has('kyberswap', 534352), has('lifi', 534352)]).toEqual([true, true, true])
})
