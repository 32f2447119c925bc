import { withDeadline } from '../../chain/rpc/timeouts.ts'
import { AppError, errorRow } from '../../domain/errors.ts'
import { networkNamed, rpcVariable } from '../../domain/networks.ts'
import type { Leg } from '../../store/journal/operation.ts'
import { isLocal } from '../confirmation/find-transaction.ts'
import { type Disagreement, disagreementHint, disagreementText } from '../confirmation/quorum.ts'
import { outcomeOf } from '../outcome/outcome.ts'
import type { DeliveryResult, UnseenDelivery } from '../outcome/result.ts'
import { currentOperation, hasRunEnded, pause, type Run, runStopped } from '../run.ts'
import { attestationMs } from './delivery.ts'
import { failUnderDelivered } from './under-delivery.ts'

/** As often as this among the looks at a bridge both chains are asked, where nobody names its delivery. */
const everyLook = 4

/** For how long a delivery that should be seen is looked for, in ms: what a node indexes late is there by then. */
const unseenMs = { local: 2_000, remote: 60_000 }

/**
 * Waits for what an earlier leg sent to another chain, and notes that it came. The word of a service makes that faster, and nothing
 * hangs on it: what a service does not name, or is not there to name, the chains show. Ends in ARRIVED_SHORT where less came than was
 * agreed, and in PENDING with the reason where what should be seen is not, or the service said why it does not say.
 */
export async function awaitDelivery(run: Run, leg: Leg): Promise<void> {
  run.onProgress?.({ kind: 'waiting', leg })
  const local = isLocal(run.rpc(leg.chainId))
  let unseen: UnseenDelivery | undefined
  let unlike: Disagreement | undefined
  let since: number | undefined
  // Who is asked may count the questions: on a chain that is at hand, they become rarer.
  for (
    let look = 0, waitMs = local ? 25 : 2_000;
    ;
    look++, waitMs = Math.min(2 * waitMs, local ? 400 : 2_000)
  ) {
    if (isNoted(run, leg)) return
    const seen = await lookOnce(run, leg, look % everyLook === 0)
    // Another process may have seen it at the same time.
    if (isNoted(run, leg)) return
    if (seen && 'arrived' in seen) {
      run.journal.recordDelivery(run.operationId, leg.leg, seen.arrived)
      return run.onProgress?.({ kind: 'arrived', leg, hash: seen.arrived })
    }
    if (seen && 'short' in seen)
      return void outcomeOf(failUnderDelivered(run.journal, run.operationId, seen.short))
    const refusal = seen && 'refusal' in seen ? seen.refusal : undefined
    if (seen && 'missing' in seen) {
      if (seen.missing > 0) await run.mineBlocks?.(leg.chainId, seen.missing)
      unseen = unlike = since = undefined
    } else if (seen && 'unseen' in seen) {
      ;({ unseen, unlike } = { unlike: undefined, ...seen })
      // What the attestation service did not know at first, it may come to know; what it does not know of long ago, hardly.
      const counts = unseen === 'unfound' || (unseen === 'unknown' && (look === 0 || since !== undefined))
      since = counts ? (since ?? run.clock.now()) : undefined
    }
    const isLate = since !== undefined && run.clock.now() - since > unseenMs[local ? 'local' : 'remote']
    if (unseen && isLate) throw unseenEnd(run, leg, unseen, unlike)
    try {
      if (run.noWait) throw runStopped
      await pause(run, waitMs)
    } catch (error) {
      if (error !== runStopped) throw error
      throw unseen ? unseenEnd(run, leg, unseen, unlike) : refusal ? refusedEnd(run, refusal) : error
    }
  }
}

/** Whether another process has noted meanwhile what came, or has ended the operation. */
function isNoted(run: Run, { leg }: Leg): boolean {
  const now = currentOperation(run)
  return hasRunEnded(now) || now.legs.some((one) => one.leg === leg && typeof one.arrival?.hash === 'string')
}

/** What is seen of a delivery now, or why the service does not speak of it, which it will not next time either; `undefined` where nobody said anything. */
async function lookOnce(
  run: Run,
  leg: Leg,
  isDue: boolean,
): Promise<DeliveryResult | { unseen?: undefined; refusal?: AppError } | undefined> {
  const { host } = run.rpc(leg.chainId)
  let fault: AppError | undefined
  try {
    const told = await withDeadline(run, host, async () => run.reportedDelivery?.(leg)).catch(
      (error: unknown) => {
        if (!(error instanceof AppError)) throw error
        fault = error
        return undefined
      },
    )
    // Where the chains cannot be asked instead, what the service says is all there is.
    if (fault && !run.checkDelivery) throw fault
    const refused = fault && errorRow(fault.code).retryable !== true ? { refusal: fault } : undefined
    if (!told && !isDue) return refused
    const seen = await withDeadline(run, host, async () => run.checkDelivery?.(told ?? null))
    return seen ?? { unseen: undefined, ...refused }
  } catch (error) {
    if (error instanceof AppError && errorRow(error.code).retryable === true) return undefined
    throw error
  }
}

/** Why nothing comes of waiting: what is signed is final, and what became of it is not known here. */
function unseenEnd(
  { operationId: id, networks }: Run,
  { chainId }: Leg,
  unseen: UnseenDelivery,
  unlike: Disagreement | undefined,
): AppError {
  const network = networkNamed(networks, chainId)
  const details = { operation: id, unseen, ...unlike }
  if (unlike)
    return new AppError(
      'PENDING',
      `What it sent came on ${network.name}, and that is not final yet: ${disagreementText(unlike)}`,
      {
        details,
        hint: `${disagreementHint(unlike, rpcVariable(network))}, then: sluice action resume ${id}`,
      },
    )
  return unseen === 'unfound'
    ? new AppError(
        'PENDING',
        `The bridge delivered on ${network.name}, and nobody names the transaction that did: not the service, and not the node of ${network.name}`,
        {
          details,
          hint: `Name another RPC in ${rpcVariable(network)}, one that gives logs, then: sluice action resume ${id}`,
        },
      )
    : new AppError(
        'PENDING',
        `The attestation service of the bridge does not know what was sent more than ${attestationMs.standard / 60_000} min ago. That does not say that it is lost: it may be attested late, or be delivered already`,
        { details, hint: `sluice action explain ${id}` },
      )
}

/** That the time was over before the chains showed what came, and why the service does not say. */
const refusedEnd = ({ operationId: id }: Run, cause: AppError): AppError =>
  new AppError(
    'PENDING',
    `What it sent to another chain has not arrived yet, and the service does not speak of it: ${cause.message}`,
    { details: { operation: id, cause: cause.code }, cause, hint: `sluice action resume ${id}` },
  )
