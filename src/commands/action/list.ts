import type { Action } from '../../api/action.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { statusOf, wholeNumber } from '../../cli/options/option-values.ts'
import { amountCsv } from '../../cli/output/field-names.ts'
import type { Column } from '../../cli/output/view-types.ts'
import { firstPages, isWithoutList } from '../../cli/read-all-pages.ts'
import { reportFor } from '../../cli/signing-flow/report-in-errors.ts'
import { amountShown, utcTime } from '../../cli/terminal/format.ts'
import { onlyOfService, statedAmounts, statusShown } from '../../cli/views/operation-view.ts'
import { walletAddress } from '../../cli/wallet-address.ts'
import type { Report } from '../../diagnosis/report-from-journal.ts'
import { successorOf } from '../../diagnosis/successor-operation.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { type ActionStatus, wordOf } from '../../domain/swap-outcome.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'

/** A row: of the journal, or only of the service; `source` says which. What only the other has is `null`. */
type Row =
  | (Report & { source: 'journal'; reported: null })
  | (Omit<Action, 'reported'> & { source: 'service'; reported: string | null } & Record<
        keyof typeof unknownToService,
        null
      >)

const unknownToService = { destinationTxHash: null, finality: null, assurance: null, idempotencyKey: null }

const amountsOf = (row: Row) => (row.source === 'journal' ? row.amounts : statedAmounts(row.amounts))

const columns: readonly Column<Row>[] = [
  { title: 'ACTION', field: 'id', csv: { id: ({ id }) => id }, text: ({ id }) => sanitizeText(id) },
  {
    title: 'TYPE',
    field: 'type',
    csv: { type: ({ type }) => type },
    text: ({ type }) => typeShown(type),
  },
  {
    title: 'AMOUNT',
    field: 'amounts',
    csv: {
      ...amountCsv('amountIn', (row: Row) => amountsOf(row).in),
      ...amountCsv('amountOut', (row: Row) => amountsOf(row).out),
    },
    align: 'right',
    text: (row, _, places) => {
      const { in: paid, out } = amountsOf(row)
      const amount = paid ?? out ?? (row.source === 'journal' ? row.queued?.amount : null)
      return amount ? amountShown(amount, places) : takesEverything(row) ? 'max' : '-'
    },
  },
  {
    title: 'STRATEGY',
    field: 'strategySlug',
    csv: { strategySlug: ({ strategySlug }) => strategySlug },
    text: ({ strategySlug }) => sanitizeText(strategySlug ?? ''),
    drop: 3,
  },
  {
    title: 'STATUS',
    field: 'status',
    csv: {
      status: ({ status }) => status,
      reported: ({ reported }) => reported,
      source: ({ source }) => source,
    },
    text: statusShown,
  },
  {
    title: 'CREATED',
    field: 'createdAt',
    csv: { createdAt: ({ createdAt }) => createdAt },
    text: ({ createdAt }) => (createdAt === null ? '-' : utcTime(createdAt)),
    drop: 1,
    whole: true,
  },
]

/** `action list` */
export async function listActions(cli: Cli, options: OptionsOf<'action list'>): Promise<void> {
  const context = await cli.backend.context()
  const asked = options.status === undefined ? undefined : statusOf(options.status)
  const wallet = options.wallet === undefined ? undefined : await walletAddress(cli, options.wallet)
  const own = context.journal
    .list({ limit: 10_000, ...(wallet && { wallet }) }, (id) =>
      cli.notice(
        advice`The journal entry of action ${id} is damaged, so it is not listed: ${sluice('action show', id)}`,
      ),
    )
    .filter((operation) => !successorOf(context, operation))
    .map((operation): Row => ({ ...reportFor(context, operation), source: 'journal', reported: null }))
    .filter(({ status }) => asked === undefined || status === asked)
  // An action of the journal has the same id at the service, also one with another status there.
  const isElsewhere = ({ id }: Action) => context.journal.find(id) === undefined
  const heard = cli.backend.kind === 'remote' ? await actionsOfService(cli, asked, wallet) : undefined
  const others = (heard?.actions ?? []).filter(isElsewhere).map(
    (action): Row => ({
      ...unknownToService,
      ...action,
      source: 'service',
      reported: action.reported ?? null,
    }),
  )
  const rows = [...own, ...others].toSorted((a, b) => timeOf(b) - timeOf(a))
  const marked = others.length > 0
  const isPaged = options.page !== undefined || options.limit !== undefined
  const page = wholeNumber(options.page ?? '1', '--page')
  const limit = isPaged ? wholeNumber(options.limit ?? '20', '--limit', 100) : Math.max(1, rows.length)
  const items = rows.slice((page - 1) * limit, page * limit)
  await cli.list(
    {
      ...{ items, page, limit, total: rows.length, hasMore: page * limit < rows.length },
      ...(heard && heard.answer !== 'listed' && { service: heard.answer }),
    },
    {
      empty: options.status === undefined && wallet === undefined ? 'No actions yet.' : 'No actions match.',
      ...(marked && { note: onlyOfService }),
      columns,
    },
  )
}

const timeOf = ({ createdAt }: Row): number => (createdAt === null ? 0 : Date.parse(createdAt))

/** The most actions of the service that are listed. */
const mostOfService = 1_000

type Asked = { actions: Action[]; answer: 'listed' | 'none' | 'unanswered' }

/**
 * The customer's actions that the service lists, of any machine, newest first. `none`: the deployment has no such list. A service
 * that does not answer fails no list of the journal; a line on stderr says either.
 */
async function actionsOfService(
  cli: Cli,
  status: ActionStatus | undefined,
  wallet: Address | undefined,
): Promise<Asked> {
  const here = 'only the actions of this machine are listed'
  try {
    const service = await cli.service()
    const page = (at: number) =>
      service.listActions({ page: at, limit: 100, ...(status && { status }), ...(wallet && { wallet }) })
    const { rows, isCut } = await firstPages(page, mostOfService)
    if (isCut) cli.notice(`Of the actions at the service, the newest ${mostOfService} are listed.`)
    // Another deployment may ignore the filters.
    const actions = rows.filter(
      (one) =>
        (status === undefined || wordOf(one) === status) &&
        (wallet === undefined || sameAddress(one.originAddress ?? '', wallet)),
    )
    return { actions, answer: 'listed' }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (isWithoutList(error)) {
      cli.notice(`This deployment of the service has no list of actions, so ${here}.`)
      return { actions: [], answer: 'none' }
    }
    cli.notice(`The service did not list its actions (${sanitizeText(error.message)}), so ${here}.`)
    return { actions: [], answer: 'unanswered' }
  }
}

/** A type without what `action show` says of its networks: `SAMECHAIN_INVESTMENT_DEPOSIT` is `DEPOSIT`. */
const typeShown = (type: string): string =>
  sanitizeText(type.replace(/^(SAME|CROSS)CHAIN_(INVESTMENT_)?(?=.)/, ''))

/** Whether an action without an amount withdraws everything: a queued one, or another one before its end. */
const takesEverything = (row: Row): boolean =>
  row.source === 'journal' &&
  (row.queued
    ? row.queued.amount === null
    : row.type.endsWith('_WITHDRAW') && (row.status === 'INITIAL' || row.status === 'PENDING'))
