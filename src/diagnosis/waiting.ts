import { blockTime } from '../chain/latest-log.ts'
import { isInFlight } from '../domain/step-state.ts'
import type { ExecutionContext } from '../planning/execution-context-types.ts'
import type { Operation } from '../store/journal/operation-types.ts'
import { isFinished, isPaidElsewhere } from '../transactions/steps/operation-state.ts'
import { gatherFacts } from './facts/gather-facts.ts'
import { type Facts, withReclaimedSteps } from './facts/operation-facts.ts'
import { type Instant, msSince } from './instant.ts'
import { stepTimes } from './step-times.ts'
import type { Waiting } from './verdict.ts'

const sentBy = {
  burn: 'burned',
  deposit: 'deposited',
  order: 'ordered',
  desk: 'paid',
  solver: 'deposited',
} as const

const inSeconds = (ms: number): number => Math.round(ms / 1_000)

/**
 * What an operation waits for: a bridge since its block, else the finality of a mined transaction since its block, else the block of a
 * signed one since the journal recorded it.
 */
export async function waitingOf(
  { journal, rpc }: Pick<ExecutionContext, 'journal' | 'rpc'>,
  { operation, bridge, focus, now }: Pick<Facts, 'operation' | 'bridge' | 'focus' | 'now'>,
): Promise<Waiting | null> {
  const waiting = (what: Waiting['what'], since: Instant, usual: number | null, most: number | null) => ({
    what,
    since: new Date(since.at).toISOString(),
    clock: since.clock,
    waitedSeconds: inSeconds(msSince(since, now)),
    usualSeconds: usual === null ? null : inSeconds(usual),
    mostSeconds: most === null ? null : inSeconds(most),
  })
  if (bridge && bridge.isMinted !== true && bridge.expiry?.refund === undefined && !bridge.unfilled) {
    const { way, since, typicalMs = null, usualMs } = bridge
    return waiting(sentBy[way], since, typicalMs, way === 'order' ? null : usualMs)
  }
  if (!focus || !isInFlight(focus.step)) return null
  const found = focus.onChain?.found
  if (found?.isDeep) return null
  const at = found && (await blockTime(rpc(focus.step.transaction.chainId), found.blockNumber))
  if (at !== undefined) return waiting('mined', { clock: 'chain', at }, null, null)
  const { minedAt, sentAt, signedAt } = stepTimes(journal.events(operation.id), focus.step.index)
  const [what, since] =
    minedAt !== null
      ? (['mined', minedAt] as const)
      : sentAt !== null
        ? (['sent', sentAt] as const)
        : (['signed', signedAt] as const)
  return since === null ? null : waiting(what, { clock: 'machine', at: Date.parse(since) }, null, null)
}

/** The same for an operation of the journal, read from journal, chains and bridge; `null` if it is finished, or has no transactions. Read-only. */
export async function readWaiting(context: ExecutionContext, operation: Operation): Promise<Waiting | null> {
  if (isFinished(operation) || isPaidElsewhere(operation)) return null
  const asked = { depth: undefined, reportedHash: Promise.resolve(null) }
  return waitingOf(context, withReclaimedSteps(await gatherFacts(context, operation, asked)))
}
