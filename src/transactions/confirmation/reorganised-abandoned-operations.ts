import type { ChainClient } from '../../chain/chain-client.ts'
import { AppError } from '../../domain/errors.ts'
import { isInFlight } from '../../domain/step-state.ts'
import { sluice } from '../../domain/text/next-step.ts'
import type { OperationJournal, ReorgJournal } from '../../store/journal/journal-interface.ts'
import { reorganisedSteps } from './reorganisations.ts'

/**
 * Reopens steps of an abandoned operation whose blocks left their chain, so that they are resent as signed, or
 * cancelled; otherwise they would block the wallet's later transactions. The operation stays abandoned. Returns
 * whether a step is in flight. A reverted step might succeed now and is only cancelled.
 */
export async function reopenAbandoned(
  { journal, rpc }: { journal: OperationJournal & ReorgJournal; rpc: (chainId: number) => ChainClient },
  id: string,
  replacement: 'cancel' | undefined,
): Promise<boolean> {
  const operation = journal.find(id)
  if (operation?.state !== 'CANCELLED' || operation.exit === 24) return false
  const gone = await reorganisedSteps(rpc, operation)
  const reverted = gone.find(({ state }) => state === 'FINAL_REVERTED')
  if (reverted && !replacement)
    throw new AppError(
      'PARTIAL',
      `Action ${id} was abandoned, and a reorganisation removed its reverted step ${reverted.index + 1} from the chain: the step is not sent again, because it might succeed now`,
      {
        details: { operation: id, index: reverted.index },
        next: sluice('action cancel', id, { '--yes': true }),
      },
    )
  if (gone.length > 0)
    journal.reopenSteps(
      id,
      gone.map(({ index }) => index),
      'a deep reorganisation took its block away',
    )
  return gone.length > 0 || operation.steps.some(isInFlight)
}
