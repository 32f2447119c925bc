import { z } from 'zod'
import { type Strategy, TopStrategy } from './strategy.ts'
import { extension, orNull } from './wire-fields.ts'

/**
 * Totals over all active strategies. `totalTvlUsd` is a decimal string, `averageApy` a fraction. Extensions: `averageApyFraction`, because
 * deployments send the average in percent, and `unpriced`, the number of strategies without a price, whose value the total lacks.
 */
export const Analytics = z.codec(
  z.object({
    totalTVL: z.string(),
    averageAPY: z.number(),
    strategyCount: z.int(),
    topStrategies: z.array(TopStrategy),
    averageApyFraction: extension(z.number()),
    unpriced: extension(z.int()),
  }),
  z.object({
    totalTvlUsd: z.string(),
    averageApy: z.number(),
    strategyCount: z.int(),
    topStrategies: z.array(z.custom<Strategy>()),
    unpriced: z.int().nullable(),
  }),
  {
    decode: (wire) => ({
      totalTvlUsd: wire.totalTVL,
      averageApy: wire.averageApyFraction ?? wire.averageAPY / 100,
      strategyCount: wire.strategyCount,
      topStrategies: wire.topStrategies,
      unpriced: orNull(wire.unpriced),
    }),
    encode: (value) => ({
      totalTVL: value.totalTvlUsd,
      averageAPY: Number((value.averageApy * 100).toPrecision(12)),
      averageApyFraction: value.averageApy,
      strategyCount: value.strategyCount,
      topStrategies: value.topStrategies,
      unpriced: value.unpriced,
    }),
  },
)

export type Analytics = z.output<typeof Analytics>
