import { parseUnits } from 'viem/utils'
import type { GasFees } from '../../chain/gas-fees.ts'
import { sendErrorClass } from '../../chain/rpc/error-table.ts'
import { AppError } from '../../domain/errors.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { Attempt } from '../../store/journal/operation-types.ts'
import type { SendAnswer, SendErrorClass } from '../../store/journal/send-answer.ts'

/** A node's refusal of a transaction. */
export type SendError = SendAnswer & { is: Exclude<SendErrorClass, 'known'> }

/** Maximum stored length of a node's message, in characters. */
const maxMessageLength = 300

/**
 * What an error to the broadcast of an attempt means. The fees that it demands are read here, once. It is only a hint;
 * the chain alone says what happened.
 */
export function broadcastAnswer(error: unknown, paid: GasFees): SendAnswer {
  const isAnswer = error instanceof AppError && error.code === 'RPC_ERROR'
  const said = isAnswer ? error.details?.message : error instanceof Error ? error.message : error
  const words = sanitizeText(String(said)).slice(0, maxMessageLength)
  const is = sendErrorClass(words)
  if (is === 'known') return { is, words: '' }
  // A gateway refuses with a status of its own. Any other missing answer is no refusal.
  if (is !== 'barred' && !isAnswer) return { is: 'unknown', words }
  const demands = is && demandedFees({ is, words }, paid)
  return { is: is ?? 'refused', words, ...(demands && { demands }) }
}

const isRefusal = (said: SendAnswer): said is SendError =>
  !['accepted', 'known', 'inferred', 'unknown'].includes(said.is)

/** The send error of the last answer to an attempt; `undefined` if it was accepted or unanswered. */
export function sendErrorOf(
  attempt: Partial<Pick<Attempt, 'lastAnswer'>> | undefined,
): SendError | undefined {
  const said = attempt?.lastAnswer
  return said && isRefusal(said) ? said : undefined
}

/** Whether a node accepted or already had an attempt, by its last answer. */
export const isAccepted = ({ lastAnswer }: Pick<Attempt, 'lastAnswer'>): boolean =>
  lastAnswer !== null && lastAnswer.is !== 'unknown' && !isRefusal(lastAnswer)

/** Whether a send error is about the fee, so that a higher one helps. */
export const isFeeTooLow = (refusal: SendError | undefined): boolean =>
  refusal !== undefined && ['cheap', 'fee', 'under'].includes(refusal.is)

/** Whether resending the same bytes to the same nodes never helps. */
export const isRefusedForGood = (refusal: SendError): boolean =>
  isPermanentError(refusal) || refusal.is === 'barred'

/** Whether a send error is permanent: the transaction uses more gas, or may cost more, than the node ever accepts. */
export const isPermanentError = ({ is }: SendError): boolean => is === 'gas' || is === 'dear'

/** The minimum fee that a node named when it refused an attempt, if above the attempt's; `undefined` otherwise. */
function demandedFees({ is, words }: SendAnswer, paid: GasFees): SendAnswer['demands'] {
  if (is !== 'cheap' && is !== 'fee') return undefined
  const { maxFeePerGas: fee, maxPriorityFeePerGas: tip } = paid
  const named = demandedMinimum(words)
  // A price that the attempt already pays can only mean the tip.
  const isOfTip = is === 'cheap' && (named <= fee || /tip|priority/i.test(words))
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
  (attempt.sends > 1 || attempt.lastAnswer?.demands !== undefined)
