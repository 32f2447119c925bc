import type { ChainClient } from '../../chain/chain-client.ts'
import { readHead } from '../../chain/head.ts'
import { readNonceCount } from '../../chain/nonce-count.ts'
import { isInFlight } from '../../domain/step-state.ts'
import type { Leg, Step } from '../../store/journal/operation-types.ts'
import { currentOperation, isNodeFailure, pause, type Run } from '../run-state.ts'
import { feeCapError, replaceTransaction } from './replacer.ts'

/**
 * Cancels all pending steps of a leg, highest nonce first, because an approval may be mined before its own
 * cancellation and must not enable the action after it. PENDING if the fee cap is too low.
 */
export async function cancelLeg(run: Run, { leg, chainId }: Leg): Promise<void> {
  const rpc = run.rpc(chainId)
  for (const step of currentOperation(run).steps.toReversed())
    while (step.leg === leg && isInFlight(step) && !run.replacedSteps.has(step.index))
      try {
        if (!(await cancelStep(run, step, rpc))) break
      } catch (error) {
        if (run.noWait || !isNodeFailure(error)) throw error
        await pause(run, retryMs)
      }
}

/** The pause after a node failure, in ms. */
const retryMs = 500

/** Cancels one step, unless it is mined; a mined step is cancelled by `confirmStep` if its block leaves the chain. */
async function cancelStep(
  run: Run,
  { index, nonce, wallet, transaction }: Step,
  rpc: ChainClient,
): Promise<boolean> {
  const latest = await readNonceCount(rpc, wallet)
  if (nonce === null || latest > nonce) return false
  const head = await readHead(rpc, transaction.chainId)
  if (!(await replaceTransaction(run, index, 'cancel', head)))
    throw await feeCapError(run, index, 'cancel', head)
  run.replacedSteps.add(index)
  return true
}
