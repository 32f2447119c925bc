import { type Disagreement, disagreementHint, disagreementText } from '../../chain/finality/quorum.ts'
import { withDeadline } from '../../chain/rpc/timeouts.ts'
import { AppError, errorRow } from '../../domain/errors.ts'
import { networkNamed, rpcVariable } from '../../domain/networks.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { momentText, spanText } from '../../domain/text/time-spans.ts'
import type { Leg } from '../../store/journal/operation-types.ts'
import { attestationMs } from '../../swaps/cctp-v2/follow.ts'
import type { UnseenDelivery } from '../bridge/delivery-result.ts'
import type { DeliveryLook, WatchedDelivery } from '../bridge/delivery-watch.ts'
import type { Run } from '../run.ts'

/** The number of looks after which both chains are read, if no service reports the delivery. */
const chainPollInterval = 4

/**
 * Looks once for the delivery of an earlier leg's bridge transfer. A report of the service only makes this faster: the chains alone
 * prove the delivery. The failure of a node is no answer.
 */
export async function lookForDelivery(run: Run, leg: Leg, looks: number): Promise<DeliveryLook> {
  if (looks === 0) run.onProgress?.({ kind: 'waiting', leg })
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
    const refusal = fault && errorRow(fault.code).retryable !== true ? fault : undefined
    if (!reportedHash && looks % chainPollInterval !== 0) return { isAsked: false, refusal }
    const result = await withDeadline(run, host, async () => run.checkDelivery?.(reportedHash ?? null))
    if (result && 'missing' in result && result.missing > 0)
      await run.mineBlocks?.(leg.chainId, result.missing)
    return { isAsked: true, result, ...(!result && { refusal }) }
  } catch (error) {
    if (error instanceof AppError && errorRow(error.code).retryable === true) return { isAsked: false }
    throw error
  }
}

/** The error of a run that does not wait longer for a delivery: it is not seen although it should be, or is paid back later. */
export function deliveryError(run: Run, leg: Leg, { last, unseen, unlike }: WatchedDelivery): AppError {
  const { result } = last
  if (result && 'until' in result && result.unseen === 'expired') return expiredError(run, leg, result.until)
  return unseenDeliveryError(run, leg, unseen!, unlike)
}

/** What a run that was stopped knows of the delivery that it waited for. */
export function stoppedDeliveryError(
  run: Run,
  leg: Leg,
  { last, open, unseen, unlike }: WatchedDelivery,
): AppError | undefined {
  if (open !== undefined) return openOrderError(run, open)
  if (unseen) return unseenDeliveryError(run, leg, unseen, unlike)
  return last.refusal && serviceFailureError(run, last.refusal)
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
