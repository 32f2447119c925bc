import { z } from 'zod'
import { EvmAddress } from '../domain/address.ts'
import { Units } from '../domain/amount.ts'
import { apyBases } from '../domain/apy-basis.ts'
import { Missing } from './missing-networks.ts'
import { type Strategy, StrategyComposite } from './strategy.ts'
import { TransactionItem } from './transaction.ts'
import { extension, Name, nullish, orNull } from './wire-fields.ts'

/** Input of `GET /yield/{identifier}`: an asset name (any casing) or a category. `amount` is in the smallest unit and requires `wallet`. */
export const RecommendationInput = z.object({
  identifier: Name,
  wallet: EvmAddress.optional(),
  amount: Units.optional(),
  action: z.enum(['lend', 'withdraw']).optional(),
  from: Name.optional(),
  to: Name.optional(),
})

export type RecommendationInput = z.output<typeof RecommendationInput>

/** The message in `bytecodeExecution` if the request has no wallet and amount. */
const needsWalletAndAmount = 'Send wallet and amount to receive the transactions.'

/** A group of compared strategies with the same kind of rate: their number and the best one. */
const Compared = z.object({
  apyBasis: z.enum(apyBases),
  count: z.int(),
  best: z.string(),
  apy: z.number(),
})

/**
 * The best strategy for an asset or a category. `transactions` is `null` if the request has no wallet and amount. Extensions: `actionId`,
 * which tracks the transactions, and `compared`, the compared rates by kind: current rates and growth of the last week.
 */
export const Recommendation = z.codec(
  z.object({
    recommendedStrategyId: z.string(),
    destinationChain: z.string(),
    bytecodeExecution: nullish(
      z.union([z.array(TransactionItem), z.string(), z.looseObject({ message: z.string() })]),
    ),
    strategy: StrategyComposite,
    spotPosition: nullish(z.record(z.string(), z.unknown())),
    actionId: extension(z.string()),
    compared: extension(z.array(Compared)),
  }),
  z.object({
    recommendedStrategyId: z.string(),
    destinationChain: z.string(),
    strategy: z.custom<Strategy>(),
    spotPosition: z.record(z.string(), z.unknown()).nullable(),
    transactions: z.array(z.custom<z.output<typeof TransactionItem>>()).nullable(),
    actionId: z.string().nullable(),
    compared: z.array(Compared).nullable(),
    missing: Missing,
  }),
  {
    decode: ({ bytecodeExecution, ...wire }) => ({
      ...wire,
      spotPosition: orNull(wire.spotPosition),
      actionId: orNull(wire.actionId),
      compared: orNull(wire.compared),
      transactions: Array.isArray(bytecodeExecution) ? bytecodeExecution : null,
    }),
    encode: ({ transactions, ...value }) => ({
      ...value,
      bytecodeExecution: transactions ?? needsWalletAndAmount,
    }),
  },
)

export type Recommendation = z.output<typeof Recommendation>
