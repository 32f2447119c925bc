import { parseUnits } from 'viem/utils'
import { boundWithBumps } from '../chain/fee-bumps.ts'
import { type Network, networkNamed } from '../domain/networks.ts'
import type { LoadedPolicy } from '../guard/policy/policy-file.ts'
import type { Simulation } from '../guard/simulation/simulate.ts'
import type { StoredFeeBound, StoredPlan } from '../guard/stored-plan.ts'
import { decodeTerms, feeCapOf, type Terms } from '../guard/user-limits-and-exemptions.ts'
import type { StepJournal } from '../store/journal/journal-interface.ts'
import type { Operation, Step } from '../store/journal/operation-types.ts'

/** The gas bound of a leg as its plan shows it: wei a unit, and in total if the gas is known. */
export type FeeBound = { feeCap: bigint; maxCost: bigint | null }

/** The gas bound of a plan by current fees, with room for the bumps of its transactions, within what the person and the policy allow. */
export function computeFeeBound(
  { fees, gas }: Pick<Simulation, 'fees' | 'gas'>,
  terms: Terms,
  { decimals }: Network['native'],
): FeeBound {
  const feeCap = least([boundWithBumps(fees.maxFeePerGas), feeCapOf(terms)])!
  const cost = gas.length === 0 ? null : gas.reduce((sum, limit) => sum + limit, 0n) * feeCap
  return { feeCap, maxCost: cost === null ? null : least([cost, policyGasTotal(terms, decimals)]) }
}

/** A fee bound as the journal stores it. */
export const storedFeeBound = ({ feeCap, maxCost }: FeeBound, from: number): StoredFeeBound => ({
  feeCap: feeCap.toString(),
  maxCost: maxCost === null ? null : maxCost.toString(),
  from,
})

/** The input for the fee cap of a step. `lifted` is a price that the person allows beyond the plan, in wei a unit. */
type CapQuestion = {
  journal: StepJournal
  operation: Operation
  networks: readonly Network[]
  lifted: bigint | undefined
  /** The machine's current policy, if it differs from the one at the start. */
  present: LoadedPolicy | null
}

/**
 * The highest gas price of this step, whatever a node says: by the bound of its leg, the person, and the policy, which also limits
 * all steps together. `lifted` replaces the first two, never the policy.
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
  /** What remains of a total for this step, in wei a unit of gas. */
  const left = (sum: bigint | null, counted: (other: Step) => boolean): bigint | null =>
    // A bump of another step beyond the plan can use up the total.
    sum === null ? null : larger(0n, sum - signedGasCost(journal, operation.id, others.filter(counted))) / gas
  const isSameCoin = ({ transaction: { chainId } }: Step) =>
    networkNamed(networks, chainId).native.symbol === native.symbol
  return least([
    feeCapOf(lifted === undefined ? terms : { ...terms, maxFeePerGas: lifted }),
    feeCapOf({ maxFeePerGas: null, policy: present }),
    bound ? BigInt(bound.feeCap) : null,
    bound && bound.maxCost !== null
      ? left(BigInt(bound.maxCost), ({ leg, index }) => leg === step.leg && index >= bound.from)
      : null,
    left(policyGasTotal(terms, native.decimals), isSameCoin),
    left(policyGasTotal({ policy: present }, native.decimals), isSameCoin),
  ])
}

/** The most that the gas of signed steps can cost. At most one attempt of a step is mined: the dearest counts. */
const signedGasCost = (_journal: StepJournal, _id: string, steps: readonly Step[]): bigint =>
  steps.reduce(
    (sum, { attempts }) =>
      sum + attempts.reduce((most, { gas, maxFeePerGas }) => larger(most, gas * maxFeePerGas), 0n),
    0n,
  )

/** The policy's limit for the gas of an operation, in the smallest unit of the coin. */
const policyGasTotal = ({ policy }: Pick<Terms, 'policy'>, decimals: number): bigint | null => {
  const total = policy?.policy.maxTotalFee
  return total === undefined ? null : parseUnits(total, decimals)
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const least = (limits: readonly (bigint | null)[]): bigint | null =>
  limits.reduce((least, limit) => (least === null || (limit !== null && limit < least) ? limit : least), null)
