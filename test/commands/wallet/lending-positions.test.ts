import { expect, test } from 'vitest'
import type { Stream } from '../../../src/cli/terminal/io-types.ts'
import { unpainted } from '../../../src/cli/terminal/terminal-abilities.ts'
import { lendingView } from '../../../src/commands/wallet/show.ts'

const to: Stream = { isTerminal: false, columns: 80, paint: unpainted, write: () => undefined }

test('lendingView groups unreadable markets by protocol and network, with their number', () => {
  const one = { protocol: 'compound-v3', address: null }
  const unread = [
    ...Array.from({ length: 4 }, () => ({ ...one, network: 'base' })),
    { ...one, network: 'polygon' },
  ]
  const nothing = { healthFactor: null, ltv: null, liquidationPriceUsd: null, maxBorrowUsd: null }
  const [shown] = lendingView({ collateral: [], debt: [], ...nothing, unread } as never, to)
  expect(shown).toContain(
    'compound-v3 on base (4 markets), compound-v3 on polygon could not be read completely',
  )
})

const side = (symbol: string, formatted: string) => ({
  asset: { symbol, address: null, decimals: 18 },
  balance: { raw: '1', decimals: 18, symbol, formatted },
  balanceUsd: null,
})
const numbers = { healthFactor: null, ltv: null, liquidationPrice: null, maxBorrowValue: null }

test('lendingView shows collateral without debt when the service reports no markets', () => {
  const given = { collateral: [side('WETH', '5')], debt: [] }
  const account = { ...numbers, ltv: 0, maxBorrowValue: '12000', markets: null, unread: null }
  const [shown] = lendingView({ ...given, ...account } as never, to)
  expect(shown).toMatch(
    /collateral +5 WETH\ndebt +-\nhealth factor +-\nloan to value +0.*%\ncan still borrow +\$12,000/,
  )
})

test('lendingView shows health factor and loan to value separately for each of several markets', () => {
  const markets = [
    { protocol: 'aave-v3', network: 'base', address: '0x1', ...numbers, healthFactor: 2.5, ltv: 0.3 },
    { protocol: 'aave-v3', network: 'optimism', address: '0x2', ...numbers, healthFactor: 0.9, ltv: 0.8 },
  ]
  const owed = { collateral: [side('WETH', '5')], debt: [side('USDC', '100'), side('USDT', '7')] }
  const [shown] = lendingView({ ...owed, ...numbers, healthFactor: 0.9, markets, unread: null } as never, to)
  expect(shown).toContain('100 USDC, 7 USDT')
  expect(shown).toMatch(/aave-v3 on base +health factor 2\.50, loan to value 30.*%/)
  expect(shown).toMatch(/aave-v3 on optimism +health factor 0\.90, loan to value 80.*%/)
  expect(shown).not.toMatch(/^loan to value/m)
})
