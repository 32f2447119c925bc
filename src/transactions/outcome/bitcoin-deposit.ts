import { Hash } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { isSwapPaid, type StatedOutcome, swapOutcomeError } from '../../domain/swap-outcome.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { momentText } from '../../domain/text/time-spans.ts'
import type { SeenDeposit } from '../../store/journal/deposits.ts'
import type { BitcoinDeposit, Operation } from '../../store/journal/operation-types.ts'
import { resultOf } from '../bridge/delivery-result.ts'

/** The payment on Bitcoin that an operation begins with; `undefined` for one that signs transactions. */
export const bitcoinDepositOf = ({ legs }: Pick<Operation, 'legs'>): BitcoinDeposit | undefined =>
  legs.find(({ deposit }) => deposit)?.deposit

/** What is said of a swap from Bitcoin. `deposit.paid` is in satoshi. */
export type DepositSwapStatus = StatedOutcome & {
  originTxHash: string | null
  destinationTxHash: string | null
  provider: string | null
  deposit?: SwapDeposit | undefined
}

type SwapDeposit = {
  address: string | null
  amount: string
  paid: string | null
  overdue?: boolean | undefined
  isLookedUp?: boolean | undefined
  note: string | null
}

const exits = { refunded: 25, failed: 22, expired: 4 } as const

/** A status as the journal records it: only what was seen ends a swap. */
export function seenDepositOf(swap: DepositSwapStatus): SeenDeposit {
  const { status, originTxHash, destinationTxHash, arrivedShort, deposit } = swap
  const delivery = Hash.safeParse(destinationTxHash).data ?? null
  const seen = { hash: originTxHash, isPaid: isSwapPaid(swap), delivery }
  if (status === 'fulfilled')
    return { ...seen, end: { becomes: 'DONE', why: 'delivered', exit: 0, result: undefined } }
  if (status !== 'refunded' && status !== 'failed' && status !== 'expired') return seen
  const ended = { status, ...(arrivedShort && { arrivedShort }), note: deposit?.note ?? null }
  const exit = arrivedShort ? 25 : exits[status]
  return { ...seen, end: { becomes: 'FAILED', why: status, exit, result: { ended } } }
}

/** The status of a swap from Bitcoin by the journal alone, where nobody else answers. */
export function recordedStatus(
  operation: Operation,
  deposit: BitcoinDeposit,
): DepositSwapStatus & { deposit: SwapDeposit } {
  const { state, legs } = operation
  const { ended } = resultOf(operation)
  const status =
    state === 'DONE' ? 'fulfilled' : state === 'EXECUTING' ? 'processing' : (ended?.status ?? 'pending')
  return {
    status,
    ...(ended?.arrivedShort && { arrivedShort: true }),
    originTxHash: deposit.hash,
    destinationTxHash: legs.findLast(({ arrival }) => arrival)?.arrival?.hash ?? null,
    provider: null,
    deposit: {
      address: deposit.address,
      amount: String(deposit.amount),
      paid: null,
      isLookedUp: false,
      note: ended?.note ?? null,
    },
  }
}

/** The error of an operation whose deposit came to nothing; `undefined` for any other. */
export function depositError(operation: Operation): AppError | undefined {
  const { id } = operation
  const deposit = bitcoinDepositOf(operation)
  const { ended } = resultOf(operation)
  if (!deposit || !ended) return undefined
  const details = { operation: id, ...ended }
  const next = sluice('action explain', id)
  if (ended.status === 'expired')
    return new AppError(
      'QUOTE_EXPIRED',
      `The deposit of ${id} was not paid before ${momentText(deposit.until)}. Do not pay it`,
      { details, next },
    )
  return swapOutcomeError(
    { ...ended, arrivedShort: ended.arrivedShort },
    { details, hints: { over: next, open: next } },
  )
}
