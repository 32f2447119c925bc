import { isLocal } from '../../chain/chain-client.ts'
import { type Disagreement, disagreementHint, disagreementText } from '../../chain/finality/quorum.ts'
import { withDeadline } from '../../chain/rpc/timeouts.ts'
import { AppError, errorRow } from '../../domain/errors.ts'
import { networkNamed, rpcVariable } from '../../domain/networks.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { momentText, spanText } from '../../domain/text/time-spans.ts'
import type { Leg } from '../../store/journal/operation-types.ts'
import { attestationMs } from '../../swaps/cctp-v2/follow.ts'
import type { DeliveryResult, UnseenDelivery } from '../outcome/delivery-result.ts'
import { outcomeOf } from '../outcome/outcome.ts'
import { failRefunded, failUnderDelivered, failUnfilled } from '../outcome/record-failed-delivery.ts'
import { currentOperation, hasRunEnded, pause, type Run, runStopped } from '../run-state.ts'

/** The number of polls after which both chains are read, if no service reports the delivery. */
const chainPollInterval = 4

/** How long to search for a delivery that should be visible, in ms. Even a node that indexes late has it by then. */
const unseenTimeoutMs = { local: 2_000, remote: 60_000 }

/**
 * Waits for the delivery of an earlier leg's bridge transfer and records it. A report of the service only makes this faster: the
 * chains alone prove the delivery. Ends in ARRIVED_SHORT if less than the agreed minimum arrived, and in PENDING, with the reason,
 * if the delivery stays unseen or the service fails.
 */
export async function awaitDelivery(run: Run, leg: Leg): Promise<void> {
  run.onProgress?.({ kind: 'waiting', leg })
  const local = isLocal(run.rpc(leg.chainId))
  let unseen: UnseenDelivery | undefined
  let unlike: Disagreement | undefined
  let since: number | undefined
  let open: number | undefined
  // Services may limit requests, and a local chain answers quickly, so the interval grows.
  for (
    let look = 0, waitMs = local ? 25 : 2_000;
    ;
    look++, waitMs = Math.min(2 * waitMs, local ? 400 : 2_000)
  ) {
    if (isRecorded(run, leg)) return
    const seen = await readDeliveryOnce(run, leg, look % chainPollInterval === 0)
    // Another process may have recorded the delivery at the same time.
    if (isRecorded(run, leg)) return
    if (seen && 'arrived' in seen) {
      run.journal.recordDelivery(run.operationId, leg.leg, seen.arrived)
      return run.onProgress?.({ kind: 'arrived', leg, hash: seen.arrived })
    }
    if (seen && 'short' in seen)
      return void outcomeOf(failUnderDelivered(run.journal, run.operationId, seen.short))
    if (seen && 'refunded' in seen)
      return void outcomeOf(failRefunded(run.journal, run.operationId, seen.refunded))
    if (seen && 'unfilled' in seen)
      return void outcomeOf(failUnfilled(run.journal, run.operationId, seen.unfilled))
    if (seen && 'until' in seen && seen.unseen === 'open') open = seen.until
    // A refund takes hours, so the run does not wait for it.
    if (seen && 'until' in seen && seen.unseen === 'expired') throw expiredError(run, leg, seen.until)
    const refusal = seen && 'refusal' in seen ? seen.refusal : undefined
    if (seen && 'missing' in seen) {
      if (seen.missing > 0) await run.mineBlocks?.(leg.chainId, seen.missing)
      unseen = unlike = since = undefined
    } else if (seen && 'unseen' in seen && seen.unseen !== 'open' && seen.unseen !== 'expired') {
      unseen = seen.unseen
      unlike = 'unlike' in seen ? seen.unlike : undefined
      // An attestation service may learn of a recent burn later, but hardly of an old one.
      const counts = unseen === 'unfound' || (unseen === 'unknown' && (look === 0 || since !== undefined))
      since = counts ? (since ?? run.clock.now()) : undefined
    }
    const isLate =
      since !== undefined && run.clock.now() - since > unseenTimeoutMs[local ? 'local' : 'remote']
    if (unseen && isLate) throw unseenDeliveryError(run, leg, unseen, unlike)
    try {
      if (run.noWait) throw runStopped
      await pause(run, waitMs)
    } catch (error) {
      if (error !== runStopped) throw error
      if (open !== undefined) throw openOrderError(run, open)
      throw unseen
        ? unseenDeliveryError(run, leg, unseen, unlike)
        : refusal
          ? serviceFailureError(run, refusal)
          : error
    }
  }
}

/** Whether another process has recorded the delivery, or ended the operation, meanwhile. */
function isRecorded(run: Run, { leg }: Leg): boolean {
  const now = currentOperation(run)
  return hasRunEnded(now) || now.legs.some((one) => one.leg === leg && typeof one.arrival?.hash === 'string')
}

/**
 * Reads the delivery once: from the chains, or the error of a service that will fail the next time too; `undefined`
 * without any answer.
 */
async function readDeliveryOnce(
  run: Run,
  leg: Leg,
  isDue: boolean,
): Promise<DeliveryResult | { unseen?: undefined; refusal?: AppError } | undefined> {
  const { host } = run.rpc(leg.chainId)
  let fault: AppError | undefined
  try {
    const reportedHash = await withDeadline(run, host, async () => run.reportedDelivery?.(leg)).catch(
      (error: unknown) => {
        if (!(error instanceof AppError)) throw error
        fault = error
        return undefined
      },
    )
    // If the chains cannot be read instead, the service is the only source.
    if (fault && !run.checkDelivery) throw fault
    const refused = fault && errorRow(fault.code).retryable !== true ? { refusal: fault } : undefined
    if (!reportedHash && !isDue) return refused
    const seen = await withDeadline(run, host, async () => run.checkDelivery?.(reportedHash ?? null))
    return seen ?? { unseen: undefined, ...refused }
  } catch (error) {
    if (error instanceof AppError && errorRow(error.code).retryable === true) return undefined
    throw error
  }
}

/**
 * The error for a delivery that cannot be found: all signed transactions are final, and the fate of the transfer is
 * unknown here.
 */
function unseenDeliveryError(
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
      `The funds arrived on ${network.name}, but this is not final yet: ${disagreementText(unlike)}`,
      {
        details,
        next: advice`${disagreementHint(unlike, rpcVariable(network))}, then: ${sluice('action resume', id)}`,
      },
    )
  return unseen === 'unfound'
    ? new AppError(
        'PENDING',
        `The bridge delivered on ${network.name}, but neither the service nor the node of ${network.name} names the transaction`,
        {
          details,
          next: advice`Set an RPC in ${rpcVariable(network)} that returns logs, then: ${sluice('action resume', id)}`,
        },
      )
    : new AppError(
        'PENDING',
        `The attestation service of the bridge does not know the transfer, sent more than ${spanText(attestationMs.standard)} ago. The transfer is not necessarily lost: it may be attested late, or may have been delivered`,
        { details, next: sluice('action explain', id) },
      )
}

/** The error for an expired deposit that is neither filled nor refunded yet. */
function expiredError(
  { operationId: id, networks, journal }: Run,
  { chainId }: Leg,
  until: number,
): AppError {
  const { wallet, legs } = journal.find(id)!
  const [here, there] = [legs[0]!.chainId, chainId].map((one) => networkNamed(networks, one).name)
  return new AppError(
    'PENDING',
    `The deposit was not paid out on ${there} before ${momentText(until * 1_000)} and cannot be paid out any more. The bridge pays it back to ${wallet} on ${here} with one of its next bundles, usually within some hours`,
    { details: { operation: id, expired: until }, next: advice`Later: ${sluice('action resume', id)}` },
  )
}

/** The error for an order that is not filled yet. */
const openOrderError = ({ operationId: id }: Run, until: number): AppError =>
  new AppError(
    'PENDING',
    `The order is open until ${momentText(until * 1_000)}: nothing has been swapped yet, and nothing is taken before it is filled`,
    {
      details: { operation: id, until },
      next: advice`${sluice('action resume', id)}, or revoke the allowance that a fill needs: ${sluice('action revoke', id)}`,
    },
  )

/** The error for a timeout before the chains showed the delivery, with the error of the service. */
const serviceFailureError = ({ operationId: id }: Run, cause: AppError): AppError =>
  new AppError(
    'PENDING',
    `The funds have not arrived yet, and the service does not report them: ${cause.message}`,
    { details: { operation: id, cause: cause.code }, cause, next: sluice('action resume', id) },
  )
