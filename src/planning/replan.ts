import { decodeTransfer } from '../chain/erc20.ts'
import { sameAddress } from '../domain/address.ts'
import { formatAmount, tokenAmount } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import { isInFlight, isUnsigned } from '../domain/step-state.ts'
import { advice, sluice } from '../domain/text/next-step.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import type { Token } from '../domain/token.ts'
import { decodeIntent, encodeIntent } from '../guard/intent-json.ts'
import { isPriced } from '../guard/intent-slippage.ts'
import { actionIntent, quoteIds, type StoredPlan } from '../guard/stored-plan.ts'
import { decodeTerms, encodeTerms, type Terms } from '../guard/user-limits-and-exemptions.ts'
import type { Intent, ServiceFee } from '../protocols/intent.ts'
import { paymentOf, stepFeesOf } from '../protocols/service-fees-of-intent.ts'
import type { Operation, Step } from '../store/journal/operation-types.ts'
import { type CheckedPlan, checkProposal } from './check-proposal.ts'
import type { ExecutionContext } from './execution-context-types.ts'
import { storedFeeBound } from './fee-bound.ts'
import { orderIdsOf } from './order-checks.ts'
import type { ProposedLeg, ReplannableLeg } from './proposal.ts'

const isSuperseded = ({ state }: Step) => state === 'SUPERSEDED'
/** The states in which the journal accepts no changes. */
const closedStates: readonly Operation['state'][] = ['DONE', 'FAILED', 'CANCELLED', 'DROPPED']

/** The fees of a finished action that neither it nor a final step of its leg paid. */
function unpaidFees(acted: Intent, steps: readonly Step[]): Intent | undefined {
  const paid = steps
    .filter(({ role, state }) => role === 'fee' && state === 'FINAL_OK')
    .map(({ transaction }) => decodeTransfer(transaction))
  const isPaid = ({ to, amount }: ServiceFee) =>
    paid.some((one) => one?.amount === amount && sameAddress(one.to, to))
  return paymentOf(
    acted,
    stepFeesOf(acted).filter((fee) => !isPaid(fee)),
  )
}

/**
 * The first unfinished leg of an operation; PENDING if a step is in flight, `undefined` if nothing is left or the operation is
 * finished.
 */
export function findReplannableLeg(
  { catalog }: Pick<ExecutionContext, 'catalog'>,
  operation: Operation,
): ReplannableLeg | undefined {
  const { id, state, steps, legs, plan } = operation
  if (closedStates.includes(state)) return undefined
  const moving = steps.find(isInFlight)
  if (moving)
    throw new AppError(
      'PENDING',
      `Step ${moving.index + 1} is signed and pending: a new plan is possible only after it is final`,
      {
        details: { operation: id },
        next: sluice('action resume', id),
      },
    )
  for (const { leg, chainId } of legs) {
    const of = steps.filter((step) => step.leg === leg)
    const kept = (plan as StoredPlan).intents[leg]
    const isDone = of.some(({ role, state }) => role === 'action' && state === 'FINAL_OK')
    const isOpen = of.some((step) => isUnsigned(step) || isSuperseded(step))
    if (!kept || !isOpen) continue
    const intent = decodeIntent(kept, catalog)
    if (!isDone) return { leg, chainId, intent }
    // The action is done; only payments of the service are left.
    const acted = actionIntent(plan as StoredPlan, leg)
    const isFeeOpen = of.some((step) => step.role === 'fee' && (isUnsigned(step) || isSuperseded(step)))
    const payment = acted && isFeeOpen && unpaidFees(decodeIntent(acted, catalog), of)
    if (payment) return { leg, chainId, intent: payment, role: 'fee' }
  }
  return undefined
}

const shown = (amount: bigint, token: Token): string =>
  formatAmount(amount, { ...token, symbol: sanitizeText(token.symbol) })

/**
 * Refuses a new leg that is worse than the old one. `least` is the least that it may bring now; `null` is the accepted minimum of
 * before.
 */
export function refuseWorseTerms(was: Intent, now: Intent, least: bigint | null, id: string): void {
  const [before, after] = [promisedMinimum(was), promisedMinimum(now)]
  if (!before || !after) return
  const accepted = least ?? before.least
  if (was.kind === 'swap' && now.kind === 'swap' && now.amountIn > was.amountIn)
    throw new AppError(
      'PARTIAL',
      `A new quote costs ${shown(now.amountIn, now.tokenIn)}, but the accepted cost is ${shown(was.amountIn, was.tokenIn)}`,
      {
        details: { operation: id, amountIn: now.amountIn.toString() },
        next: sluice('action revoke', id),
      },
    )
  if (after.least >= accepted) return
  throw new AppError(
    'PARTIAL',
    `A new quote returns at least ${shown(after.least, after.token)}, less than the accepted ${shown(accepted, after.token)}: nothing more is signed`,
    {
      details: { operation: id, amountOut: after.least.toString(), accepted: accepted.toString() },
      next: advice`${sluice('action replan', id, { '--accept-min-out': tokenAmount(after.least, after.token).formatted })}, or stop: ${sluice('action revoke', id)}`,
    },
  )
}

/** The promised minimum of an exchange intent, and its token. */
export function promisedMinimum(intent: Intent): { least: bigint; token: Token } | undefined {
  if (intent.kind === 'swap') return { least: intent.amountOut, token: intent.tokenOut }
  if (!isPriced(intent)) return undefined
  const { asset, receipt } = intent.strategy
  return { least: intent.least, token: intent.kind === 'deposit' ? receipt : asset }
}

/** Checks a new leg by the terms of the operation, like the first plan; `lifted` is what is accepted beyond them now. */
export const checkReplannedLeg = (
  context: ExecutionContext,
  { id, kind, wallet, request, plan }: Operation,
  proposed: { leg: ProposedLeg; quoteId: string | null; expiresAt: string | null },
  lifted: Partial<Pick<Terms, 'maxFeePerGas' | 'maxPriceImpact'>> = {},
): Promise<CheckedPlan> => {
  const { about, terms: kept } = plan as StoredPlan
  const terms = decodeTerms(kept)
  const { leg, quoteId, expiresAt } = proposed
  return checkProposal(
    context,
    { id, kind, wallet, request, about, quoteId, expiresAt, nonce: null, legs: [leg] },
    { ...terms, ...lifted },
  )
}

/** Replaces the unsigned steps of a leg by a checked new leg. */
export function replaceLegPlan(
  context: ExecutionContext,
  operation: Operation,
  { leg, role: only }: ReplannableLeg,
  { proposal, steps, terms, bounds, hash, assurance }: CheckedPlan,
  why: string,
): Operation {
  const { journal } = context
  const kept = operation.plan as StoredPlan
  const { intent } = proposal.legs[0]!
  const stay = operation.steps.filter((step) => step.leg !== leg || !isUnsigned(step))
  const first = Math.max(-1, ...stay.map(({ index }) => index)) + 1
  const acted = only === 'fee' && actionIntent(kept, leg)
  const plan: StoredPlan = {
    ...kept,
    ...(acted && { acted: { ...kept.acted, [leg]: acted } }),
    since: { ...kept.since, [leg]: first },
    intents: kept.intents.map((old, at) => (at === leg ? intent && encodeIntent(intent) : old)),
    ...(proposal.quoteId !== null && { quoteId: proposal.quoteId, quotesBefore: quoteIds(kept) }),
    expiresAt: proposal.expiresAt,
    planHash: hash,
    assurance,
    nonce: null,
    terms: encodeTerms(terms),
    ...(bounds[0] && { bounds: { ...kept.bounds, [leg]: storedFeeBound(bounds[0], first) } }),
  }
  journal.replan(operation.id, leg, {
    plan,
    steps: steps.map(({ role, text, transaction }) => ({ role: only ?? role, text, transaction })),
    orders: orderIdsOf(context, proposal.legs),
    why,
  })
  if (operation.state === 'ATTENTION' || operation.state === 'PARTIAL')
    journal.settle(operation.id, 'EXECUTING', `planned anew: ${why}`)
  return journal.find(operation.id)!
}
