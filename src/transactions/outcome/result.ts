import { z } from 'zod'
import { EvmAddress, Hash, type Hex } from '../../domain/address.ts'
import type { Operation } from '../../store/journal/operation.ts'
import type { Disagreement } from '../confirmation/quorum.ts'

const Amount = z.object({
  raw: z.string().regex(/^[0-9]+$/),
  decimals: z.int().min(0),
  symbol: z.string(),
  formatted: z.string(),
})

const Short = z.object({
  hash: Hash,
  network: z.string(),
  recipient: EvmAddress,
  brought: Amount,
  minimum: Amount,
})

/** That a bridge brought less than was agreed: where, in which transaction, and to whom. */
export type UnderDelivery = z.infer<typeof Short>

/**
 * Why a delivery is not seen that should be: the bridge made it, and nobody finds the transaction; or the attestation service does not
 * know what was burned, and it was burned too long ago for that to be usual; or endpoints show different things where it should be. One that is
 * `shallow` is there, with too few blocks on it.
 */
export type UnseenDelivery = 'unfound' | 'unknown' | 'disputed'

/** What a bridge has brought, for good, or why that is not known where it should be. */
export type DeliveryResult =
  | { arrived: Hex }
  | { short: UnderDelivery }
  | { unseen: UnseenDelivery; unlike?: Disagreement }
  | { unseen: 'shallow'; missing: number }

const Result = z.object({ out: Amount.optional(), short: Short.optional() })

/** What the journal holds of how an operation ended: what came out of it by the receipts, and whether its bridge brought less than was agreed. */
export const resultOf = ({ result }: Pick<Operation, 'result'>): z.infer<typeof Result> =>
  Result.safeParse(result).data ?? {}

/** Whether an operation ended because its bridge brought less than was agreed. */
export const isUnderDelivered = ({ state, exit }: Pick<Operation, 'state' | 'exit'>): boolean =>
  state === 'FAILED' && exit === 25
