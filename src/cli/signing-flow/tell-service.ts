import { withTimeout } from '../../chain/rpc/timeouts.ts'
import { AppError } from '../../domain/errors.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import { hasSignature } from '../../transactions/steps/operation-state.ts'
import type { Cli } from '../command-run-types.ts'

/** How long a report to the service may take, in ms: nothing depends on it. */
const reportMs = 3_000

/**
 * Tells the service that an action of this journal was cancelled or abandoned, so that it ends there too once its chain shows it.
 * Does nothing for another state. A service that does not answer, or has no such report, changes nothing here.
 */
export async function tellIfEnded(cli: Cli, { journal }: ExecutionContext, id: string): Promise<void> {
  const state = journal.find(id)?.state
  if (state === 'CANCELLED' || state === 'DROPPED') await tell(cli, id, 'CANCELLED')
}

/** Tells the service that the plan of a dry run was signed, so that its action is listed. */
export async function tellIfSigned(cli: Cli, { journal }: ExecutionContext, id: string): Promise<void> {
  const operation = journal.find(id)
  if (operation && hasSignature(operation)) await tell(cli, id, 'SIGNED')
}

async function tell(cli: Cli, actionId: string, event: 'SIGNED' | 'CANCELLED'): Promise<void> {
  const told = cli.service().then((service) => service.ingest({ actionId, event }))
  await withTimeout(told, reportMs).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error
  })
}
