import { z } from 'zod'

import { AddressText, fields, maybe, Time } from './common.ts'

const operatorFees = {
  swapFeeBps: z.int(),
  performanceFeeBps: z.int(),
  operatorCollector: maybe(AddressText),
}

/** `fees show` and `fees set`: in basis points; with `--operator` or `--database` what the operator set, and every change of a setting. */
export const FeesDocument = z.union([
  fields({
    ...operatorFees,
    markupBps: z.int(),
    maxMarkupBps: maybe(z.int()),
    collector: maybe(AddressText),
  }),
  fields({
    ...operatorFees,
    maxMarkupBps: z.int(),
    changes: z
      .array(
        fields({
          at: Time,
          by: z.string(),
          customer: maybe(z.string()),
          name: z.string(),
          was: maybe(z.string()),
          value: z.string(),
        }),
      )
      .describe('the newest changes of all settings; by a key, or by operator'),
  }),
])
