import { parseUnits } from 'viem/utils'
import type { GasFees } from '../../chain/gas-fees.ts'
import { refusalClasses, type SendErrorClass, sendErrorClass } from '../../chain/rpc/error-table.ts'
import { AppError } from '../../domain/errors.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { Attempt } from '../../store/journal/operation-types.ts'

/** A node's refusal of a transaction: its class and message. */
export type SendError = { is: SendErrorClass; words: string }

/** Maximum stored length of a node's message, in characters. */
const maxMessageLength = 300

/**
 * Converts a node's answer to a broadcast to its stored form: the class and message of a refusal. It is only a hint;
 * the chain alone says what happened.
 */
export function broadcastAnswer(error: unknown): string {
  const isAnswer = error instanceof AppError && error.code === 'RPC_ERROR'
  const said = isAnswer ? error.details?.message : error instanceof Error ? error.message : error
  const words = sanitizeText(String(said)).slice(0, maxMessageLength)
  const is = sendErrorClass(words)
  // A gateway refuses with a status of its own.
  if (is === 'barred') return `${is}: ${words}`
  if (is === 'known') return is
  // A missing answer is no refusal.
  return `${isAnswer ? (is ?? 'refused') : 'unknown'}: ${words}`
}

const storedAnswer = new RegExp(`^(${refusalClasses.join('|')}): (.+)$`, 's')

/** The send error of the last answer to an attempt; `undefined` if it was accepted or unanswered. */
export function sendErrorOf(
  attempt: Partial<Pick<Attempt, 'lastAnswer'>> | undefined,
): SendError | undefined {
  const kept = storedAnswer.exec(attempt?.lastAnswer ?? '')
  return kept ? { is: kept[1] as SendErrorClass, words: kept[2]! } : undefined
}

/** Whether a node accepted or already had an attempt, by its last answer. */
export const isAccepted = ({ lastAnswer }: Pick<Attempt, 'lastAnswer'>): boolean =>
  lastAnswer !== null && !lastAnswer.startsWith('unknown: ') && !sendErrorOf({ lastAnswer })

/** Whether a send error is about the fee, so that a higher one helps. */
export const isFeeTooLow = (refusal: SendError | undefined): boolean =>
  refusal !== undefined && ['cheap', 'fee', 'under'].includes(refusal.is)

/** Whether resending the same bytes to the same nodes never helps. */
export const isRefusedForGood = (refusal: SendError): boolean =>
  isPermanentError(refusal) || refusal.is === 'barred'

/** Whether a send error is permanent: the transaction uses more gas, or may cost more, than the node ever accepts. */
export const isPermanentError = ({ is }: SendError): boolean => is === 'gas' || is === 'dear'

type Paid = GasFees & Partial<Pick<Attempt, 'lastAnswer'>>

/** The minimum fee that a node named when it refused an attempt, if above the attempt's; `undefined` otherwise. */
export function demandedFees(paid: Paid): GasFees | undefined {
  const refusal = sendErrorOf(paid)
  if (refusal?.is !== 'cheap' && refusal?.is !== 'fee') return undefined
  const { maxFeePerGas: fee, maxPriorityFeePerGas: tip } = paid
  const named = demandedMinimum(refusal.words)
  // A price that the attempt already pays can only mean the tip.
  const isOfTip = refusal.is === 'cheap' && (named <= fee || /tip|priority/i.test(refusal.words))
  if (named <= (isOfTip ? tip : fee)) return undefined
  return { maxFeePerGas: named, maxPriorityFeePerGas: isOfTip ? named : 0n }
}

/**
 * Returns the minimum in a node's message, in wei; 0 if it names none. Sources of the messages: go-ethereum and bor
 * ("gas tip cap 1, minimum needed 2"), bsc ("tip needed 2, tip permitted 1"), coreth ("gas tip cap (1) < pool gas tip
 * cap (2)"), Nethermind ("too low 1 < 2"), Nitro ("baseFee: 2").
 */
function demandedMinimum(words: string): bigint {
  const named =
    /(?:needed|required|minimum|\bmin\b|at least|least|higher than|base ?fee|<)[^0-9<]{0,48}?(\d{1,24}(?:\.\d{1,9})?)\s*(gwei)?/gi
  const sums = [...words.replace(/0x[0-9a-f]+/gi, '').matchAll(named)].map(([, number, unit]) =>
    parseUnits(number!, unit === undefined ? 0 : 9),
  )
  return sums.reduce((most, sum) => (sum > most ? sum : most), 0n)
}

/**
 * Whether to bump without waiting: the pool named a minimum, or refused twice. A fee that is only below the base fee
 * may wait for it to fall.
 */
export const needsImmediateBump = (attempt: Attempt | undefined): boolean =>
  attempt !== undefined &&
  sendErrorOf(attempt)?.is === 'cheap' &&
  (attempt.sends > 1 || demandedFees(attempt) !== undefined)
