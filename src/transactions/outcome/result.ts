import { z } from 'zod'
import type { Disagreement } from '../../chain/finality/quorum.ts'
import { EvmAddress, Hash, type Hex } from '../../domain/address.ts'
import type { Operation } from '../../store/journal/operation.ts'

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

/** A bridge delivery below the agreed minimum: where, in which transaction, to whom. */
export type UnderDelivery = z.infer<typeof Short>

/**
 * Why an expected delivery is not seen. `unfound`: it was minted, and no node returns the transaction. `unknown`: the attestation
 * service does not know an old burn. `disputed`: nodes differ. (`shallow`: it is there, with too few blocks on it.)
 */
export type UnseenDelivery = 'unfound' | 'unknown' | 'disputed'

/** A final bridge delivery, or why it is not known although it should be. */
export type DeliveryResult =
  | { arrived: Hex }
  | { short: UnderDelivery }
  | { unseen: UnseenDelivery; unlike?: Disagreement }
  | { unseen: 'shallow'; missing: number }

const Result = z.object({ out: Amount.optional(), short: Short.optional() })

/** The stored result of an operation: the received amount, and an under-delivery of its bridge. */
export const resultOf = ({ result }: Pick<Operation, 'result'>): z.infer<typeof Result> =>
  Result.safeParse(result).data ?? {}

/** Whether an operation ended because its bridge delivered less than the agreed minimum. */
export const isUnderDelivered = ({ state, exit }: Pick<Operation, 'state' | 'exit'>): boolean =>
  state === 'FAILED' && exit === 25
