import { z } from 'zod'
import type { Disagreement } from '../../chain/finality/quorum.ts'
import { EvmAddress, Hash, type Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { isUnsigned } from '../../domain/step-state.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { momentText } from '../../domain/text/time-spans.ts'
import type { Operation } from '../../store/journal/operation-types.ts'

const Amount = z.object({
  raw: z.string().regex(/^[0-9]+$/),
  decimals: z.int().min(0),
  symbol: z.string(),
  formatted: z.string(),
})

const by = z.enum(['desk', 'solver']).optional()

const Short = z.object({
  hash: Hash,
  by,
  network: z.string(),
  recipient: EvmAddress,
  brought: Amount,
  minimum: Amount,
})

const Refund = z.object({
  hash: Hash,
  by,
  network: z.string(),
  recipient: EvmAddress,
  amount: Amount,
  paidAt: z.iso.datetime().optional(),
})

/** A refund by a bridge, the desk of a ramp, or the solver of an order: network, transaction and recipient; `paidAt` is the time of its block. */
export type Refund = z.infer<typeof Refund>

/** A bridge delivery below the agreed minimum: network, transaction and recipient. */
export type UnderDelivery = z.infer<typeof Short>

/**
 * Why an expected delivery is not seen. `unfound`: it was minted, but no node returns the transaction. `unknown`: the
 * attestation service does not know an old burn. `disputed`: nodes differ. (`expired`: a deposit was not filled
 * before a time in Unix seconds and will be refunded. `open`: an order that can be filled until then. `shallow`: it
 * is in a block that is not deep enough.)
 */
export type UnseenDelivery = 'unfound' | 'unknown' | 'disputed'

/** A final bridge delivery, or why it is not known although it should be. */
export type DeliveryResult =
  | { arrived: Hex }
  | { short: UnderDelivery }
  | { refunded: Refund }
  | { unfilled: Unfilled }
  | { unseen: 'expired' | 'open'; until: number }
  | { unseen: UnseenDelivery; unlike?: Disagreement }
  | { unseen: 'shallow'; missing: number }

const Unfilled = z.object({ why: z.enum(['expired', 'cancelled']), until: z.int(), network: z.string() })

/** Why an order was not filled: it expired at a time in Unix seconds, or was cancelled before. */
export type Unfilled = z.infer<typeof Unfilled>

const Ended = z.object({
  status: z.enum(['refunded', 'failed', 'expired']),
  arrivedShort: z.literal(true).optional(),
  note: z.string().nullable(),
})

const Result = z.object({
  out: Amount.optional(),
  short: Short.optional(),
  refund: Refund.optional(),
  unfilled: Unfilled.optional(),
  ended: Ended.optional(),
})

/** The stored result of an operation: the received amount, and an under-delivery or a refund of its bridge. */
export const resultOf = ({ result }: Pick<Operation, 'result'>): z.infer<typeof Result> =>
  Result.safeParse(result).data ?? {}

/** Whether an operation ended because its bridge delivered less than the agreed minimum, which its result states. */
export const isUnderDelivered = ({
  state,
  exit,
  result,
}: Pick<Operation, 'state' | 'exit' | 'result'>): boolean =>
  state === 'FAILED' && exit === 25 && resultOf({ result }).short !== undefined

/** Whether an operation ended with a refund of its transfer. */
export const isRefunded = ({ state, exit, result }: Pick<Operation, 'state' | 'exit' | 'result'>): boolean =>
  state === 'FAILED' &&
  exit === 25 &&
  (resultOf({ result }).refund !== undefined || resultOf({ result }).ended?.status === 'refunded')

/** Whether an operation ended with an unfilled order. */
export const isUnfilled = ({ state, exit, result }: Pick<Operation, 'state' | 'exit' | 'result'>): boolean =>
  state === 'FAILED' && exit === 25 && resultOf({ result }).unfilled !== undefined

/** The error of an operation with an unfilled order. */
export function unfilledError(operation: Operation): AppError {
  const { id } = operation
  const { unfilled } = resultOf(operation)
  return new AppError(
    'ORDER_UNFILLED',
    `${unfilled ? unfilledText(unfilled) : `The order of ${id} was not filled`}. Nothing was swapped, and nothing was taken. The remaining allowance of the relayer stays until it is revoked.`,
    { details: { operation: id, ...unfilled }, next: sluice('action revoke', id) },
  )
}

/** Why an order was not filled, as a sentence without its end. */
export const unfilledText = ({ why, until, network }: Unfilled): string =>
  why === 'expired'
    ? `The order on ${sanitizeText(network)} was not filled before ${momentText(until * 1_000)} and has expired`
    : `The order on ${sanitizeText(network)} was cancelled before it was filled`

export function refundError(operation: Operation): AppError {
  const { id } = operation
  const { refund } = resultOf(operation)
  return new AppError('REFUNDED', `${refund ? refundText(refund) : `The bridge of ${id} paid it back`}.`, {
    details: { operation: id, ...refund },
    next: sluice('action explain', id),
  })
}

const refundedBy = {
  desk: 'The desk did not swap the deposit and',
  solver: 'The solver did not fill the order and',
  bridge: 'The deposit was not paid out on the other chain in time, and the bridge',
} as const

/** The refunded amount, its network and recipient, as part of a sentence. */
export const refundText = ({ by, amount, network, recipient, hash, paidAt }: Refund): string =>
  `${refundedBy[by ?? 'bridge']} paid ${amount.formatted} ${sanitizeText(amount.symbol)} back to ${recipient} on ${network} (${hash})${paidAt === undefined ? '' : ` at ${momentText(Date.parse(paidAt))} (block time)`}`

/** The error of an operation whose bridge delivered less than the agreed minimum. */
export function underDeliveryError(operation: Operation): AppError {
  const { id, steps } = operation
  const { short } = resultOf(operation)
  const isLeft = steps.some(isUnsigned)
  const rest = isLeft ? ' The remaining steps there were not signed and will not be.' : ''
  return new AppError('ARRIVED_SHORT', `${underDeliveryText(short!)}.${rest}`, {
    details: { operation: id, ...short },
    next: sluice('action explain', id),
  })
}

/** The delivered amount, its network and the agreed minimum, as part of a sentence. */
export const underDeliveryText = (short: UnderDelivery): string => {
  const { by = 'bridge', brought, minimum, network, recipient, hash } = short
  return `The ${by} delivered ${brought.formatted} ${sanitizeText(brought.symbol)} to ${recipient} on ${network} (${hash}); the agreed minimum is ${minimum.formatted} ${sanitizeText(minimum.symbol)}`
}

/** Why an operation ends without its delivery, and the result to store; `undefined` if it may still arrive. */
export function failedDelivery(
  { kind }: Pick<Operation, 'kind'>,
  seen: DeliveryResult,
): { why: string; result: unknown } | undefined {
  if ('unfilled' in seen) {
    const { unfilled } = seen
    const why = unfilled.why === 'expired' ? 'the order was not filled in time' : 'the order was cancelled'
    return { why, result: { unfilled } }
  }
  if ('refunded' in seen) {
    const { refunded: refund } = seen
    return { why: `the ${refund.by ?? 'bridge'} paid it back, in ${refund.hash}`, result: { refund } }
  }
  if (!('short' in seen)) return undefined
  const { short } = seen
  return {
    why: `the ${short.by ?? 'bridge'} brought less than was agreed, in ${short.hash}`,
    result: { short, ...(kind === 'swap' && { out: short.brought }) },
  }
}
