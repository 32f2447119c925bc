import { Command } from 'commander'
import { action } from '../../cli/command-action.ts'
import type { CommandContext } from '../../cli/command-context.ts'
import type { Cli } from '../../cli/command-run-context.ts'
import { withExecution } from '../../cli/options/sending-and-waiting-options.ts'
import { withSigner } from '../../cli/options/signer-and-safety-options.ts'
import { withRaw } from '../../cli/output/raw-answers.ts'
import { findUpdated } from '../../cli/signing-flow/find-operation.ts'
import { reportFor } from '../../cli/signing-flow/operation-report.ts'
import { type ResumeOptions, resumeOperation } from '../../cli/signing-flow/resume-operation.ts'
import { decimal, stateWord, utcTime } from '../../cli/terminal/format.ts'
import { actionView } from '../../cli/views/operation-view.ts'
import { walletAddress } from '../../cli/wallet-address.ts'
import type { Report } from '../../diagnosis/report-from-journal.ts'
import { revertCause } from '../../diagnosis/revert-cause.ts'
import { successorOf } from '../../diagnosis/successor-operation.ts'
import type { TokenAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { readOnlyContext } from '../../transactions/read-only-context.ts'
import { abandonAction } from './abandon.ts'
import { addExplain } from './explain.ts'
import { addEvidence } from './export-and-verify.ts'
import { addReplan } from './replan.ts'
import { addRevoke } from './revoke.ts'
import { addReplacements } from './speed-up-cancel.ts'
import { addSubmit } from './submit.ts'
import { watch } from './watch.ts'

/** `action`: lists, shows and continues the actions of this machine. */
export const actionCommand = (world: CommandContext) => {
  const command = new Command('action').description('Show, watch and resume actions.')
  command
    .command('list')
    .description("List the actions in this machine's journal, newest first.")
    .option('--status <status>', 'only this status: INITIAL, PENDING, SUCCESS, FAILED', upper)
    .option('--wallet <wallet>', 'only this wallet (address or keystore name)')
    .addHelpText('after', '\nExample:\n  $ sluice action list --status PENDING')
    .action(action(world, list))
  withRaw(command.command('show'))
    .description('Show an action: its transactions, receipts and revert reasons.')
    .argument('<id>', 'action ID, quote ID or idempotency key')
    .addHelpText('after', '\nExample:\n  $ sluice action show 0f8fad5b-d9cb-469f-a165-70867728950e')
    .action(action(world, show, 'getAction'))
  command
    .command('watch')
    .description('Follow actions until they finish; the exit code gives the outcome. Signs nothing.')
    .argument('<id...>', 'action IDs')
    .option('--interval <duration>', 'how often to poll', '2s')
    .addHelpText(
      'after',
      '\nExample:\n  $ sluice action watch 0f8fad5b-d9cb-469f-a165-70867728950e --timeout 10m',
    )
    .action(action(world, watch))
  withExecution(
    withSigner(
      command
        .command('resume')
        .description('Resume an action after a crash, a timeout or Ctrl-C. Never pays a step twice.')
        .argument('<id>', 'action ID or idempotency key'),
    ),
    { isNew: false },
  )
    .addHelpText('after', '\nExample:\n  $ sluice action resume 0f8fad5b-d9cb-469f-a165-70867728950e')
    .action(
      action(world, (cli: Cli, id: string, options: ResumeOptions) =>
        resumeOperation(cli, id, options, undefined),
      ),
    )
  addReplacements(command, world)
  command
    .command('abandon')
    .description('Close an action: drop its unsigned steps. Transactions already signed still go through.')
    .argument('<id>', 'action ID, quote ID or idempotency key')
    .addHelpText('after', '\nExample:\n  $ sluice action abandon 0f8fad5b-d9cb-469f-a165-70867728950e')
    .action(action(world, abandonAction))
  addSubmit(command, world)
  addReplan(command, world)
  addRevoke(command, world)
  addEvidence(command, world)
  addExplain(command, world)
  return command
}

const statuses = ['INITIAL', 'PENDING', 'SUCCESS', 'FAILED']

function upper(text: string): string {
  const status = text.toUpperCase()
  if (statuses.includes(status)) return status
  throw new AppError('USAGE', `Unknown status "${sanitizeText(text)}"`, {
    hint: `--status ${statuses.join(', ')}`,
  })
}

type Row = Pick<
  Report,
  | 'id'
  | 'type'
  | 'status'
  | 'strategySlug'
  | 'originAddress'
  | 'amounts'
  | 'createdAt'
  | 'updatedAt'
  | 'finishedAt'
>

async function list(cli: Cli, options: { status?: string; wallet?: string }): Promise<void> {
  const context = await cli.backend.context()
  const wallet = options.wallet === undefined ? undefined : await walletAddress(cli, options.wallet)
  const rows: Row[] = context.journal
    .list({ limit: 10_000, ...(wallet && { wallet }) }, (id) =>
      cli.notice(
        `The journal entry of action ${id} is damaged, so it is not listed: sluice action show ${id}`,
      ),
    )
    .filter((operation) => !successorOf(context, operation))
    .map((operation) => reportFor(context, operation))
    .filter(({ status }) => options.status === undefined || status === options.status)
  await cli.list(
    { items: rows, page: 1, limit: Math.max(1, rows.length), total: rows.length, hasMore: false },
    {
      empty: options.status === undefined && wallet === undefined ? 'No actions yet.' : 'No actions match.',
      columns: [
        { title: 'ACTION', field: 'id', text: ({ id }) => id },
        { title: 'TYPE', field: 'type', text: ({ type }) => type, drop: 2 },
        {
          title: 'AMOUNT',
          field: 'amounts',
          align: 'right',
          text: ({ amounts }, _, places) => printed(amounts.in ?? amounts.out, places),
        },
        { title: 'STRATEGY', field: 'strategySlug', text: ({ strategySlug }) => strategySlug ?? '', drop: 3 },
        { title: 'STATUS', field: 'status', text: ({ status }, paint) => stateWord(status, paint) },
        {
          title: 'CREATED',
          field: 'createdAt',
          csv: ({ createdAt }) => createdAt,
          text: ({ createdAt }) => utcTime(createdAt),
          drop: 1,
        },
      ],
    },
  )
}

const printed = (amount: TokenAmount | null, places: number) =>
  amount === null ? 'max' : `${decimal(amount.formatted, places)} ${sanitizeText(amount.symbol)}`

/** `action show` */
async function show(cli: Cli, id: string): Promise<void> {
  const context = readOnlyContext(await cli.backend.context())
  // --raw prints the response of the service, not the journal.
  const operation = cli.globals.raw ? undefined : await findUpdated(cli, context, id)
  if (!operation) return cli.emit(await (await cli.service()).getAction({ id }), actionView)
  const report = reportFor(context, operation)
  const reasons = await Promise.all(
    operation.steps.map((step) =>
      step.state === 'FINAL_REVERTED' ? revertCause(context.rpc(step.transaction.chainId), step) : null,
    ),
  )
  const transactions = report.transactions.map((tx, at) => ({ ...tx, error: reasons[at] ?? tx.error }))
  cli.emit({ ...report, transactions }, actionView)
}
