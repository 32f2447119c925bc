import { z } from 'zod'
import type { Disagreement } from '../../chain/finality/quorum.ts'
import { EvmAddress, Hash, type Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { plain } from '../../domain/text.ts'
import type { Operation } from '../../store/journal/operation.ts'
import type { OperationJournal } from '../../store/journal/types.ts'

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

/** Ends an operation whose bridge delivered less than the agreed minimum; no more will arrive by itself. */
export function failUnderDelivered(journal: OperationJournal, id: string, short: UnderDelivery): Operation {
  const { state, kind } = journal.find(id)!
  if (state === 'PARTIAL') journal.settle(id, 'EXECUTING', 'resumed')
  const result = { short, ...(kind === 'swap' && { out: short.brought }) }
  journal.settle(id, 'FAILED', `the bridge brought less than was agreed, in ${short.hash}`, 25, result)
  return journal.find(id)!
}

/** The error of an operation whose bridge delivered less than the agreed minimum. */
export function underDeliveryError(operation: Operation): AppError {
  const { id, steps } = operation
  const { short } = resultOf(operation)
  const isLeft = steps.some(({ state }) => state === 'PLANNED' || state === 'RESERVED')
  const rest = isLeft ? ' What was to follow there was not signed, and will not be.' : ''
  return new AppError(
    'ARRIVED_SHORT',
    `${short ? underDeliveryText(short) : `The bridge of ${id} brought less than was agreed`}.${rest}`,
    {
      details: { operation: id, ...short },
      hint: `sluice action explain ${id}`,
    },
  )
}

/** The delivered amount, its place and the agreed minimum, as part of a sentence. */
export const underDeliveryText = ({ brought, minimum, network, recipient, hash }: UnderDelivery): string =>
  `The bridge brought ${brought.formatted} ${plain(brought.symbol)} to ${recipient} on ${network} (${hash}), and at least ${minimum.formatted} ${plain(minimum.symbol)} was agreed`
