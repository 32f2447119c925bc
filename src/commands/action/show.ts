import type { Cli } from '../../cli/command-run-types.ts'
import { withGasInUsd } from '../../cli/gas-in-usd.ts'
import { actionAtService } from '../../cli/named-id.ts'
import { findUpdated } from '../../cli/signing-flow/find-operation.ts'
import { reportFor } from '../../cli/signing-flow/report-in-errors.ts'
import { actionView } from '../../cli/views/operation-view.ts'
import { revertCause } from '../../diagnosis/revert-cause.ts'
import { readWaiting } from '../../diagnosis/waiting.ts'
import { readOnlyContext } from '../../transactions/operations/read-only-context.ts'

/** `action show` */
export async function showAction(cli: Cli, id: string): Promise<void> {
  const context = readOnlyContext(await cli.backend.context())
  // --raw prints the response of the service, not the journal.
  const operation = cli.globals.raw ? undefined : await findUpdated(cli, context, id)
  if (!operation) return cli.emit(await actionAtService(cli, id), actionView)
  const report = reportFor(context, operation)
  const [reasons, priced, waiting] = await Promise.all([
    Promise.all(
      operation.steps.map((step) =>
        step.state === 'FINAL_REVERTED' ? revertCause(context.rpc(step.transaction.chainId), step) : null,
      ),
    ),
    withGasInUsd(cli.backend, context, report.transactions),
    readWaiting(context, operation),
  ])
  const transactions = priced.map((tx, at) => ({ ...tx, error: reasons[at] ?? tx.error }))
  cli.emit({ ...report, transactions, waiting, source: 'journal' as const }, actionView)
}
