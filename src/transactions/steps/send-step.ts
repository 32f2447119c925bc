import { readHead } from '../../chain/head.ts'
import { networkNamed } from '../../domain/networks.ts'
import type { Leg, Step } from '../../store/journal/operation.ts'
import { broadcast, refuseExpired } from '../broadcaster.ts'
import { confirmStep } from '../confirmation/confirmer.ts'
import { allocateNonce } from '../nonces/nonce-manager.ts'
import { currentOperation, isUnsigned, type Run, runStopped, stepAt } from '../run.ts'
import { type KnownGas, signStep } from './sign-step.ts'

/** Takes one step from its current state to final. */
export async function executeStep(run: Run, index: number, gas?: KnownGas): Promise<void> {
  const sent = await sendStep(run, index, gas)
  if (sent && run.noWait) throw runStopped
  await confirmStep(run, index, sent)
}

/** Signs an unsigned step, records it and sends it; returns whether it did. */
export async function sendStep(run: Run, index: number, gas?: KnownGas): Promise<boolean> {
  const { journal, operationId, queueBehind, feeCap } = run
  for (;;) {
    const step = stepAt(run, index)
    if (!isUnsigned(step)) return false
    if (run.signal?.aborted) throw runStopped
    const rpc = run.rpc(step.transaction.chainId)
    const { headMaxAgeMs } = networkNamed(run.networks, step.transaction.chainId)
    const pinned = pinnedFor(run, step)
    const taken = await allocateNonce({
      journal,
      operationId,
      step,
      rpc,
      clock: run.clock,
      ...(pinned !== undefined && { pinned }),
      ...(queueBehind && { queueBehind }),
      ...(headMaxAgeMs !== undefined && { headMaxAgeMs }),
    })
    if (taken === 'given back') continue
    run.fault?.('after_nonce')
    await run.approve?.()
    const asked = run.clock.now()
    const signed = await signStep({
      rpc,
      signer: run.signer,
      step: stepAt(run, index),
      head: taken.head,
      ...(gas !== undefined && { gas }),
      ...(feeCap && { feeCap }),
    })
    run.fault?.('after_sign')
    if (run.signal?.aborted) throw runStopped
    // Signing on a device takes time. If the deadline has passed, the signature is neither recorded nor sent.
    if (step.role !== 'fee' && run.clock.now() - asked > localSigningMs)
      refuseExpired(run, legOf(run, step), await readHead(rpc, step.transaction.chainId))
    journal.recordSigned(operationId, index, signed)
    run.fault?.('after_journal')
    run.onProgress?.({ kind: 'signed', step: stepAt(run, index), hash: signed.hash })
    await broadcast(run, index)
    return true
  }
}

/** A local key signs within this time, in ms, including the node's gas and fee answers. */
const localSigningMs = 1_000

const legOf = (run: Run, { leg }: Step): Leg => currentOperation(run).legs.find((one) => one.leg === leg)!

/** The nonce that a step must have if the first one of its chain is pinned. */
function pinnedFor(run: Run, { index, transaction: { chainId } }: Step): number | undefined {
  const first = run.pinnedNonces?.[chainId]
  if (first === undefined) return undefined
  return (
    first +
    currentOperation(run).steps.filter((one) => one.transaction.chainId === chainId && one.index < index)
      .length
  )
}
