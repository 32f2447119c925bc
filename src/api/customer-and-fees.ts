import { z } from 'zod'
import { EvmAddress } from '../domain/address.ts'
import { allBps } from '../domain/basis-points.ts'
import { maybe, orNull, whole } from './wire-fields.ts'

/** Whose key it is. The specification names the endpoint and not the shape: this one is ours. */
export const Customer = z.object({
  id: z.string(),
  name: z.string(),
  testnet: z.boolean(),
  markupBps: z.int(),
})
export type Customer = z.output<typeof Customer>

const bps = z.int().min(0).max(allBps)

/**
 * What is charged for a customer, in basis points: the fees of the operator, who collects them, and the most that the operator allows as markup; the
 * customer's own markup, and who collects that. Nothing is charged without its collector. An older service has one collector, and says no bound. The
 * shape is ours.
 */
export const Fees = z.codec(
  z.object({
    swapFeeBps: bps,
    performanceFeeBps: bps,
    operatorCollector: maybe(EvmAddress),
    markupBps: bps,
    maxMarkupBps: maybe(bps),
    collector: maybe(EvmAddress),
  }),
  z.object({
    swapFeeBps: bps,
    performanceFeeBps: bps,
    operatorCollector: z.custom<z.output<typeof EvmAddress>>().nullable(),
    markupBps: bps,
    maxMarkupBps: bps.nullable(),
    collector: z.custom<z.output<typeof EvmAddress>>().nullable(),
  }),
  {
    decode: (wire) => ({
      ...wire,
      operatorCollector: orNull(wire.operatorCollector),
      maxMarkupBps: orNull(wire.maxMarkupBps),
      collector: orNull(wire.collector),
    }),
    encode: (value) => value,
  },
)
export type Fees = z.output<typeof Fees>

const Bps = whole(0, allBps)

/** What a customer may change: its own markup, and who collects that; `null` takes the collector away. What the operator charges is no part of it, and refused as any other word. */
export const FeesInput = z.strictObject({
  markupBps: Bps.optional(),
  collector: EvmAddress.refine((address) => !/^0x0{40}$/.test(address), 'is nobody: what goes there is lost')
    .nullable()
    .optional(),
})
export type FeesInput = z.output<typeof FeesInput>
