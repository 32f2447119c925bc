import { describe, expect, test } from 'vitest'
import { type ConditionFacts, parseConditions } from '../../../src/cli/conditions/parse-conditions.ts'
import { strategyFacts } from '../../../src/commands/strategies/watch.ts'
import { walletFacts } from '../../../src/commands/wallet/watch.ts'

type One = { apy: number | null; tvl: number | null; health: number | null; paused: boolean | null }
const facts: ConditionFacts<One> = {
  apy: { unit: 'rate', about: '', of: ({ apy }) => apy },
  tvl: { unit: 'usd', about: '', of: ({ tvl }) => tvl },
  health: { unit: 'number', about: '', of: ({ health }) => health },
  paused: { unit: 'flag', about: '', of: ({ paused }) => paused },
}
const one: One = { apy: 0.03, tvl: 1000, health: 1.2, paused: false }
const met = (text: string, of: Partial<One> = {}) =>
  parseConditions(text, facts).map(({ isMet }) => isMet({ ...one, ...of }))

test.each([
  ['apy<3%', [false]],
  ['apy<=3%', [true]],
  ['apy>3%', [false]],
  ['apy>=3%', [true]],
  ['apy<3.01%', [true]],
  ['apy>-1%', [true]],
  ['APY < 3.5%', [true]],
  ['tvl<1000.01', [true]],
  ['tvl<$1000', [false]],
  ['health<1.2', [false]],
  ['health<1.3', [true]],
  ['paused', [false]],
  ['!paused', [true]],
  ['apy<4%, paused,tvl>1', [true, false, true]],
])('%s is %j of a rate of 3 %%, 1000 USD, a health of 1.2, not paused', (text, wanted) => {
  expect(met(text)).toEqual(wanted)
})

test('an unknown fact meets no condition and ends none', () => {
  const unknown = { apy: null, tvl: null, health: null, paused: null }
  expect(met('apy<3%, apy>=3%, tvl>0, health<9, paused, !paused', unknown)).toEqual(Array(6).fill(null))
})

test.each([
  ['', 'cannot be about ""'],
  ['apy', 'apy needs a bound, such as apy<3%'],
  ['apy<3', 'apy needs a bound, such as apy<3%'],
  ['apy<%', 'apy needs a bound, such as apy<3%'],
  ['apy<3%%', 'apy needs a bound, such as apy<3%'],
  ['apy=3%', 'cannot be about "apy=3%"'],
  ['!apy<3%', 'apy needs a bound, such as apy<3%'],
  ['tvl<5%', 'tvl needs a bound, such as tvl<100000'],
  ['tvl<1e9', 'tvl needs a bound, such as tvl<100000'],
  ['tvl<1,000', 'cannot be about "000"'],
  ['health<1,2', 'cannot be about "2"'],
  ['paused<1', 'paused has no bound'],
  ['paused,', 'cannot be about ""'],
  ['pausd', 'did you mean paused?'],
  ['apy<3%, apy<3%', "names 'apy<3%' twice"],
  ['__proto__<1', 'cannot be about "__proto__<1"'],
])('%j is refused', (text, words) => {
  expect(() => parseConditions(text, facts)).toThrow(words)
})

describe('the facts of a wallet', () => {
  const { health, ltv, total } = walletFacts as Record<string, (typeof walletFacts)[string]>
  const wallet = (more: object) =>
    ({ stats: null, missing: [], unread: [], totalValueUsd: '5', debtUsd: null, ...more }) as never
  const debt = [{}]

  test.each([
    ['no account', {}, Number.POSITIVE_INFINITY],
    ['a network that did not answer', { missing: ['base'] }, null],
    ['collateral only', { stats: { healthFactor: null, debt: [], unread: [] } }, Number.POSITIVE_INFINITY],
    ['a debt of unknown health', { stats: { healthFactor: null, debt, unread: [] } }, null],
    ['a market that was not read', { stats: { healthFactor: null, debt: [], unread: [{}] } }, null],
    ['a known health', { stats: { healthFactor: '1.05', debt, unread: [{}] }, missing: ['base'] }, 1.05],
  ])('health with %s', (_, more, wanted) => expect(health!.of(wallet(more))).toBe(wanted))

  test('the loan to value is the highest of all markets', () => {
    const stats = { ltv: null, markets: [{ ltv: 0.2 }, { ltv: '0.7' }, { ltv: null }] }
    expect(ltv!.of(wallet({ stats }))).toBe(0.7)
    expect(ltv!.of(wallet({}))).toBeNull()
  })

  test('the total of a part is not known', () => {
    expect(total!.of(wallet({}))).toBe(5)
    expect(total!.of(wallet({ missing: ['base'] }))).toBeNull()
    expect(total!.of(wallet({ unread: ['a'] }))).toBeNull()
  })
})

test('a strategy without a price or a limit has no known value or liquidity', () => {
  const of = (name: string) => strategyFacts[name]!.of({ tvlUsd: null, liquidityUsd: null } as never)
  expect([of('tvl'), of('liquidity')]).toEqual([null, null])
})
