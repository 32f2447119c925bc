import type { z } from 'zod'
import { decodeApprove } from '../../chain/erc20.ts'
import { type Hex, sameAddress } from '../../domain/address.ts'
import { type Network, publicNetworks, sandboxNetworks } from '../../domain/networks.ts'
import { isUnsigned } from '../../domain/step-state.ts'
import { canonicalJson } from '../../domain/text/canonical-json.ts'
import type { StoredPlan } from '../../guard/stored-plan.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import type { JournalEvent, Operation } from '../../store/journal/operation-types.ts'
import { statusOfState } from '../../store/journal/states.ts'
import {
  isRefunded,
  isUnderDelivered,
  isUnfilled,
  resultOf,
} from '../../transactions/bridge/delivery-result.ts'
import { operationReport, reportedAmounts, stepStatuses } from '../report-from-journal.ts'
import { decodeStepCalls, hasTrueText } from './decode-step-calls.ts'
import type { EvidenceStep, EvidenceTransaction, ParsedEvidence } from './evidence-file-schema.ts'
import type { Evidence } from './make-evidence-file.ts'

type AttemptedStep = ParsedEvidence['operation']['steps'][number]
type Attempt = ParsedEvidence['attempts'][number]

/**
 * Why the attempts cannot belong to the steps, in words: each signs its step's call and nonce, or a cancellation, and exists once.
 */
function attemptMismatch(steps: readonly AttemptedStep[], attempts: readonly Attempt[]): string | undefined {
  const hashes = new Set<string>()
  for (const attempt of attempts) {
    const hash = attempt.hash.toLowerCase()
    if (hashes.has(hash)) return 'two attempts have the same hash'
    hashes.add(hash)
    const step = steps.find(({ index }) => index === attempt.step)
    if (!step) return 'an attempt belongs to no step'
    const at = `an attempt of step ${step.index + 1}`
    if (attempt.nonce !== step.nonce) return `${at} has another nonce`
    if (called(attempt.transaction) !== called(wantedOf(step, attempt.kind))) return `${at} has another call`
  }
  return undefined
}

/** The transaction that an attempt must sign: the step's, or a cancellation. */
const wantedOf = ({ wallet, transaction }: AttemptedStep, kind: string): AttemptedStep['transaction'] =>
  kind === 'cancel' ? { to: wallet, data: '0x', value: '0', chainId: transaction.chainId } : transaction

const called = ({ to, data, value, chainId }: AttemptedStep['transaction']): string =>
  canonicalJson({ to, data, value, chainId }).toLowerCase()

/** What in the evidence is inconsistent, in words; `undefined` if nothing is. */
export function inconsistencyOf({
  operation,
  attempts,
  events,
  report,
  calls,
}: ParsedEvidence): string | undefined {
  const { state, steps } = operation
  const ended = isRefunded(asOperation(operation)) ? 'REFUNDED' : of(statusOfState, state)
  if (ended !== report.status) return `its report says ${report.status}, but the action is ${state}`
  if (report.id !== operation.id) return 'its report belongs to another action'
  if (!sameAddress(report.originAddress, operation.wallet)) return 'its report names another wallet'
  if (report.transactions.length !== steps.length)
    return `its report has ${report.transactions.length} transactions, but the action has ${steps.length} steps`
  if (canonicalJson(calls.map(({ index }) => index)) !== canonicalJson(steps.map(({ index }) => index)))
    return 'its decoded calls belong to other steps than the action has'
  const other = sharedTwice(steps) ?? attemptMismatch(steps, attempts)
  if (other !== undefined) return other
  for (const [at, step] of steps.entries()) {
    const misfit = stepMismatch(step, report.transactions[at]!, { operation, attempts })
    if (misfit !== undefined) return misfit
  }
  const field = callMismatch({ operation, attempts, events, report })
  if (field !== undefined) return `its report has another ${field} than the action`
  if (!isStateConsistent(operation, report)) return `the action is ${state}, but its steps do not match`
  return areAmountsConsistent(operation, report) ? undefined : 'its report has other amounts than the action'
}

function callMismatch(
  read: Pick<ParsedEvidence, 'operation' | 'attempts' | 'events' | 'report'>,
): string | undefined {
  try {
    return changedReportField(read)
  } catch {
    // A plan from another program may contain anything.
    return 'plan'
  }
}

const of = <T extends string>(words: Readonly<Record<T, string>>, word: string): string | undefined =>
  Object.hasOwn(words, word) ? words[word as T] : undefined

type ReadStep = z.infer<typeof EvidenceStep>

/** A transaction or nonce that two steps share although only one can have it. */
function sharedTwice(steps: readonly ReadStep[]): string | undefined {
  const seen = new Set<string>()
  for (const { index, wallet, nonce, state, transaction, inclusion } of steps) {
    const owns = [
      `step ${index}`,
      ...(inclusion ? [`transaction ${inclusion.hash}`] : []),
      ...(nonce !== null && state !== 'SUPERSEDED'
        ? [`nonce ${transaction.chainId} ${wallet} ${nonce}`]
        : []),
    ].map((one) => one.toLowerCase())
    for (const one of owns) {
      if (seen.has(one)) return `two steps have the same ${one.split(' ')[0]}`
      seen.add(one)
    }
  }
  return undefined
}

const inBlock = ['INCLUDED', 'FINAL_OK', 'FINAL_REVERTED', 'CANCELLED']

function stepMismatch(
  { index, state, wallet, nonce, transaction, inclusion }: ReadStep,
  reported: z.infer<typeof EvidenceTransaction>,
  { operation, attempts }: Pick<ParsedEvidence, 'operation' | 'attempts'>,
): string | undefined {
  const step = `step ${index + 1}`
  if (reported.index !== index) return `its report does not contain ${step}`
  if (of(stepStatuses, state) !== reported.status)
    return `its report says ${reported.status} for ${step}, which is ${state}`
  if (!sameAddress(wallet, operation.wallet)) return `${step} belongs to another wallet`
  if (!sameAddress(reported.to, transaction.to)) return `its report names another contract for ${step}`
  if (reported.chainId !== transaction.chainId) return `its report names another chain for ${step}`
  if (reported.nonce !== nonce) return `its report names another nonce for ${step}`
  if (!inBlock.includes(state)) return inclusion ? `${step} is ${state}, but is in a block` : undefined
  if (!inclusion) return `${step} is ${state}, but is in no block`
  if (reported.hash === null || !sameAddress(reported.hash, inclusion.hash))
    return `its report names another transaction for ${step}`
  const attempt = attempts.find((one) => one.step === index && sameAddress(one.hash, inclusion.hash))
  if (!attempt) return `${step} has no attempt with the hash that is in its block`
  // The mined one decides the state.
  return state === 'INCLUDED' || (attempt.kind === 'cancel') === (state === 'CANCELLED')
    ? undefined
    : `${step} is ${state} by an attempt of another kind`
}

/**
 * Whether the states of the steps allow the state of the operation. For an unfinished one it is only known whether something was
 * signed.
 */
function isStateConsistent(
  operation: ParsedEvidence['operation'],
  report: ParsedEvidence['report'],
): boolean {
  const { state, exit, steps, legs } = operation
  // What is done has arrived: without its payout there would be nothing to check on its chain.
  if (state === 'DONE' && legs.some(({ arrival }) => arrival?.hash === null)) return false
  if (legs.some(({ deposit }) => deposit)) return steps.length === 0
  const is = (wanted: string) => steps.some((step) => step.state === wanted)
  const unsigned = steps.every(isUnsigned)
  if (state === 'OPEN' || state === 'DROPPED') return unsigned
  if (unsigned) return false
  if (state === 'DONE') return areLegsDone(operation) && steps.every((step) => isMadeGood(step, steps))
  if (state === 'ATTENTION') return is('SUPERSEDED')
  if (state === 'FAILED' && (isRefunded(asOperation(operation)) || isUnfilled(asOperation(operation))))
    return areLegsDone(operation)
  if (state === 'FAILED')
    return isUnderDelivered(asOperation(operation)) ? report.arrivedShort !== undefined : is('FINAL_REVERTED')
  if (state !== 'CANCELLED') return true
  // An operation may be abandoned while a bridge delivery is still awaited.
  const isAwaiting = legs.some(({ arrival }) => arrival !== null)
  return exit === 24 ? is('CANCELLED') : isAwaiting || !steps.every((step) => step.state === 'FINAL_OK')
}

/** Whether the action of every leg with steps is done. An approval alone does not count, except in a revocation. */
function areLegsDone({ kind, steps }: ParsedEvidence['operation']): boolean {
  const isAction = ({ role, transaction }: ReadStep) =>
    role === 'action' && (kind === 'revoke' || !decodeApprove(transaction.data as Hex))
  const done = steps.filter((step) => step.state === 'FINAL_OK' && isAction(step))
  return steps.every(({ leg }) => done.some((one) => one.leg === leg))
}

/** Whether a step is done, or had no effect and another step of its leg replaced it or made it unnecessary. */
const isMadeGood = ({ index, leg, role, state }: ReadStep, steps: readonly ReadStep[]): boolean =>
  state === 'FINAL_OK' ||
  (['SUPERSEDED', 'FINAL_REVERTED', 'CANCELLED'].includes(state) &&
    steps.some(
      (one) =>
        one.state === 'FINAL_OK' &&
        one.leg === leg &&
        one.index > index &&
        (one.role === role || one.role === 'action'),
    ))

const asOperation = (operation: ParsedEvidence['operation']): Operation =>
  ({
    ...operation,
    // JSON has no bigint.
    steps: operation.steps.map((step) => ({
      ...step,
      inclusion: step.inclusion && {
        ...step.inclusion,
        gasUsed: BigInt(step.inclusion.gasUsed),
        gasPrice: BigInt(step.inclusion.gasPrice),
      },
    })),
  }) as unknown as Operation

/**
 * Whether the report's amounts follow from the plan and result. Older evidence has no result, so its report alone has the received
 * amount; for a failure it has the expected one.
 */
function areAmountsConsistent(
  operation: ParsedEvidence['operation'],
  { amounts, arrivedShort }: ParsedEvidence['report'],
): boolean {
  const like = asOperation(operation)
  const { out, short } = resultOf(like)
  try {
    // A received amount is in the result, also that of a short delivery.
    const isOfBefore = statusOfState[like.state] === 'FAILED' && amounts.out !== null && out === undefined
    const made = isOfBefore ? (like.plan as StoredPlan).about.amounts : reportedAmounts(like)
    if ('result' in operation)
      return (
        canonicalJson([made, (isUnderDelivered(like) && short) || null]) ===
        canonicalJson([amounts, arrivedShort ?? null])
      )
    if (isUnderDelivered(like) || operation.state === 'DONE')
      return canonicalJson(made.in ?? null) === canonicalJson(amounts.in ?? null)
    return arrivedShort === undefined && canonicalJson(made) === canonicalJson(amounts)
  } catch {
    // A plan from another program may contain anything.
    return false
  }
}

/**
 * The first step whose text, call or contract differs from what this program decodes from its bytes, in words. Steps on networks
 * outside the catalogue are skipped.
 */
export function changedCall({ operation, calls }: Evidence, catalog: Catalog): string | undefined {
  const like = {
    ...operation,
    steps: (operation.steps as ReadStep[]).map((step) => ({
      ...step,
      transaction: { ...step.transaction, value: BigInt(step.transaction.value) },
    })),
  } as unknown as Operation
  const isKnown = ({ transaction }: Operation['steps'][number]) =>
    catalog.networks.some(({ chainId }) => chainId === transaction.chainId)
  try {
    const anew = decodeStepCalls(like, catalog)
    for (const [at, step] of like.steps.entries()) {
      if (!isKnown(step)) continue
      if (canonicalJson(anew[at]) !== canonicalJson(calls[at]))
        return `the decoded call of step ${step.index + 1} is wrong`
      if (!hasTrueText(step, like, catalog)) return `the description of step ${step.index + 1} is wrong`
    }
    return undefined
  } catch {
    // A plan from another program may contain anything.
    return 'its plan cannot be read'
  }
}

type Fields = Readonly<Record<string, unknown>>

type ComparedEvidence = {
  operation: ParsedEvidence['operation']
  attempts: readonly { step: number; hash: string }[]
  events: readonly object[]
  report: { transactions: readonly ({ chainId: number } & Fields)[] } & Fields
}

/** Compared separately, because older evidence has them in another form. */
const apart = ['amounts', 'arrivedShort', 'transactions']

/**
 * The first field of the report that differs from a report made again from operation, attempts and events, such as
 * `receiverAddress` or `transactions.1.text`. Fields of only one of the two are from another version and skipped.
 */
function changedReportField({ operation, attempts, events, report }: ComparedEvidence): string | undefined {
  const anew = operationReport(
    asOperation(operation),
    networksOf(report.transactions),
    ({ index }) => attempts.findLast(({ step }) => step === index)?.hash ?? null,
    (events as readonly JournalEvent[]).map(withRef),
  )
  const other = unlike(anew, report, apart)
  if (other !== undefined) return other
  for (const [at, said] of report.transactions.entries()) {
    const name = unlike(anew.transactions[at]!, said)
    if (name !== undefined) return `transactions.${at}.${name}`
  }
  return undefined
}

/** An event of evidence, with how a step became final, which evidence of earlier versions has in the words only. */
const withRef = (event: JournalEvent): JournalEvent =>
  event.kind === undefined ? { ...event, ref: /, (.+)$/.exec(event.why)?.[1] ?? null } : event

const unlike = (anew: Fields, said: Fields, but: readonly string[] = []): string | undefined =>
  Object.keys(anew).find(
    (name) =>
      !but.includes(name) &&
      Object.hasOwn(said, name) &&
      canonicalJson(anew[name]) !== canonicalJson(said[name]),
  )

/** The networks of this program, and those that only the report knows. */
const networksOf = (rows: readonly Fields[]): Network[] => [
  ...sandboxNetworks,
  ...publicNetworks,
  ...rows.map(({ chainId, network, explorerUrl }) => {
    const explorer = typeof explorerUrl === 'string' ? explorerUrl.replace(/\/tx\/[^/]*$/, '') : null
    return { chainId, name: network, explorer } as Network
  }),
]
