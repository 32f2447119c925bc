import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  afterEmptied,
  afterIncoming,
  afterOutgoing,
  nothingInvested,
  payingProfit,
} from '../../../src/engine/positions/principal-rule.ts'

const feeBps = 500n
const feeOn = (profit: bigint) => (profit * feeBps) / 10_000n
const amount = fc.bigInt({ min: 1n, max: 5_000_000_000n })
const part = fc.integer({ min: 0, max: 1_000 })
const act = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('deposit' as const, 'receive' as const), amount }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('withdraw' as const), part }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('withdraw' as const), part: fc.constant(1_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('gain' as const, 'lose' as const), part }) },
)

/** Lives a life by a ledger of plain sums: what went in, what came out, and the value. */
function live(acts: readonly (typeof act extends fc.Arbitrary<infer one> ? one : never)[]) {
  let invested = nothingInvested
  let [value, put, taken, most, paid] = [0n, 0n, 0n, 0n, 0n]
  const faults: string[] = []
  for (const [at, one] of acts.entries()) {
    const moved = 'amount' in one ? one.amount : (value * BigInt(one.part)) / 1_000n
    if ('amount' in one) {
      invested = afterIncoming(invested, moved)
      value += moved
      put += moved
    } else if (one.do === 'withdraw') {
      if (moved === 0n) continue
      const { from, to } = payingProfit(invested, moved)
      paid += feeOn(to) - feeOn(from)
      invested = afterOutgoing(invested, moved)
      value -= moved
      taken += moved
      if (value === 0n) invested = afterEmptied(invested)
      if (taken - put > most) most = taken - put
    } else value += one.do === 'gain' ? moved : -moved
    const { principal, realised, mark } = invested
    if (principal < 0n) faults.push(`${at}: the principal is ${principal}`)
    if (mark !== most) faults.push(`${at}: the mark is ${mark} and not ${most}`)
    if (value - principal + realised !== value + taken - put)
      faults.push(`${at}: ${realised} is not the rest`)
    if (paid !== feeOn(most)) faults.push(`${at}: paid ${paid} and not ${feeOn(most)}`)
  }
  return { faults, principal: invested.principal, realised: invested.realised, paid }
}

test('fees are 5 % of the profit that left, to the unit, in every life of deposits, gifts, withdrawals, gains and losses', () => {
  fc.assert(
    fc.property(fc.array(act, { minLength: 1, maxLength: 30, size: 'max' }), (acts) => {
      expect(live(acts).faults).toEqual([])
    }),
    { seed: 20261128, numRuns: 2_000 },
  )
})

test('a loss is made good before the fee is charged again, also after the position was emptied', () => {
  const deposit = { do: 'deposit' as const, amount: 1_000n }
  const all = { do: 'withdraw' as const, part: 1_000 }
  const life = [deposit, { do: 'lose' as const, part: 100 }, all, { ...deposit, amount: 900n }]
  expect(live(life)).toMatchObject({ principal: 900n, realised: -100n, paid: 0n })
  // Of a gain of 180, 100 make the loss good.
  expect(live([...life, { do: 'gain', part: 200 }, all])).toMatchObject({ realised: 80n, paid: 4n })
})
