import { isFreshSnapshot } from '../../chain/head-fees-nonces-snapshot.ts'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { quoteIds, type StoredPlan } from '../../guard/stored-plan.ts'
import { decodeTerms } from '../../guard/user-limits-and-exemptions.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import { stepFeeCap } from '../../planning/fee-bound.ts'
import type { LegReads } from '../../planning/leg-simulation.ts'
import type { TransactionSigner } from '../../signing/signer.ts'
import type { Operation, Step } from '../../store/journal/operation-types.ts'
import { checkDelivery } from '../bridge/delivery-check.ts'
import { executeOperation } from '../execution/execute-operation.ts'
import { fileLocks } from '../nonces/wallet-lock.ts'
import { readResult } from '../outcome/received-amount.ts'
import type { Execution, FeeCap, Progress } from '../run.ts'
import { changedPolicy, checkLegBeforeSigning } from './leg-checks-before-signing.ts'

/**
 * The options of a run. `delivered` returns the delivery hash of a later leg as soon as the service knows it by one
 * of the quote ids.
 */
export type RunOptions = Pick<
  Execution,
  | 'depth'
  | 'pinnedNonces'
  | 'queueBehind'
  | 'pipeline'
  | 'replacement'
  | 'onlySigned'
  | 'bumpDelay'
  | 'mineBlocks'
  | 'noWait'
  | 'onLastMined'
> & {
  /** A gas price allowed beyond the plan, in wei a unit; a policy still applies. */
  maxFeePerGas?: bigint
  /** The plan's chain reads for its first leg, if the plan was made in this process. */
  firstLeg?: LegReads | null
  account: TransactionSigner
  timeoutMs: number
  signal: AbortSignal
  onProgress: (progress: Progress) => void
  delivered: (quotes: readonly string[]) => Promise<Hex | undefined>
  fault?: (point: string) => void
}

/**
 * Executes an operation to its end, or continues where an earlier run stopped. Every leg is guarded just before its
 * first signature and simulated on a fresh block.
 */
export async function runOperation(
  context: ExecutionContext,
  operation: Operation,
  how: RunOptions,
): Promise<Operation> {
  const { catalog, rpc, journal, locks } = context
  const { account, delivered, firstLeg, maxFeePerGas: lifted, ...way } = how
  const planNow = () => (journal.find(operation.id)?.plan ?? operation.plan) as StoredPlan
  const { nonce } = planNow()
  const first = operation.legs[0]?.chainId
  const nonces = how.pinnedNonces ?? (nonce === null || first === undefined ? undefined : { [first]: nonce })
  const { networks, tokens } = catalog
  // With an unreadable policy, nothing new is signed, but signed transactions are still followed or cancelled.
  const present = await changedPolicy(context, decodeTerms(planNow().terms)).catch((fault: unknown) => {
    if (fault instanceof AppError) return fault
    throw fault
  })
  const policyFor = (kind: Parameters<FeeCap>[2]) => {
    // A later limit must never prevent a cancellation.
    if (kind === 'cancel') return null
    if (present instanceof AppError) throw present
    return present
  }
  const approve = runOnce(() => approveAll(account, journal.find(operation.id) ?? operation))
  // A plan that was just made is signed next: the signing process checks it while this process reserves a nonce. A
  // refusal is reported when the step is signed.
  if (firstLeg) approve().catch(() => undefined)
  return executeOperation({
    ...way,
    ...(nonces && { pinnedNonces: nonces }),
    feeCap: (step, gas, kind, more = lifted) => {
      const now = journal.find(operation.id) ?? operation
      return stepFeeCap(
        { journal, operation: now, networks, lifted: more, present: policyFor(kind) },
        step,
        gas,
      )
    },
    journal,
    operationId: operation.id,
    signer: account,
    rpc,
    networks,
    tokens,
    lock: fileLocks(locks),
    deadlineOf: ({ leg }) => deadlineIn(planNow().intents[leg]),
    reportedDelivery: async () => delivered(quoteIds(planNow())),
    checkDelivery: (reportedHash) =>
      checkDelivery(context, journal.find(operation.id)!, reportedHash, way.depth),
    readResult: () => readResult({ rpc, catalog }, journal.find(operation.id)!),
    approve,
    planCheck: ({ leg }) =>
      leg === 0 && firstLeg
        ? { ageMs: performance.now() - firstLeg.at, block: Number(firstLeg.simulation.blockNumber) }
        : undefined,
    plannedView: ({ leg }, step) => (leg === 0 && firstLeg ? plannedView(firstLeg, step) : undefined),
    beforeLeg: (leg, left, now) =>
      checkLegBeforeSigning(context, operation.id, leg, left, {
        lifted,
        now,
        ...(leg.leg === 0 && firstLeg && { planned: firstLeg }),
      }),
  })
}

/**
 * Returns the wallet view that a plan of this process has read, while it is fresh, for the plan's first transaction.
 * The gas limit is the simulated one.
 */
function plannedView(
  { snapshot, simulation, transactions }: LegReads,
  { transaction }: Step,
): ReturnType<NonNullable<Execution['plannedView']>> {
  const [gas] = simulation.gas
  const [planned] = transactions
  const isPlanned =
    planned?.to === transaction.to && planned.data === transaction.data && planned.value === transaction.value
  if (!isPlanned || gas === undefined || !snapshot?.counts || !isFreshSnapshot(snapshot, snapshot.chainId))
    return undefined
  const { common, lowest, counts, tips } = snapshot
  const view = { head: common.head, lowest, counts, gasAndFees: Promise.resolve({ estimate: { gas }, tips }) }
  return { ageMs: performance.now() - snapshot.at, view }
}

/** Runs the work once and shares its promise. */
function runOnce(work: () => Promise<void>): () => Promise<void> {
  let shown: Promise<void> | undefined
  return () => {
    shown ??= work()
    return shown
  }
}

/** Shows the signer the whole rest of an operation, leg by leg. */
async function approveAll({ approve }: TransactionSigner, { steps, legs, plan }: Operation): Promise<void> {
  const { intents, since, terms, planHash, quoteId } = plan as StoredPlan
  const { allow, allowTokens, maxServiceFeeBps } = decodeTerms(terms)
  const open = legs.flatMap(({ leg, chainId }) => {
    const of = steps.filter((step) => step.leg === leg && step.index >= (since?.[leg] ?? 0))
    const intent = intents[leg]
    if (!intent || of.every(({ state }) => state === 'FINAL_OK')) return []
    const transactions = of.map(({ transaction: { to, data, value, chainId: on } }) => ({
      to,
      data,
      value: value.toString(),
      chainId: on,
    }))
    return [{ chainId, intent, transactions }]
  })
  // Approvals were made exact before they were recorded, so here each must be exact.
  const vouched = {
    allow,
    allowTokens,
    ...(maxServiceFeeBps !== undefined && { maxServiceFeeBps }),
  }
  await approve?.({ legs: open, vouched, planHash, quoteId })
}

/** Returns the time in Unix seconds after which the action of a leg can only fail. */
const deadlineIn = (intent: StoredPlan['intents'][number] | undefined): number | undefined =>
  typeof intent?.deadline === 'number' ? intent.deadline : undefined
