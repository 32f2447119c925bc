import fc from 'fast-check'

/** An act on a position, with both parts of `turn` in one block: `part` is in thousandths of the position, `amount` in the smallest unit of the asset. */
export type Act = { market: number } & (
  | { do: 'lend'; amount: bigint }
  | { do: 'withdraw'; part: number }
  | { do: 'leave' }
  | { do: 'turn'; part: number; amount: bigint }
  | { do: 'give'; part: number }
  | { do: 'take'; part: number }
  | { do: 'stranger'; amount: bigint; part: number }
  | { do: 'wait'; seconds: number }
)

const part = fc.oneof(fc.integer({ min: 1, max: 999 }), fc.constantFrom(1, 999, 1000))
const amount = fc.oneof(
  fc.bigInt({ min: 1n, max: 9n }),
  fc.bigInt({ min: 10n, max: 10_000_000n }),
  fc.bigInt({ min: 10_000_000n, max: 30_000_000_000n }),
)
const seconds = fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 86_400, max: 400 * 86_400 }))

/** A random interleaving of the acts of two accounts in a few markets, with time between them. */
export const anyActs = (markets: number): fc.Arbitrary<Act[]> => {
  const market = fc.integer({ min: 0, max: markets - 1 })
  const lend = fc.record({ market, do: fc.constant('lend' as const), amount })
  const one = fc.oneof(
    { weight: 4, arbitrary: lend },
    { weight: 3, arbitrary: fc.record({ market, do: fc.constant('withdraw' as const), part }) },
    { weight: 2, arbitrary: fc.record({ market, do: fc.constant('leave' as const) }) },
    { weight: 2, arbitrary: fc.record({ market, do: fc.constant('turn' as const), part, amount }) },
    { weight: 3, arbitrary: fc.record({ market, do: fc.constant('give' as const), part }) },
    { weight: 2, arbitrary: fc.record({ market, do: fc.constant('take' as const), part }) },
    { weight: 1, arbitrary: fc.record({ market, do: fc.constant('stranger' as const), amount, part }) },
    { weight: 3, arbitrary: fc.record({ market, do: fc.constant('wait' as const), seconds }) },
  )
  return fc
    .tuple(lend, fc.array(one, { minLength: 6, maxLength: 16, size: 'max' }))
    .map(([first, rest]) => [first, ...rest])
}

/** The acts of one cell of a seed, the same in every run. */
export const actsOf = (seed: number, cell: number, markets: number): Act[] =>
  fc.sample(anyActs(markets), { seed: seed * 1_000_003 + cell, numRuns: 1 })[0]!
