import type { Cli } from '../../cli/command-run-types.ts'
import { amountCsv } from '../../cli/output/field-names.ts'
import { reportFor } from '../../cli/signing-flow/report-in-errors.ts'
import { decimal, stateWord, utcTime } from '../../cli/terminal/format.ts'
import { walletAddress } from '../../cli/wallet-address.ts'
import type { Report } from '../../diagnosis/report-from-journal.ts'
import { successorOf } from '../../diagnosis/successor-operation.ts'
import type { TokenAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { type ActionStatus, actionStatuses } from '../../domain/swap-outcome.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'

/** Parses --status in any case. */
export function statusOf(text: string): ActionStatus {
  const status = actionStatuses.find((one) => one === text.toUpperCase())
  if (status !== undefined) return status
  throw new AppError('USAGE', `Unknown status "${sanitizeText(text)}"`, {
    hint: `--status ${actionStatuses.join(', ')}`,
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

/** `action list` */
export async function listActions(cli: Cli, options: { status?: string; wallet?: string }): Promise<void> {
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
        { title: 'ACTION', field: 'id', csv: { id: ({ id }) => id }, text: ({ id }) => id },
        { title: 'TYPE', field: 'type', csv: { type: ({ type }) => type }, text: ({ type }) => type },
        {
          title: 'AMOUNT',
          field: 'amounts',
          csv: {
            ...amountCsv('amountIn', ({ amounts }) => amounts.in),
            ...amountCsv('amountOut', ({ amounts }) => amounts.out),
          },
          align: 'right',
          text: ({ amounts }, _, places) => printed(amounts.in ?? amounts.out, places),
        },
        {
          title: 'STRATEGY',
          field: 'strategySlug',
          csv: { strategySlug: ({ strategySlug }) => strategySlug },
          text: ({ strategySlug }) => strategySlug ?? '',
          drop: 3,
        },
        {
          title: 'STATUS',
          field: 'status',
          csv: { status: ({ status }) => status },
          text: ({ status }, paint) => stateWord(status, paint),
        },
        {
          title: 'CREATED',
          field: 'createdAt',
          csv: { createdAt: ({ createdAt }) => createdAt },
          text: ({ createdAt }) => utcTime(createdAt),
          drop: 1,
        },
      ],
    },
  )
}

const printed = (amount: TokenAmount | null, places: number) =>
  amount === null ? 'max' : `${decimal(amount.formatted, places)} ${sanitizeText(amount.symbol)}`
