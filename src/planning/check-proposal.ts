import type { ChainSnapshot } from '../chain/consistent-head.ts'
import { currentFees } from '../chain/gas-fees.ts'
import { readHead } from '../chain/head.ts'
import { refuseExcessiveGas } from '../chain/refuse-excessive-gas.ts'
import type { StandingAllowance } from '../chain/standing-allowance.ts'
import { AppError } from '../domain/errors.ts'
import { networkNamed } from '../domain/networks.ts'
import { shortPercent } from '../domain/price-impact-share.ts'
import { advice, sluice } from '../domain/text/next-step.ts'
import { nativeToken } from '../domain/token.ts'
import {
  type AssuranceFacts,
  type AssuranceLevel,
  assuranceOf,
  refuseLowAssurance,
} from '../guard/assurance.ts'
import { checkLeg, type DecodedStep } from '../guard/calldata-against-intent.ts'
import { calldataDeadline } from '../guard/intent-recipient-and-deadline.ts'
import { hashPlan } from '../guard/plan-hash.ts'
import type { PolicyFacts } from '../guard/policy/policy-facts.ts'
import { enforceRules, policyRules } from '../guard/policy/rules.ts'
import type { Simulation } from '../guard/simulation/simulate.ts'
import type { Terms } from '../guard/user-limits-and-exemptions.ts'
import { actionAmong } from '../protocols/service-fees-of-intent.ts'
import {
  type Comparison,
  checkPrice,
  compareWithReference,
  type ReferenceQuote,
  type SlippageEstimate,
  slippageEstimates,
} from './compare-with-own-engine.ts'
import type { CheckedContract } from './contract-code-pins.ts'
import { withUnknownPayoutNote } from './deposit-withdraw-previews.ts'
import type { ExecutionContext } from './execution-context-types.ts'
import { computeFeeBound, type FeeBound } from './fee-bound.ts'
import { checkLaterLegs, type LaterLegCost } from './later-leg-checks.ts'
import { type LegReads, simulatePlannedLeg } from './leg-simulation.ts'
import { checkTarget } from './onchain-target-check.ts'
import { refuseUsedOrders } from './order-checks.ts'
import { isTransfer, type PriceImpact, priceImpacts, refusePriceImpact } from './price-impact.ts'
import { activeLegs, type Proposal, planCore } from './proposal.ts'
import { isMinimumUnproven } from './swap-payout-guarantees.ts'

type CheckedWithoutPolicy = {
  proposal: Proposal
  impacts: readonly PriceImpact[]
  slips: readonly SlippageEstimate[]
  contracts: readonly CheckedContract[]
} & Pick<PolicyFacts, 'simulation' | 'assurance' | 'standing'>

/** The facts of a checked plan that a policy is compared with. */
export function policyFacts(
  { catalog, journal, now }: ExecutionContext,
  checked: CheckedWithoutPolicy,
): PolicyFacts {
  const { proposal, simulation, assurance, impacts, slips, contracts } = checked
  const at = now()
  return {
    legs: activeLegs(proposal).map(({ intent, transactions, at: leg }) => ({
      intent,
      action: actionAmong(intent, transactions).to,
      slippage: slips.find((one) => one.leg === leg)?.share,
      ...impacts.filter((one) => one.leg === leg).map(({ share }) => ({ impact: share }))[0],
    })),
    standing: checked.standing,
    networks: catalog.networks,
    simulation,
    coin: nativeToken(networkNamed(catalog.networks, proposal.legs[0]!.chainId)),
    assurance,
    untried: contracts.find(({ state }) => state === 'new')?.address,
    at,
    quoteAgeMs: quoteAge(proposal.expiresAt, at),
    held: (asset, since) => journal.heldAmount(proposal.wallet, asset, since, proposal.id),
  }
}

/** The longest life of a quote, in ms: one with less time left is at least that much older. */
const quoteLifeMs = 300_000

const quoteAge = (expiresAt: string | null, at: number): number | null =>
  expiresAt === null ? null : Math.max(0, quoteLifeMs - (Date.parse(expiresAt) - at))

/** A proposal that was found to do exactly what was asked, by these terms. Its approvals are exact. */
export type CheckedPlan = {
  proposal: Proposal
  terms: Terms
  steps: (DecodedStep & { leg: number })[]
  contracts: CheckedContract[]
  /** Standing allowances beyond what this needs. */
  standing: StandingAllowance[]
  /** The price impact of the exchange legs. */
  impacts: PriceImpact[]
  /** The possible slippage of the exchange legs, and by whose price. */
  slips: SlippageEstimate[]
  simulation: Simulation | null
  /** What was read of the chain for the first leg. */
  firstLeg: LegReads | null
  later: readonly LaterLegCost[]
  /** The gas bound of each leg. */
  bounds: Readonly<Record<number, FeeBound>>
  reference: Comparison
  hash: string
  assurance: AssuranceLevel
}

/**
 * Guards every leg, checks the contracts, simulates the first leg, and applies the terms. Throws on any violation; nothing is
 * signed. `snapshot` is what was just read of the first leg's chain.
 */
export async function checkProposal(
  context: ExecutionContext,
  proposed: Proposal,
  terms: Terms,
  opinion?: ReferenceQuote,
  snapshot?: ChainSnapshot,
): Promise<CheckedPlan> {
  const checked = await checkWithoutPolicy(context, proposed, terms, opinion, snapshot)
  refuseLowAssurance(checked.assurance, terms.lowest, 'the request')
  if (terms.policy)
    enforceRules(
      policyRules(terms.policy.policy, context.catalog, policyFacts(context, checked)),
      terms.policy,
    )
  return checked
}

/** The same without the checks of assurance and policy. */
export async function checkWithoutPolicy(
  context: ExecutionContext,
  proposed: Proposal,
  terms: Terms,
  opinion?: ReferenceQuote,
  snapshot?: ChainSnapshot,
): Promise<CheckedPlan> {
  const steps = guardedSteps(context, proposed, terms)
  const proposal = {
    ...proposed,
    legs: proposed.legs.map((leg, at) => ({ ...leg, transactions: of(steps, at) })),
  }
  const slips = slippageEstimates(opinion, proposal)
  checkPrice(opinion, proposal)
  checkSlippage(proposal, slips, terms)
  const active = activeLegs(proposal)
  const first = active.find(({ at }) => at === 0)
  const chains = proposal.legs.map(({ chainId }) => chainId)
  const at = performance.now()
  const inHand = first && { ...first, ...calldataDeadline(first.intent, callOf(steps, 0)) }
  const simulating = inHand ? simulatePlannedLeg(context, inHand, terms, chains, snapshot) : null
  simulating?.catch(() => undefined) // Awaited below: what is wrong with the contracts is reported first.
  const ordersChecked = refuseUsedOrders(context, proposal.id, proposal.legs)
  ordersChecked.catch(() => undefined) // Awaited below too.
  const [reference, impacts, ...all] = await Promise.all([
    compareWithReference(opinion, proposal),
    priceImpacts(context, proposal, opinion?.worth),
    ...active.map((leg) => checkTarget(context, leg, terms)),
  ])
  await ordersChecked
  const places = all.filter((place) => place !== undefined)
  const contracts = places.map(({ contract }) => contract)
  const simulation = await simulating
  // Missing funds are reported first.
  refusePriceImpact(impacts, terms)
  const later = first ? await checkLaterLegs(context, proposal.legs.slice(1), terms) : []
  const assurance = assuranceOf({
    simulation: simulation?.how ?? 'unavailable',
    code: leastKnownState(contracts),
    reference,
    isWord:
      slips.some(({ by }) => by === 'service') || active.some(({ intent }) => isMinimumUnproven(intent)),
    canAsk: terms.canAsk,
  })
  return {
    proposal,
    terms,
    steps: steps.map((step) => withUnknownPayoutNote(step, simulation)),
    contracts,
    impacts,
    slips,
    standing: places.flatMap(({ standing }) => standing ?? []),
    simulation,
    firstLeg:
      first && simulation
        ? { at, transactions: first.transactions, target: all[active.indexOf(first)], simulation, snapshot }
        : null,
    later,
    bounds: await legFeeBounds(context, active, simulation, terms),
    reference,
    hash: hashPlan(planCore(proposal)),
    assurance,
  }
}

/** Guards every leg of a proposal by its calldata. */
const guardedSteps = (
  { catalog }: Pick<ExecutionContext, 'catalog'>,
  proposal: Proposal,
  vouched: Terms,
): CheckedPlan['steps'] =>
  activeLegs(proposal).flatMap(({ at: leg, ...one }) =>
    checkLeg({ ...one, catalog, vouched, isProposed: true }).map((step) => ({ ...step, leg })),
  )

/** Checks a plan by its calldata alone, without a chain. */
export function checkCalldata(
  context: Pick<ExecutionContext, 'catalog'>,
  proposal: Proposal,
  terms: Terms,
): CheckedPlan {
  return {
    proposal,
    terms,
    steps: guardedSteps(context, proposal, terms),
    contracts: [],
    impacts: [],
    slips: [],
    standing: [],
    simulation: null,
    firstLeg: null,
    later: [],
    bounds: {},
    reference: 'unknown',
    hash: hashPlan(planCore(proposal)),
    assurance: 'L1',
  }
}

/** The gas bound of each leg by current fees; for the first leg by its simulation. */
async function legFeeBounds(
  { rpc, catalog }: ExecutionContext,
  legs: readonly { at: number; chainId: number }[],
  simulation: Simulation | null,
  terms: Terms,
): Promise<CheckedPlan['bounds']> {
  const bounds = legs.map(async ({ at, chainId }) => {
    const node = rpc(chainId)
    const known =
      at === 0 && simulation
        ? simulation
        : { gas: [], fees: await currentFees(node, await readHead(node, chainId)) }
    refuseExcessiveGas({ gas: 0n, ...known.fees }, terms.maxFeePerGas)
    return [at, computeFeeBound(known, terms, networkNamed(catalog.networks, chainId).native)] as const
  })
  return Object.fromEntries(await Promise.all(bounds))
}

const of = (steps: readonly (DecodedStep & { leg: number })[], at: number) =>
  steps.filter(({ leg }) => leg === at).map(({ transaction }) => transaction)

const callOf = (steps: readonly (DecodedStep & { leg: number })[], at: number) =>
  steps.find(({ leg, role }) => leg === at && role === 'action')?.call

/** From best to least known. */
const codeStates: readonly AssuranceFacts['code'][] = ['pinned', 'trusted', 'new', 'vouched']

/** The least known code state among some contracts; `pinned` without any. */
const leastKnownState = (contracts: readonly CheckedContract[]): AssuranceFacts['code'] =>
  codeStates[Math.max(0, ...contracts.map(({ state }) => codeStates.indexOf(state)))]!

/** Checks that the promised amount respects the person's slippage, beyond what was requested. */
export function checkSlippage(
  proposal: Proposal,
  slips: readonly SlippageEstimate[],
  { maxSlippage }: Terms,
): void {
  if (maxSlippage === null) return
  for (const { intent, at } of activeLegs(proposal)) {
    if (intent.kind !== 'swap' || isTransfer(intent)) continue
    const found = slips.find(({ leg }) => leg === at)?.share
    if (found !== undefined && found <= maxSlippage + 1e-6) continue
    throw new AppError(
      'POLICY_MIN_OUT',
      `The quote leaves ${found === undefined ? 'an unknown slippage' : `a slippage of ${shortPercent(found)}`}, the requested maximum is ${shortPercent(maxSlippage)}`,
      { next: advice`Get a new quote: ${sluice('swap quote', { '--help': true })}` },
    )
  }
}
