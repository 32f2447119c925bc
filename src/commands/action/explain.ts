import type { Command } from 'commander'
import { action } from '../../cli/command-action.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { serviceReportOf } from '../../cli/diagnose-action.ts'
import { withGasInUsd } from '../../cli/gas-in-usd.ts'
import { swapNamed } from '../../cli/named-id.ts'
import { parseDepth } from '../../cli/options/option-values.ts'
import type { View } from '../../cli/output/view-types.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import { isHash, lookUpOperation } from '../../cli/signing-flow/find-operation.ts'
import { utcTime } from '../../cli/terminal/format.ts'
import { fieldTable } from '../../cli/terminal/table.ts'
import { wrapLabelled } from '../../cli/terminal/text-wrap.ts'
import { transactionLines, waitingText } from '../../cli/views/operation-view.ts'
import { retryText } from '../../cli/views/retry-text.ts'
import { explain } from '../../diagnosis/explain.ts'
import { type PrintedVerdict, type Verdict, verdictDocument } from '../../diagnosis/verdict.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { isTransactionHash } from '../../planning/named-operation.ts'
import { readOnlyContext } from '../../transactions/operations/read-only-context.ts'
import { explainFromService } from './explain-from-service.ts'
import { explainTransaction } from './explain-transaction.ts'

/** `action explain`: one verdict about an action, to decide what to do. */
export const addExplain = (command: Command, program: CommandContext): void =>
  void command
    .command('explain')
    .description(
      'Explain an action: what happened, where the funds are, whether a retry is safe, and what to do next. Signs nothing.',
    )
    .addHelpText('after', '\nExample:\n  $ sluice action explain 0f8fad5b-d9cb-469f-a165-70867728950e')
    .action(action(program, explainOne))

async function explainOne(cli: Cli, id: string, options: OptionsOf<'action explain'>): Promise<void> {
  const depth = parseDepth(options.confirmations)
  const context = await cli.backend.context()
  const operation = await lookUpOperation(cli, context, id)
  if (!operation) {
    const foreign = isTransactionHash(id) ? await explainTransaction(cli, context, id, depth) : { silent: [] }
    if ('verdict' in foreign) return tell(cli, foreign.verdict)
    const named = isHash(id) ? id : (await swapNamed(cli, id)).id
    return tell(cli, await explainFromService(cli, context, named, foreign.silent))
  }
  // Ask both at once, so that a silent one costs its timeout only once.
  const serviceReport = serviceReportOf(cli, context, operation)
  const said = await explain(readOnlyContext(context), operation, { serviceReport, depth })
  const transactions = await withGasInUsd(cli.backend, context, said.transactions ?? [])
  tell(cli, { ...said, transactions })
}

const tell = (cli: Cli, verdict: Verdict): void => cli.emit(verdictDocument(verdict, cli.line), verdictView)

const verdictView: View<PrintedVerdict> = (told, to) => {
  const { id, situation, verdict, funds, safeToRetry, next, evidence } = told
  const { waiting, createdAt, finishedAt, transactions, transaction } = told
  return [
    `${to.paint.bold(situation)}  ${sanitizeText(verdict)}`,
    '',
    fieldTable(
      [
        [transaction ? 'transaction' : 'action', sanitizeText(id)],
        ['funds', sanitizeText(funds)],
        ['retry', (safeToRetry ? to.paint.green : to.paint.yellow)(retryText(told))],
        next !== null && ['next', sanitizeText(next)],
        waiting && ['waits', waitingText(waiting)],
        createdAt !== undefined && ['created', utcTime(createdAt)],
        finishedAt && ['finished', utcTime(finishedAt)],
      ],
      to,
    ),
    ...(transactions ?? []).flatMap((one) => transactionLines(one, to)),
    '',
    ...evidence.map(({ source, text }) =>
      wrapLabelled([source, to.paint.dim(sanitizeText(text))], { column: 9 }, to),
    ),
  ].join('\n')
}
