import { z } from 'zod'

/**
 * What a strategy really paid, as fractions a year: over the last day, week and month, and from point to point, a day apart, oldest
 * first (`at` is where a stretch ends). `base` is what the protocol pays now, and `reward` what is paid beside that now, in other tokens, without compounding; `null` is unknown.
 */
export const Rates = z.object({
  base: z.number().nullable(),
  reward: z.number().nullable(),
  days1: z.number().nullable(),
  days7: z.number().nullable(),
  days30: z.number().nullable(),
  points: z.array(z.object({ at: z.string(), apy: z.number() })),
})
export type Rates = z.output<typeof Rates>
