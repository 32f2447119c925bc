import { Command } from 'commander'

import { type Action, isFinalStatus } from '../api/action.ts'
import { action, type Cli } from '../cli/cli.ts'
import { decimal, stateWord, when } from '../cli/format.ts'
import { duration } from '../cli/globals.ts'
import { walletAddress } from '../cli/names.ts'
import { finish, reportFor } from '../cli/operate.ts'
import type { SigningOptions } from '../cli/options.ts'
import { reportView } from '../cli/report-view.ts'
import { observe } from '../cli/watching.ts'
import type { World } from '../cli/world.ts'
import type { TokenAmount } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import { plain } from '../domain/text.ts'
import type { Planned } from '../wallet/carry-out.ts'
import type { Ground } from '../wallet/ground.ts'
import type { Report } from '../wallet/report.ts'
import { whyReverted } from '../wallet/why-reverted.ts'

/** `action`: what was started here, and where it stands. */
export const actionCommand = (world: World) => {
  const command = new Command('action').description('Show, watch and resume what was started.')
  command
    .command('list')
    .description("What this machine's journal holds, newest first.")
    .option('--status <status>', 'only this status: INITIAL, PENDING, SUCCESS, FAILED')
    .option('--wallet <wallet>', 'only this wallet (address or keystore name)')
    .addHelpText('after', '\nExample:\n  $ sluice action list --status PENDING')
    .action(action(world, list))
  command
    .command('show')
    .description('What is known of an action: its transactions, receipts, and why one reverted.')
    .argument('<id>', 'action id, quote id or idempotency key')
    .addHelpText('after', '\nExample:\n  $ sluice action show 0f8fad5b-d9cb-469f-a165-70867728950e')
    .action(action(world, show))
  command
    .command('watch')
    .description('Follow actions to their end; the exit code says how they ended. Signs nothing.')
    .argument('<id...>', 'action ids')
    .option('--interval <duration>', 'how often to look', '2s')
    .addHelpText(
      'after',
      '\nExample:\n  $ sluice action watch 0f8fad5b-d9cb-469f-a165-70867728950e --timeout 10m',
    )
    .action(action(world, watch))
  command
    .command('resume')
    .description('Go on after a crash, a timeout or Ctrl-C. Never sends a step twice.')
    .argument('<id>', 'action id or idempotency key')
    .option('--wallet <name>', 'keystore that signs')
    .option('--key-file <path>', 'file of mode 0600 with a private key')
    .option('--password-file <path>', 'file of mode 0600 with the password')
    .option('--no-wait', 'send, then exit 20 with the id')
    .addHelpText('after', '\nExample:\n  $ sluice action resume 0f8fad5b-d9cb-469f-a165-70867728950e')
    .action(action(world, resume))
  return command
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
  const ground = await cli.place.ground()
  const wallet = options.wallet === undefined ? undefined : await walletAddress(cli, options.wallet)
  const rows: Row[] = ground.journal
    .list({ limit: 10_000, ...(wallet && { wallet }) })
    .map((operation) => reportFor(ground, operation))
    .filter(({ status }) => options.status === undefined || status === options.status.toUpperCase())
  await cli.list(
    { items: rows, page: 1, limit: rows.length, total: rows.length, hasMore: false },
    {
      empty: 'The journal is empty.',
      columns: [
        { title: 'ACTION', field: 'id', text: ({ id }) => id },
        { title: 'TYPE', field: 'type', text: ({ type }) => type, drop: 2 },
        {
          title: 'AMOUNT',
          field: 'amounts',
          align: 'right',
          text: ({ amounts }) => printed(amounts.in ?? amounts.out),
        },
        { title: 'STRATEGY', field: 'strategySlug', text: ({ strategySlug }) => strategySlug ?? '', drop: 3 },
        { title: 'STATUS', field: 'status', text: ({ status }, paint) => stateWord(status, paint) },
        {
          title: 'CREATED',
          field: 'createdAt',
          csv: ({ createdAt }) => createdAt,
          text: ({ createdAt }) => when(createdAt),
          drop: 1,
        },
      ],
    },
  )
}

const printed = (amount: TokenAmount | null) =>
  amount === null ? 'max' : `${decimal(amount.formatted)} ${plain(amount.symbol)}`

const inJournal = ({ journal }: Ground, id: string): Planned | undefined =>
  journal.find(id) ?? journal.list({ limit: 10_000 }).find(({ idemKey }) => idemKey === id)

async function show(cli: Cli, id: string): Promise<void> {
  const ground = await cli.place.ground()
  const operation = inJournal(ground, id)
  if (!operation) return cli.emit(await (await cli.service()).getAction({ id }), anyView)
  const report = reportFor(ground, operation)
  const reasons = await Promise.all(
    operation.steps.map((step) =>
      step.state === 'FINAL_REVERTED' ? whyReverted(ground.rpc(step.transaction.chainId), step) : null,
    ),
  )
  const transactions = report.transactions.map((tx, at) => ({ ...tx, error: reasons[at] ?? tx.error }))
  cli.emit({ ...report, transactions }, anyView)
}

const anyView = (one: Report | Action, to: Parameters<typeof reportView>[1]): string =>
  'assurance' in one
    ? reportView(one, to)
    : reportView(
        {
          ...one,
          assurance: '',
          idempotencyKey: '',
          destinationTxHash: null,
          amounts: (one.amounts ?? { in: null, out: null }) as Report['amounts'],
          transactions: one.transactions.map((tx) => ({ ...tx, kind: tx.kind ?? '-' })),
        } as never,
        to,
      )

async function watch(cli: Cli, ids: string[], options: { interval: string }): Promise<void> {
  const intervalMs = duration(options.interval)
  const ends = await Promise.all(
    ids.map((id) =>
      observe(cli, () => watched(cli, id), {
        isOver: ({ status }) => isFinalStatus(status),
        view: anyView,
        intervalMs,
      }),
    ),
  )
  const refunded = ends.find(({ status }) => status.toUpperCase() === 'REFUNDED')
  if (refunded)
    throw new AppError('REFUNDED', `Action ${refunded.id} ended in a refund`, {
      details: { id: refunded.id },
    })
  const failed = ends.find(({ status }) => status.toUpperCase() === 'FAILED')
  if (failed)
    throw new AppError('ACTION_FAILED', `Action ${failed.id} failed`, { details: { id: failed.id } })
}

/** The service follows the chain; an operation that only the journal knows is looked up there. */
async function watched(cli: Cli, id: string): Promise<Report | Action> {
  const ground = await cli.place.ground()
  const operation = inJournal(ground, id)
  if (operation?.state === 'DONE' || operation?.state === 'FAILED') return reportFor(ground, operation)
  return (await cli.service()).getAction({ id: operation?.id ?? id })
}

async function resume(cli: Cli, id: string, options: SigningOptions): Promise<void> {
  const ground = await cli.place.ground()
  const operation = inJournal(ground, id)
  if (!operation)
    throw new AppError('ACTION_NOT_FOUND', `The journal of this machine holds no action "${plain(id)}"`)
  const named = options.wallet !== undefined || options.keyFile !== undefined
  const who = await cli.place
    .who(named ? options : { passwordFile: options.passwordFile })
    .then((first) =>
      first.address === operation.wallet || named
        ? first
        : cli.place.who({ ...options, wallet: operation.wallet }),
    )
  if (who.address !== operation.wallet)
    throw new AppError(
      'KEY_SOURCE',
      `This action belongs to ${operation.wallet}, and ${who.label} is ${who.address}`,
      { hint: 'Name its wallet: --wallet NAME' },
    )
  await finish(cli, ground, operation, who, options)
}
