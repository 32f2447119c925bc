import { parseUnits } from 'viem/utils'
import { type Network, networkNamed } from '../domain/networks.ts'
import type { StoredFeeBound, StoredPlan } from '../guard/intent-json.ts'
import type { LoadedPolicy } from '../guard/policy/policy.ts'
import type { Simulation } from '../guard/simulation/result.ts'
import { decodeTerms, feeCapOf, type Terms } from '../guard/terms.ts'
import type { Operation, Step } from '../store/journal/operation.ts'
import type { StepJournal } from '../store/journal/types.ts'

/** The most that a leg may cost in gas, as its plan shows it: wei a unit, and in all where the gas is known. */
export type FeeBound = { feeCap: bigint; maxCost: bigint | null }

/** How many times the fee of now the bound is: the market moves until the last step is signed, and fees are raised for what waits. */
const room = 2n

/** What a plan allows itself to pay for gas, by what a unit costs now; never more than the person and the policy allow. */
export function computeFeeBound(
  { fees, gas }: Pick<Simulation, 'fees' | 'gas'>,
  terms: Terms,
  { decimals }: Network['native'],
): FeeBound {
  const feeCap = least([room * fees.maxFeePerGas, feeCapOf(terms)])!
  const cost = gas.length === 0 ? null : gas.reduce((sum, limit) => sum + limit, 0n) * feeCap
  return { feeCap, maxCost: cost === null ? null : least([cost, totalOf(terms, decimals)]) }
}

/** A bound as the journal keeps it. */
export const storedFeeBound = ({ feeCap, maxCost }: FeeBound, from: number): StoredFeeBound => ({
  feeCap: feeCap.toString(),
  maxCost: maxCost === null ? null : maxCost.toString(),
  from,
})

/** What a step that is about to be signed is held against. `lifted` is what the person allows beyond the plan, in wei a unit. */
type CapQuestion = {
  journal: StepJournal
  operation: Operation
  networks: readonly Network[]
  lifted: bigint | undefined
  /** What the machine allows now, where that is something else than the operation was begun with. */
  present: LoadedPolicy | null
}

/**
 * The most that a unit of gas of this step may cost now, whatever a node says: by the bound of its leg, by the person, and
 * by the policy, which also limits all steps together. `lifted` takes the place of the first two, never of the policy.
 */
export function stepFeeCap(
  { journal, operation, networks, lifted, present }: CapQuestion,
  step: Step,
  gas: bigint,
): bigint | null {
  const { terms: kept, bounds } = operation.plan as StoredPlan
  const terms = decodeTerms(kept)
  const bound = lifted === undefined ? bounds?.[step.leg] : undefined
  const { native } = networkNamed(networks, step.transaction.chainId)
  const others = operation.steps.filter(({ index }) => index !== step.index)
  /** What is left of a sum for this step, a unit of gas. */
  const left = (sum: bigint | null, counted: (other: Step) => boolean): bigint | null =>
    // What was raised beyond the plan for another step leaves nothing of it for this one.
    sum === null ? null : larger(0n, sum - signedFor(journal, operation.id, others.filter(counted))) / gas
  const isSameCoin = ({ transaction: { chainId } }: Step) =>
    networkNamed(networks, chainId).native.symbol === native.symbol
  return least([
    feeCapOf(lifted === undefined ? terms : { ...terms, maxFeePerGas: lifted }),
    feeCapOf({ maxFeePerGas: null, policy: present }),
    bound ? BigInt(bound.feeCap) : null,
    bound && bound.maxCost !== null
      ? left(BigInt(bound.maxCost), ({ leg, index }) => leg === step.leg && index >= bound.from)
      : null,
    left(totalOf(terms, native.decimals), isSameCoin),
    left(totalOf({ policy: present }, native.decimals), isSameCoin),
  ])
}

/** What the gas of steps can cost as it is signed. Of the attempts of a step one is mined at most: the dearest counts. */
const signedFor = (journal: StepJournal, id: string, steps: readonly Step[]): bigint =>
  steps.reduce(
    (sum, { index }) =>
      sum +
      journal
        .attempts(id, index)
        .reduce((most, { gas, maxFeePerGas }) => larger(most, gas * maxFeePerGas), 0n),
    0n,
  )

/** The most that a policy allows for the gas of an operation, in the smallest unit of the coin. */
const totalOf = ({ policy }: Pick<Terms, 'policy'>, decimals: number): bigint | null => {
  const total = policy?.policy.maxTotalFee
  return total === undefined ? null : parseUnits(total, decimals)
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const least = (limits: readonly (bigint | null)[]): bigint | null =>
  limits.reduce((least, limit) => (least === null || (limit !== null && limit < least) ? limit : least), null)
