import fc from 'fast-check'

/** An act on a position, with both parts of `turn` in one block: `part` is in thousandths of the position, for `harvest` of its profit, which is withdrawn with the principal, for `lose` of everything that the vault lent, `amount` in the smallest unit of the asset. */
export type Act = { market: number } & (
  | { do: 'lend'; amount: bigint }
  | { do: 'withdraw'; part: number }
  | { do: 'harvest'; part: number }
  | { do: 'leave' }
  | { do: 'turn'; part: number; amount: bigint }
  | { do: 'give'; part: number }
  | { do: 'take'; part: number }
  | { do: 'stranger'; amount: bigint; part: number }
  | { do: 'lose'; part: number }
  | { do: 'wait'; seconds: number }
)

const part = fc.oneof(fc.integer({ min: 1, max: 999 }), fc.constantFrom(1, 999, 1000))
const amount = fc.oneof(
  fc.bigInt({ min: 1n, max: 9n }),
  fc.bigInt({ min: 10n, max: 10_000_000n }),
  fc.bigInt({ min: 10_000_000n, max: 30_000_000_000n }),
)
const lost = fc.integer({ min: 1, max: 300 })
const seconds = fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 86_400, max: 400 * 86_400 }))

/** The most markets of one interleaving, so that each has a long life. */
const mostMarkets = 2

/** A random interleaving of the acts of two accounts in a few markets, with time between them, or a long life of one position. */
export const anyActs = (markets: number): fc.Arbitrary<Act[]> =>
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc
        .shuffledSubarray([...Array(markets).keys()], { minLength: 1, maxLength: mostMarkets })
        .chain((some) => actsIn(fc.constantFrom(...some))),
    },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: markets - 1 }).chain(longLife) },
  )

/** Deposits of which a part of the profit is withdrawn again and again, so that the position is never empty. */
function longLife(market: number): fc.Arbitrary<Act[]> {
  const turn = fc.tuple(
    fc.bigInt({ min: 1_000_000n, max: 30_000_000_000n }),
    fc.oneof(fc.constant(0), fc.integer({ min: 86_400, max: 400 * 86_400 })),
    fc.oneof(fc.constant(0), fc.constant(0), lost),
    fc.integer({ min: 1, max: 999 }),
  )
  return fc
    .array(turn, { minLength: 3, maxLength: 5 })
    .map((turns) =>
      turns.flatMap(([amount, waited, part, harvested]): Act[] => [
        { market, do: 'lend', amount },
        ...(waited === 0 ? [] : [{ market, do: 'wait' as const, seconds: waited }]),
        ...(part === 0 ? [] : [{ market, do: 'lose' as const, part }]),
        { market, do: 'harvest', part: harvested },
        { market, do: 'withdraw', part: harvested },
      ]),
    )
}

function actsIn(market: fc.Arbitrary<number>): fc.Arbitrary<Act[]> {
  const lend = fc.record({ market, do: fc.constant('lend' as const), amount })
  const one = fc.oneof(
    { weight: 4, arbitrary: lend },
    { weight: 3, arbitrary: fc.record({ market, do: fc.constant('withdraw' as const), part }) },
    { weight: 3, arbitrary: fc.record({ market, do: fc.constant('harvest' as const), part }) },
    { weight: 1, arbitrary: fc.record({ market, do: fc.constant('leave' as const) }) },
    { weight: 2, arbitrary: fc.record({ market, do: fc.constant('turn' as const), part, amount }) },
    { weight: 3, arbitrary: fc.record({ market, do: fc.constant('give' as const), part }) },
    { weight: 2, arbitrary: fc.record({ market, do: fc.constant('take' as const), part }) },
    { weight: 1, arbitrary: fc.record({ market, do: fc.constant('stranger' as const), amount, part }) },
    { weight: 4, arbitrary: fc.record({ market, do: fc.constant('wait' as const), seconds }) },
    { weight: 1, arbitrary: fc.record({ market, do: fc.constant('lose' as const), part: lost }) },
  )
  return fc
    .tuple(lend, fc.array(one, { minLength: 6, maxLength: 16, size: 'max' }))
    .map(([first, rest]) => [first, ...rest])
}

/** The acts of one cell of a seed, the same in every run. */
export const actsOf = (seed: number, cell: number, markets: number): Act[] =>
  fc.sample(anyActs(markets), { seed: seed * 1_000_003 + cell, numRuns: 1 })[0]!
