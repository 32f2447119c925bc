import { z } from 'zod'
import { type Address, EvmAddress } from '../domain/address.ts'
import { allBps } from '../domain/basis-points.ts'
import { nullish, orNull, wholeNumberField } from './wire-fields.ts'

/** The customer of an API key. The specification names the endpoint; the shape is an extension. */
export const Customer = z.object({
  id: z.string(),
  name: z.string(),
  testnet: z.boolean(),
  markupBps: z.int(),
})
export type Customer = z.output<typeof Customer>

const bps = z.int().min(0).max(allBps)

/**
 * The fees of a customer, in basis points: the operator's fees and their collector, the operator's limit for the markup, and the customer's
 * own markup and its collector. A fee without a collector is not charged. An older service has one collector and no limit. The shape is an
 * extension.
 */
export const Fees = z.codec(
  z.object({
    swapFeeBps: bps,
    performanceFeeBps: bps,
    operatorCollector: nullish(EvmAddress),
    markupBps: bps,
    maxMarkupBps: nullish(bps),
    collector: nullish(EvmAddress),
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

const Bps = wholeNumberField(0, allBps)

/**
 * The fees that a customer may change: its own markup and the markup's collector; `null` removes the collector. Other fields are refused.
 */
export const FeesInput = z.strictObject({
  markupBps: Bps.optional(),
  collector: EvmAddress.refine(
    (address) => !/^0x0{40}$/.test(address),
    'is the zero address: funds sent there are lost',
  )
    .nullable()
    .optional(),
})
export type FeesInput = z.output<typeof FeesInput>

/**
 * The fees that the operator of a service charges every customer, in basis points, their collector, and the
 * highest markup a customer may add.
 */
export type OperatorFees = {
  swapFeeBps: number
  performanceFeeBps: number
  operatorCollector: Address | null
  maxMarkupBps: number
}
