import { z } from 'zod'

import { EvmAddress } from '../domain/address.ts'
import { allBps } from '../domain/bps.ts'
import { maybe, orNull, whole } from './wire.ts'

/** Whose key it is. The specification names the endpoint and not the shape: this one is ours. */
export const Customer = z.object({
  id: z.string(),
  name: z.string(),
  testnet: z.boolean(),
  markupBps: z.int(),
})
export type Customer = z.output<typeof Customer>

const bps = z.int().min(0).max(allBps)

/** The fees of a customer in basis points, and who collects them. Nothing is charged without a collector. The shape is ours. */
export const Fees = z.codec(
  z.object({ swapFeeBps: bps, performanceFeeBps: bps, markupBps: bps, collector: maybe(EvmAddress) }),
  z.object({
    swapFeeBps: bps,
    performanceFeeBps: bps,
    markupBps: bps,
    collector: z.custom<z.output<typeof EvmAddress>>().nullable(),
  }),
  { decode: (wire) => ({ ...wire, collector: orNull(wire.collector) }), encode: (value) => value },
)
export type Fees = z.output<typeof Fees>

const Bps = whole(0, allBps)

/** What is to change in the fees of a customer; `null` takes the collector away. A word that is none of these would change nothing, and is refused. */
export const FeesInput = z.strictObject({
  swapFeeBps: Bps.optional(),
  performanceFeeBps: Bps.optional(),
  markupBps: Bps.optional(),
  collector: EvmAddress.refine((address) => !/^0x0{40}$/.test(address), 'is nobody: what goes there is lost')
    .nullable()
    .optional(),
})
export type FeesInput = z.output<typeof FeesInput>
