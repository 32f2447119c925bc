import type { FinalityDepth } from '../../chain/finality/finality.ts'
import { type FreshestClient, readFromFreshest } from '../../chain/freshest-node.ts'
import { undefinedIfUnanswered, withTimeout } from '../../chain/rpc/timeouts.ts'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { displayNetwork } from '../../domain/networks.ts'
import { isInFlight, isUnsigned } from '../../domain/step-state.ts'
import { decodeIntent } from '../../guard/intent-json.ts'
import { isDust } from '../../guard/simulation/deposit-loss-check.ts'
import type { StoredPlan } from '../../guard/stored-plan.ts'
import { decodeTerms } from '../../guard/user-limits-and-exemptions.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import { simulatePlannedLeg } from '../../planning/leg-simulation.ts'
import type { Operation, Step } from '../../store/journal/operation-types.ts'
import { wasReopened } from '../../store/journal/replan-and-reopen-writes.ts'
import { isCancelling } from '../../transactions/attempts/fee-bump.ts'
import { resultOf } from '../../transactions/bridge/delivery-result.ts'
import { supersedingHash } from '../../transactions/nonces/nonce-conflict.ts'
import { readNonceCounts } from '../../transactions/nonces/nonce-counts.ts'
import { isWalletBusy as isInHand } from '../../transactions/nonces/wallet-lock.ts'
import { bridgedAmount, receivedAmount } from '../../transactions/outcome/received-amount.ts'
import { isFinished } from '../../transactions/steps/operation-state.ts'
import { remainingAllowances } from '../remaining-allowances.ts'
import { successorOf } from '../successor-operation.ts'
import { readBridgeFacts } from './bridge-facts.ts'
import { readChainFacts, readStepFacts } from './chain-facts.ts'
import {
  type Blocker,
  type ChainFacts,
  decidingStep,
  type Facts,
  isUnderDelivery,
  type StepFacts,
} from './operation-facts.ts'

/** Gathers the facts of an operation from journal, chains and bridge. Read-only. */
export async function gatherFacts(
  asked: ExecutionContext,
  asFound: Operation,
  { depth, reportedHash }: { depth: FinalityDepth | undefined; reportedHash: Promise<string | null> },
): Promise<Facts> {
  const chainIds = asFound.legs.map(({ chainId }) => chainId)
  // The wallet lock first, then the journal: a process that has ended by then has recorded what it signed.
  const isAtWork = !isFinished(asFound) && (await isInHand(asked, asFound.wallet, chainIds))
  const operation = asked.journal.find(asFound.id) ?? asFound
  const context = await withFreshestNodes(asked, operation)
  const { journal, rpc, catalog, now } = context
  const events = journal.events(operation.id)
  const chains = new Map<number, ChainFacts>(
    await Promise.all(
      [...new Set(chainIds)].map(
        async (chainId) =>
          [chainId, await readChainFacts(rpc(chainId), displayNetwork(catalog.networks, chainId))] as const,
      ),
    ),
  )
  const steps = await Promise.all(
    operation.steps.map(async (step): Promise<StepFacts> => {
      const { attempts } = step
      const { chainId } = step.transaction
      const network = displayNetwork(catalog.networks, chainId)
      const node = chains.get(chainId)?.is === 'there' ? rpc(chainId) : undefined
      const known = { step, attempts, network }
      if (attempts.length === 0 || !node) return known
      const seen = await readStepFacts(node, network, step, attempts, depth ?? network.depth, {
        lostTo: supersedingHash(events, step),
      })
      const { wallet, nonce, state } = step
      const isOfAnother =
        state === 'SUPERSEDED' && nonce !== null && journal.nonceHolder(chainId, wallet, nonce)
      return {
        ...known,
        ...(seen && { onChain: seen }),
        ...(isOfAnother && { isNonceReused: true }),
        ...(step.endedBefore && !isCancelling(attempts) && { isOnlyCancellable: true }),
      }
    }),
  )
  // A node that stopped answering during the reads counts as silent.
  for (const { step, attempts, network, onChain } of steps)
    if (attempts.length > 0 && !onChain && chains.get(step.transaction.chainId)?.is === 'there')
      chains.set(network.chainId, { network, is: 'silent', why: 'it stopped answering' })
  const isThere = [...chains.values()].every(({ is }) => is === 'there')
  const focus = decidingStep(steps, operation)
  const unsigned = operation.steps.find(isUnsigned)
  const bridge = isThere
    ? await undefinedIfUnanswered(readBridgeFacts(context, operation, steps, events, await reportedHash))
    : undefined
  // Funds on a bridge or in flight are not where the next step takes them from.
  const waits =
    isFinished(operation) || isAwaiting(operation, bridge) || (focus !== undefined && isInFlight(focus.step))
  const isBegun = steps.some(({ attempts }) => attempts.length > 0)
  return {
    operation,
    plan: operation.plan as StoredPlan,
    now: { machine: now(), chain: Math.max(now(), ...newestTimes(chains)) },
    lastRunReason:
      operation.state === 'PARTIAL'
        ? events.findLast(({ index, becomes }) => index === null && becomes === 'PARTIAL')?.why
        : undefined,
    wasReopened: wasReopened(events),
    chains,
    steps,
    focus,
    unsigned,
    blocker: isThere && isBegun && !waits ? await findBlocker(context, operation, unsigned) : undefined,
    remainingAllowances: await remainingAllowancesOf(context, operation, isThere),
    bridge,
    received:
      resultOf(operation).out ??
      (isThere ? await withTimeout(receivedAmount(context, operation, minedIn(steps))) : undefined),
    bridged: isThere ? await withTimeout(bridgedAmount(context, operation)) : undefined,
    claimed: laterClaim(context, operation),
    successorId: successorOf(context, operation)?.id,
    isWalletBusy: isAtWork,
    wasGivenUp: events.findLast(({ becomes }) => becomes === 'DROPPED')?.kind !== 'replaced',
    precedingId:
      focus && isInFlight(focus.step)
        ? precedingHolder(context, focus)
        : unsigned && chains.get(unsigned.transaction.chainId)?.is === 'there'
          ? await withTimeout(blockingOperation(context, operation.id, unsigned))
          : undefined,
  }
}

/** The times of the newest blocks, in epoch ms. The clock of a chain may be ahead of this machine's, and a chain may be idle. */
const newestTimes = (chains: ReadonlyMap<number, ChainFacts>): number[] =>
  [...chains.values()].flatMap((one) => (one.is === 'there' ? 1_000 * one.head.timestamp : []))

/** The context with each chain read from a node that is not behind. */
async function withFreshestNodes(context: ExecutionContext, { legs }: Operation): Promise<ExecutionContext> {
  const nodes = new Map<number, FreshestClient>()
  for (const { chainId } of legs)
    if (!nodes.has(chainId)) nodes.set(chainId, readFromFreshest(context.rpc(chainId)))
  await Promise.all([...nodes.values()].map((node) => node.refresh()))
  return { ...context, rpc: (chainId) => nodes.get(chainId) ?? context.rpc(chainId) }
}

/** The remaining allowances; `null` if there are approvals and a chain is silent. */
async function remainingAllowancesOf(
  context: ExecutionContext,
  operation: Operation,
  isThere: boolean,
): Promise<Facts['remainingAllowances']> {
  const isAllowed = operation.steps.some((step) => step.role === 'approve' && !isUnsigned(step))
  if (!isAllowed) return []
  return isThere ? ((await withTimeout(remainingAllowances(context, operation))) ?? null) : null
}

/** Whether a leg still waits for its delivery, or for more than was delivered. */
const isAwaiting = ({ legs }: Operation, bridge: Facts['bridge']): boolean =>
  legs.some(({ arrival }) => arrival !== null && arrival.hash === null) &&
  (bridge?.isMinted !== true || isUnderDelivery({ bridge }))

/** The unfinished operation of the wallet that holds the next nonce of the chain. */
function precedingHolder({ journal }: ExecutionContext, { step, onChain }: StepFacts): string | undefined {
  if (!onChain || step.nonce === null || onChain.latest >= step.nonce) return undefined
  return journal.nonceHolder(step.transaction.chainId, step.wallet, onChain.latest)?.operation
}

/** The operation of the wallet whose signed transaction the node lacks, so that nothing else can be signed. */
async function blockingOperation(
  { journal, rpc }: ExecutionContext,
  id: string,
  step: Step,
): Promise<string | undefined> {
  const { chainId } = step.transaction
  const { pending } = await readNonceCounts({ journal, rpc: rpc(chainId), chainId, wallet: step.wallet })
  const holder = journal.nonceHolder(chainId, step.wallet, pending)
  const held = holder && journal.find(holder.operation)?.steps.find(({ index }) => index === holder.index)
  return held && isInFlight(held) && holder.operation !== id ? holder.operation : undefined
}

/** The hash of the transaction that carried out a step, by journal or chain, final or not. */
const minedIn =
  (all: readonly StepFacts[]) =>
  (step: Step): Hex | undefined => {
    const one = all.find((facts) => facts.step === step)
    if (step.state === 'FINAL_OK') return step.inclusion?.hash
    const found = one?.onChain?.found
    return found?.ok && found.kind !== 'cancel' ? found.hash : undefined
  }

/** The first later claim of this journal from the queue of a withdrawal. */
function laterClaim({ journal }: ExecutionContext, { plan, wallet, created }: Operation): Facts['claimed'] {
  const { queued, strategySlug } = (plan as StoredPlan).about
  if (!queued) return undefined
  const claim = journal
    .list({ states: ['DONE'], wallet, limit: 1_000 })
    .findLast(
      (one) =>
        one.kind === 'claim' &&
        one.created > created &&
        (one.plan as StoredPlan).about.strategySlug === strategySlug,
    )
  return claim && { id: claim.id, out: resultOf(claim).out }
}

/** Simulates the unsigned rest of an operation whose funds are in place; `undefined` if nothing prevents it, or no node answers. */
async function findBlocker(
  context: Pick<ExecutionContext, 'rpc' | 'catalog'>,
  { plan: kept, steps, legs }: Operation,
  unsigned: Step | undefined,
): Promise<Blocker | undefined> {
  const plan = kept as StoredPlan
  const encoded = unsigned && plan.intents[unsigned.leg]
  if (!encoded || unsigned.role === 'fee') return undefined
  const { leg, transaction } = unsigned
  const left = steps.filter((step) => step.leg === leg && isUnsigned(step))
  const transactions = left.map((step) => step.transaction)
  const recorded = { indexes: left.map(({ index }) => index), of: steps.length }
  const { chainId } = transaction
  const chains = legs.map((one) => one.chainId)
  try {
    const intent = decodeIntent(encoded, context.catalog)
    await undefinedIfUnanswered(
      withTimeout(
        simulatePlannedLeg(
          context,
          { chainId, intent, transactions, recorded },
          decodeTerms(plan.terms),
          chains,
        ),
      ),
    )
    return undefined
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (isDust(error)) return { reason: error.message, is: 'forever' }
    if (error.code === 'INSUFFICIENT_FUNDS') return { reason: error.message, is: 'poor' }
    // Its market may have left the catalogue.
    const isRefused = error.code === 'SIMULATION_REVERTED' || error.code === 'STRATEGY_NOT_FOUND'
    return isRefused ? { reason: error.message, is: 'refused' } : undefined
  }
}
