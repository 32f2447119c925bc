import { refuseInconsistentHeads } from '../../chain/finality/refuse-inconsistent-heads.ts'
import { readHead } from '../../chain/head.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { isUnsigned } from '../../domain/step-state.ts'
import type { Leg, Step } from '../../store/journal/operation-types.ts'
import { broadcast } from '../broadcaster.ts'
import { confirmStep, type LookOptions } from '../confirmation/confirmer.ts'
import { allocateNonce } from '../nonces/nonce-manager.ts'
import { nonceCountsFor } from '../nonces/unsafe-nonce-check.ts'
import { refuseExpiredLeg } from '../refuse-expired-leg.ts'
import { currentOperation, type Run, runStopped, stepAt, type WalletView } from '../run-state.ts'
import { type KnownGas, readGasAndFees, signStep } from './sign-step.ts'

/** Reads the view of a step's wallet in one exchange. */
export async function readWalletView(run: Run, step: Step): Promise<WalletView> {
  const { chainId } = step.transaction
  const rpc = run.rpc(chainId)
  const gasAndFees = readGasAndFees(rpc, step)
  gasAndFees.catch(() => undefined) // Awaited when the step is signed.
  const reading = readHead(rpc, chainId)
  const lowest = refuseInconsistentHeads(rpc, chainId, reading)
  lowest.catch(() => undefined) // Awaited when the nonce is allocated.
  const [head, counts] = await Promise.all([reading, nonceCountsFor({ journal: run.journal, rpc, step })])
  return { head, lowest, counts, gasAndFees }
}

/** Takes one step from its current state to final. */
export async function executeStep(
  run: Run,
  index: number,
  { gas, seen, ...looks }: { gas?: KnownGas | undefined; seen?: WalletView | undefined } & LookOptions,
): Promise<void> {
  const sent = await sendStep(run, index, gas, seen)
  if (sent && run.noWait) throw runStopped
  await confirmStep(run, index, sent, looks)
}

/** Signs an unsigned step with `signAndRecord` and sends it; returns whether it did. */
export async function sendStep(run: Run, index: number, gas?: KnownGas, seen?: WalletView): Promise<boolean> {
  const isSigned = await signAndRecord(run, index, gas, seen)
  if (isSigned) await broadcast(run, index)
  return isSigned
}

/**
 * Signs an unsigned step and records it; the caller sends it. Returns whether it did. `seen` is the view of the
 * wallet that was just read for the step, with gas and fees from the same exchange.
 */
export async function signAndRecord(
  run: Run,
  index: number,
  gas?: KnownGas,
  seen?: WalletView,
): Promise<boolean> {
  const { journal, operationId, queueBehind, feeCap } = run
  for (let view = seen; ; view = undefined) {
    const step = stepAt(run, index)
    if (!isUnsigned(step)) return false
    if (run.signal?.aborted) throw runStopped
    const rpc = run.rpc(step.transaction.chainId)
    const { headMaxAgeMs } = networkNamed(run.networks, step.transaction.chainId)
    const pinned = pinnedFor(run, step)
    const asking = view?.gasAndFees ?? readGasAndFees(rpc, step, gas)
    asking.catch(() => undefined) // Awaited below, unless the nonce is refused first.
    const allocating = allocateNonce({
      journal,
      operationId,
      step,
      rpc,
      clock: run.clock,
      ...(view && { seen: view }),
      ...(pinned !== undefined && { pinned }),
      ...(queueBehind && { queueBehind }),
      ...(headMaxAgeMs !== undefined && { headMaxAgeMs }),
    })
    const taken = await allocating.catch((error: unknown) => {
      // The view may be older than a block that another process has recorded since.
      if (view && error instanceof AppError && error.code === 'RPC_INCONSISTENT') return 'seen too early'
      throw error
    })
    if (typeof taken === 'string') continue
    run.fault?.('after_nonce')
    const offered = run.clock.now()
    await run.approve?.()
    const asked = run.clock.now()
    // A person needs time to confirm on a device, during which fees change.
    const gasAndFees = await (asked - offered > localSigningMs ? readGasAndFees(rpc, step, gas) : asking)
    const signed = await signStep({
      signer: run.signer,
      step: stepAt(run, index),
      head: taken.head,
      gasAndFees,
      ...(gas !== undefined && { gas }),
      ...(feeCap && { feeCap }),
    })
    run.fault?.('after_sign')
    if (run.signal?.aborted) throw runStopped
    // Signing on a device takes time. If the deadline has passed meanwhile, the signature is neither recorded nor
    // sent.
    if (step.role !== 'fee' && run.clock.now() - asked > localSigningMs)
      refuseExpiredLeg(run, legOf(run, step), await readHead(rpc, step.transaction.chainId))
    journal.recordSigned(operationId, index, signed)
    run.fault?.('after_journal')
    run.onProgress?.({ kind: 'signed', step: stepAt(run, index), hash: signed.hash })
    return true
  }
}

/** A local key signs within this time, in ms, including the node's gas and fee answers. */
const localSigningMs = 1_000

const legOf = (run: Run, { leg }: Step): Leg => currentOperation(run).legs.find((one) => one.leg === leg)!

/** Returns the nonce that a step must have if the first one of its chain is pinned. */
function pinnedFor(run: Run, { index, transaction: { chainId } }: Step): number | undefined {
  const first = run.pinnedNonces?.[chainId]
  if (first === undefined) return undefined
  return (
    first +
    currentOperation(run).steps.filter((one) => one.transaction.chainId === chainId && one.index < index)
      .length
  )
}
