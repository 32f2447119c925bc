import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { plain } from '../../domain/text.ts'
import { nativeToken } from '../../domain/token.ts'
import {
  type AssuranceFacts,
  type AssuranceLevel,
  assuranceOf,
  reachesLevel,
  refuseLowAssurance,
} from '../../guard/assurance.ts'
import { checkLeg } from '../../guard/guard.ts'
import { decodeIntent, type StoredPlan } from '../../guard/intent-json.ts'
import type { LoadedPolicy } from '../../guard/policy/policy.ts'
import { dayMs, enforceRules, policyLimits, policyRules } from '../../guard/policy/rules.ts'
import { type CheckedLeg, calldataDeadline, slippageOf, spendsByAsset } from '../../guard/spending.ts'
import { decodeTerms, feeCapOf, type Terms } from '../../guard/terms.ts'
import type { ExecutionContext } from '../../planning/context.ts'
import { checkLaterLegs } from '../../planning/later-legs.ts'
import { simulatePlannedLeg } from '../../planning/leg-simulation.ts'
import type { ProposedLeg } from '../../planning/proposal.ts'
import { checkTarget } from '../../planning/target-check.ts'
import { actionAmong, feesOf, paymentOf } from '../../protocols/service-fee.ts'
import type { Leg, Operation, Step } from '../../store/journal/operation.ts'

/**
 * The policy of the machine as it is now, where it is another one than the operation was begun with; `null` where it is the same, where
 * there is none, and where another was named in its place.
 */
export async function changedPolicy(
  { policy: present }: ExecutionContext,
  { policy: begun }: Pick<Terms, 'policy'>,
): Promise<LoadedPolicy | null> {
  const now = begun?.named ? null : ((await present?.()) ?? null)
  return now?.sha256 === begun?.sha256 ? null : now
}

/**
 * Guards a whole leg as it was planned, by the terms that it was planned with, tries what is left of it on the chain as it
 * is now, and reserves what the operation moves against the limits per day. Under the wallet's lock, just before the
 * first signature of the leg. `lifted` is what a unit of gas may cost beyond the plan. Gives the gas limits that were enough, none where nothing could be simulated.
 */
export async function checkLegBeforeSigning(
  context: ExecutionContext,
  operationId: string,
  leg: Leg,
  left: readonly Step[],
  lifted?: bigint,
): Promise<readonly bigint[]> {
  const { catalog, journal } = context
  // What will be signed is what the journal holds now, so that is what is guarded.
  const operation = journal.find(operationId)
  if (!operation)
    throw new AppError('ACTION_NOT_FOUND', `There is no operation ${operationId} in the journal`)
  const plan = operation.plan as StoredPlan
  const kept = plan.intents[leg.leg]
  if (!kept) throw new AppError('BUG', `Leg ${leg.leg} has transactions and no purpose`)
  const intent = decodeIntent(kept, catalog)
  const asPlanned = decodeTerms(plan.terms)
  const present = await changedPolicy(context, asPlanned)
  const policies = [asPlanned.policy, present].flatMap((one) => one ?? [])
  // What a unit of gas may cost by the policy of now is what is tried with, as it would be in a new plan.
  const maxFeePerGas = feeCapOf({ maxFeePerGas: lifted ?? asPlanned.maxFeePerGas, policy: present })
  const terms = { ...asPlanned, maxFeePerGas }
  const { chainId } = leg
  const since = plan.since?.[leg.leg] ?? 0
  const all = operation.steps
    .filter((step) => step.leg === leg.leg && step.index >= since)
    .map(({ transaction }) => transaction)
  // Approvals were made exact before they were written down: here each must be exact.
  const vouched = { ...terms, exactAllowance: 'refuse' } as const
  const steps = checkLeg({ intent, chainId, transactions: all, catalog, vouched })
  const call = steps.find(({ role }) => role === 'action')?.call
  const isPaidOnly = left.every(({ role }) => role === 'fee')
  const inHand = {
    chainId,
    intent,
    transactions: left.map(({ transaction }) => transaction),
    ...calldataDeadline(intent, call),
  }
  const chains = operation.legs.map((one) => one.chainId)
  const [place, simulation] = await Promise.all([
    checkTarget(context, { ...inHand, transactions: all }, terms),
    // Once the action is done, what is left is the payment of its fees, and is tried as such.
    simulatePlannedLeg(
      context,
      isPaidOnly ? feesAlone(inHand) : inHand,
      isPaidOnly ? { ...terms, asserts: [] } : terms,
      chains,
    ),
  ])
  // What is sent to another chain cannot be taken back: it must still be of use there.
  if (!isPaidOnly) await checkLaterLegs(context, laterLegs(context, operation, leg), terms)
  const assurance = assuranceNow(plan, terms, {
    simulation: simulation.how,
    code: place?.contract.state ?? 'pinned',
  })
  refuseLowAssurance(assurance, terms.lowest, 'what was asked for')
  for (const { policy } of policies) {
    const { perDay: _, ...rules } = policy
    enforceRules(
      policyRules(rules, catalog, {
        legs: [
          { intent, action: actionAmong(intent, all).to, slippage: slippageOf(intent, plan.about.amounts) },
        ],
        standing: [place?.standing ?? []].flat(),
        networks: catalog.networks,
        simulation,
        coin: nativeToken(networkNamed(catalog.networks, chainId)),
        assurance,
        untried: place?.contract.state === 'new' ? place.contract.address : undefined,
        at: context.now(),
        quoteAgeMs: null,
        held: () => 0n,
      }),
    )
  }
  reserve(context, operation, policies)
  return simulation.gas
}

/** The legs of an operation that come after one, as they were planned. */
const laterLegs = (
  { catalog }: ExecutionContext,
  { legs, steps, plan }: Operation,
  { leg: at }: Leg,
): ProposedLeg[] =>
  legs.flatMap(({ leg, chainId, arrival }) => {
    const kept = (plan as StoredPlan).intents[leg]
    const of = steps.filter((step) => step.leg === leg && step.state === 'PLANNED')
    return leg > at && kept && arrival
      ? [
          {
            chainId,
            arrival,
            intent: decodeIntent(kept, catalog),
            transactions: of.map((step) => step.transaction),
          },
        ]
      : []
  })

/** What is left of a leg when only fees are not paid: as many as there are transactions, and they are paid in their order. */
function feesAlone({ chainId, intent, transactions }: CheckedLeg): CheckedLeg {
  const fees = feesOf(intent)
  // A payment that was planned anew is itself the first of them.
  const left = fees.length < transactions.length ? undefined : fees.slice(-transactions.length)
  return { chainId, intent: (left && paymentOf(intent, left)) ?? intent, transactions }
}

/** The assurance that a plan was made with, or a lower one where less can be checked now. */
function assuranceNow(
  plan: StoredPlan,
  { canAsk }: Terms,
  now: Pick<AssuranceFacts, 'simulation' | 'code'>,
): AssuranceLevel {
  const level = assuranceOf({ ...now, canAsk, reference: 'unknown' })
  const before = plan.assurance as AssuranceLevel
  return reachesLevel(before, level) ? level : before
}

/** Holds all that an operation moves, so that operations together never move more than a day allows. POLICY_LIMIT when it does not fit. */
function reserve(
  { journal, catalog, now }: ExecutionContext,
  { id, plan }: Operation,
  policies: readonly LoadedPolicy[],
): void {
  const { intents } = plan as StoredPlan
  const moved = spendsByAsset(intents.flatMap((kept) => (kept ? [decodeIntent(kept, catalog)] : [])))
  const limits = policies.map(({ policy }) => policyLimits(policy.perDay, catalog))
  const limitOf = (asset: string): bigint | null =>
    limits
      .flatMap((of) => of.get(asset)?.amount ?? [])
      .reduce<bigint | null>((least, one) => (least === null || one < least ? one : least), null)
  const misfit = journal.holdAmounts(
    id,
    [...moved].map(([asset, { amount }]) => ({
      asset,
      amount,
      limit: limitOf(asset),
      since: now() - dayMs,
    })),
  )
  if (!misfit) return
  const { token } = moved.get(misfit.row.asset)!
  const shown = (amount: bigint) => formatAmount(amount, { ...token, symbol: plain(token.symbol) })
  throw new AppError(
    'POLICY_LIMIT',
    `The policy does not allow this: ${shown(misfit.row.amount)} beside ${shown(misfit.held)} of the last 24 hours is more than ${shown(misfit.row.limit ?? 0n)} a day`,
    { details: { rule: 'perDay', asset: misfit.row.asset, held: misfit.held.toString() } },
  )
}
