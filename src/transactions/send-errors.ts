import { parseUnits } from 'viem/utils'
import type { Fees } from '../chain/fees.ts'
import { isAlreadyKnown } from '../chain/rpc/errors.ts'
import { AppError } from '../domain/errors.ts'
import { plain } from '../domain/text.ts'
import type { Attempt } from '../store/journal/operation.ts'

/** As what a node refuses a transaction: too cheap for its pool or the next block, too cheap to replace what it has, or anything else. */
type Class = 'cheap' | 'fee' | 'under' | 'low' | 'high' | 'funds' | 'dear' | 'gas' | 'chain' | 'refused'

/** That a node refused a transaction, and in which words. */
export type SendError = { is: Class; words: string }

/** The first that fits is what is meant. */
const classes: readonly (readonly [Class, RegExp])[] = [
  ['low', /nonce too low|nonce is too low|invalid nonce|oldnonce/i],
  ['high', /nonce too high|nonce gap/i],
  ['dear', /exceeds the configured cap/i],
  ['under', /replacement|replace existing/i],
  ['fee', /max ?fee ?per ?gas (less|too low)|less than block base fee/i],
  ['gas', /gas limit|intrinsic gas|block gas/i],
  ['funds', /insufficient ?funds|upfront cost/i],
  [
    'cheap',
    /underpriced|fee ?too ?low|(fee|price|tip|gas) .*(too low|below|minimum)|minimum .*(gas price|fee|tip)/i,
  ],
  ['fee', /fee cap/i],
  ['chain', /chain ?id/i],
]

/** So much of what a node says is kept. */
const mostWords = 300

/** What a node's answer to a broadcast hints at, in its words where it refused. A hint is all that it is: only the chain says what happened. */
export function broadcastAnswer(error: unknown): string {
  const isAnswer = error instanceof AppError && error.code === 'RPC_ERROR'
  const said = isAnswer ? error.details?.message : error instanceof Error ? error.message : error
  const words = plain(String(said)).slice(0, mostWords)
  if (isAlreadyKnown(words)) return 'known'
  // What gave no answer refused nothing.
  if (!isAnswer) return `unknown: ${words}`
  return `${classes.find(([, pattern]) => pattern.test(words))?.[0] ?? 'refused'}: ${words}`
}

const asKept = new RegExp(
  `^(${[...new Set(classes.map(([name]) => name)), 'refused'].join('|')}): (.+)$`,
  's',
)

/** That the last answer to an attempt was a refusal; `undefined` where it was taken, or nobody answered. */
export function sendErrorOf(
  attempt: Partial<Pick<Attempt, 'lastAnswer'>> | undefined,
): SendError | undefined {
  const kept = asKept.exec(attempt?.lastAnswer ?? '')
  return kept ? { is: kept[1] as Class, words: kept[2]! } : undefined
}

/** Whether a node took an attempt, or had it already, by its last answer. */
export const isAccepted = ({ lastAnswer }: Pick<Attempt, 'lastAnswer'>): boolean =>
  lastAnswer !== null && !lastAnswer.startsWith('unknown: ') && !sendErrorOf({ lastAnswer })

/** Whether a refusal is of what a transaction pays, so that one that pays more helps. */
export const isFeeTooLow = (refusal: SendError | undefined): boolean =>
  refusal !== undefined && ['cheap', 'fee', 'under'].includes(refusal.is)

/** Whether a refusal is of what stays: it takes more gas, or may cost more in all, than the node lets any transaction. */
export const isPermanentError = ({ is }: SendError): boolean => is === 'gas' || is === 'dear'

type Paid = Fees & Partial<Pick<Attempt, 'lastAnswer'>>

/** The least that a node named when it refused an attempt as too cheap, where that is more than the attempt pays; `undefined` where it named none. */
export function demandedFees(paid: Paid): Fees | undefined {
  const refusal = sendErrorOf(paid)
  if (refusal?.is !== 'cheap' && refusal?.is !== 'fee') return undefined
  const { maxFeePerGas: fee, maxPriorityFeePerGas: tip } = paid
  const named = leastIn(refusal.words)
  // A price that the attempt has already can only be meant for the tip.
  const isOfTip = refusal.is === 'cheap' && (named <= fee || /tip|priority/i.test(refusal.words))
  if (named <= (isOfTip ? tip : fee)) return undefined
  return { maxFeePerGas: named, maxPriorityFeePerGas: isOfTip ? named : 0n }
}

/**
 * The number that words of a node name as the least, in wei; 0 where they name none. Sources of the words: go-ethereum and bor ("gas tip cap 1, minimum needed
 * 2"), bsc ("tip needed 2, tip permitted 1"), coreth ("gas tip cap (1) < pool gas tip cap (2)"), Nethermind ("too low 1 < 2"), Nitro ("baseFee: 2").
 */
function leastIn(words: string): bigint {
  const named =
    /(?:needed|required|minimum|\bmin\b|at least|least|base ?fee|<)[^0-9<]{0,48}?(\d{1,24}(?:\.\d{1,9})?)\s*(gwei)?/gi
  const sums = [...words.replace(/0x[0-9a-f]+/gi, '').matchAll(named)].map(([, number, unit]) =>
    parseUnits(number!, unit === undefined ? 0 : 9),
  )
  return sums.reduce((most, sum) => (sum > most ? sum : most), 0n)
}

/** Whether nothing is to be waited for before more is paid: the pool named what it wants, or refused the same twice. What only the base fee is above may wait for that to fall. */
export const needsImmediateBump = (attempt: Attempt | undefined): boolean =>
  attempt !== undefined &&
  sendErrorOf(attempt)?.is === 'cheap' &&
  (attempt.sends > 1 || demandedFees(attempt) !== undefined)
