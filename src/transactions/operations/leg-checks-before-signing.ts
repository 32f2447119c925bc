import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { nativeToken } from '../../domain/token.ts'
import {
  type AssuranceFacts,
  type AssuranceLevel,
  assuranceOf,
  reachesLevel,
  refuseLowAssurance,
} from '../../guard/assurance.ts'
import { type CheckedLeg, checkLeg } from '../../guard/calldata-against-intent.ts'
import { decodeIntent } from '../../guard/intent-json.ts'
import { calldataDeadline } from '../../guard/intent-recipient-and-deadline.ts'
import { slippageOf } from '../../guard/intent-slippage.ts'
import type { LoadedPolicy } from '../../guard/policy/policy-file.ts'
import { askOwner, dayMs, enforceRules, policyLimits, policyRules } from '../../guard/policy/rules.ts'
import { spendsByAsset } from '../../guard/spending.ts'
import type { StoredPlan } from '../../guard/stored-plan.ts'
import { decodeTerms, feeCapOf, type Terms } from '../../guard/user-limits-and-exemptions.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import { checkLaterLegs } from '../../planning/later-leg-checks.ts'
import { isCheckFresh, type LegReads, simulatePlannedLeg } from '../../planning/leg-simulation.ts'
import { checkTarget } from '../../planning/onchain-target-check.ts'
import { refuseUsedOrders } from '../../planning/order-checks.ts'
import type { ProposedLeg } from '../../planning/proposal.ts'
import { actionAmong, paymentOf, stepFeesOf } from '../../protocols/service-fees-of-intent.ts'
import type { Leg, Operation, Step } from '../../store/journal/operation-types.ts'

/**
 * Returns the machine's current policy if it differs from the one at the start; `null` if it is the same, if there is
 * none, or if the operation started with another policy file.
 */
export async function changedPolicy(
  { policy: present }: ExecutionContext,
  { policy: begun }: Pick<Terms, 'policy'>,
): Promise<LoadedPolicy | null> {
  const now = begun?.named ? null : ((await present?.()) ?? null)
  return now?.sha256 === begun?.sha256 ? null : now
}

/**
 * Checks a leg just before its first signature, under the wallet's lock: guards the whole leg by its planned terms,
 * simulates the rest on the current chain, and holds the amounts against the daily limits. `lifted` is a gas price
 * allowed beyond the plan. The chain reads in `planned` are reused while they are fresh by `now` and nothing about
 * the leg has changed. Returns sufficient gas limits, or none if simulation was impossible.
 */
export async function checkLegBeforeSigning(
  context: ExecutionContext,
  operationId: string,
  leg: Leg,
  left: readonly Step[],
  {
    lifted,
    planned,
    now,
  }: { lifted?: bigint | undefined; planned?: LegReads | undefined; now: { block: number; nonce: number } },
): Promise<readonly bigint[]> {
  const { catalog } = context
  const { operation, plan, intent } = recordedLeg(context, operationId, leg)
  const asPlanned = decodeTerms(plan.terms)
  const present = await changedPolicy(context, asPlanned)
  const policies = [asPlanned.policy, present].flatMap((one) => one ?? [])
  // Simulated at the gas price that the current policy allows, as for a new plan.
  const maxFeePerGas = feeCapOf({ maxFeePerGas: lifted ?? asPlanned.maxFeePerGas, policy: present })
  const terms = { ...asPlanned, maxFeePerGas }
  const { chainId } = leg
  const since = plan.since?.[leg.leg] ?? 0
  const all = operation.steps
    .filter((step) => step.leg === leg.leg && step.index >= since)
    .map(({ transaction }) => transaction)
  // Approvals were made exact before they were recorded, so here each must be exact.
  const steps = checkLeg({ intent, chainId, transactions: all, catalog, vouched: terms })
  const call = steps.find(({ role }) => role === 'action')?.call
  const isPaidOnly = left.every(({ role }) => role === 'fee')
  const inHand = {
    chainId,
    intent,
    transactions: left.map(({ transaction }) => transaction),
    ...calldataDeadline(intent, call),
    recorded: { indexes: left.map(({ index }) => index), of: operation.steps.length },
  }
  const chains = operation.legs.map((one) => one.chainId)
  const isSame = lifted === undefined && present === null
  const known = planned && isSame && isCheckFresh(planned, inHand.transactions, now) ? planned : undefined
  const [place, simulation] = await Promise.all([
    known ? known.target : checkTarget(context, { ...inHand, transactions: all }, terms),
    known?.simulation ??
      (isPaidOnly
        ? simulateFees(context, inHand, terms, chains)
        : simulatePlannedLeg(context, inHand, terms, chains)),
  ])
  // A transfer to another chain cannot be undone: the later legs must still work there.
  if (!isPaidOnly && !known) {
    await refuseUsedOrders(context, operation.id, [inHand])
    await checkLaterLegs(context, laterLegs(context, operation, leg), terms)
  }
  const assurance = currentAssurance(plan, terms, {
    simulation: simulation.how,
    code: place?.contract.state ?? 'pinned',
  })
  refuseLowAssurance(assurance, terms.lowest, 'the request')
  const contract = place?.contract
  enforcePolicies(context, policies, () => ({
    legs: [{ intent, action: actionAmong(intent, all).to, slippage: slippageOf(intent, plan.about.amounts) }],
    standing: [place?.standing ?? []].flat(),
    networks: catalog.networks,
    simulation,
    coin: nativeToken(networkNamed(catalog.networks, chainId)),
    assurance,
    untried: contract?.state === 'new' ? contract.address : undefined,
    at: context.now(),
    quoteAgeMs: null,
    held: () => 0n,
  }))
  holdLimits(context, operation, policies)
  return simulation.gas
}

/** The operation, plan and intent of a leg by the journal: its transactions are the ones that will be signed. */
function recordedLeg({ journal, catalog }: ExecutionContext, operationId: string, { leg }: Leg) {
  const operation = journal.find(operationId)
  if (!operation) throw new AppError('ACTION_NOT_FOUND', `There is no action ${operationId} in the journal`)
  const plan = operation.plan as StoredPlan
  const kept = plan.intents[leg]
  if (!kept) throw new AppError('BUG', `Leg ${leg} has transactions but no intent`)
  return { operation, plan, intent: decodeIntent(kept, catalog) }
}

/** Refuses a leg by the rules of each policy, except its daily limits. */
function enforcePolicies(
  { catalog }: ExecutionContext,
  policies: readonly LoadedPolicy[],
  facts: () => Parameters<typeof policyRules>[2],
): void {
  for (const loaded of policies) {
    const { perDay: _, ...rules } = loaded.policy
    enforceRules(policyRules(rules, catalog, facts()), loaded)
  }
}

/**
 * Simulates the fee payments that remain after the action of a leg, once more if balances change meanwhile: the order that they follow may be
 * filled at any time.
 */
async function simulateFees(
  context: ExecutionContext,
  leg: CheckedLeg,
  terms: Terms,
  chains: readonly number[],
): ReturnType<typeof simulatePlannedLeg> {
  const simulate = () => simulatePlannedLeg(context, feesOnly(leg), { ...terms, asserts: [] }, chains)
  try {
    return await simulate()
  } catch (error) {
    if (error instanceof AppError && error.code === 'POLICY_SIMULATION') return simulate()
    throw error
  }
}

/** Returns the later legs of an operation as planned. */
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

/** Returns the rest of a leg if only its fees are unpaid. They are paid in order, one transaction each. */
function feesOnly({ intent, until: _, ...leg }: CheckedLeg): CheckedLeg {
  const { transactions } = leg
  const fees = stepFeesOf(intent)
  // If the payment was planned again, it is the first transaction itself.
  const left = fees.length < transactions.length ? undefined : fees.slice(-transactions.length)
  return { ...leg, intent: (left && paymentOf(intent, left)) ?? intent }
}

/** Returns the assurance of the plan, or a lower one if less can be checked now. */
function currentAssurance(
  plan: StoredPlan,
  { canAsk }: Terms,
  now: Pick<AssuranceFacts, 'simulation' | 'code'>,
): AssuranceLevel {
  const level = assuranceOf({ ...now, canAsk, reference: 'unknown' })
  const before = plan.assurance as AssuranceLevel
  return reachesLevel(before, level) ? level : before
}

/**
 * Holds all amounts of an operation, so that all operations together stay within the daily limits. POLICY_LIMIT if they do not fit.
 */
function holdLimits(
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
  const shown = (amount: bigint) => formatAmount(amount, { ...token, symbol: sanitizeText(token.symbol) })
  throw new AppError(
    'POLICY_LIMIT',
    `The policy does not allow this: ${shown(misfit.row.amount)} plus ${shown(misfit.held)} in the last 24 hours exceeds ${shown(misfit.row.limit ?? 0n)} per day`,
    {
      details: { rule: 'perDay', asset: misfit.row.asset, held: misfit.held.toString() },
      next: askOwner(),
    },
  )
}
