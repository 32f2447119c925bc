import type { Report } from '../../diagnosis/report-from-journal.ts'
import type { StepTimes } from '../../diagnosis/step-times.ts'
import type { Waiting } from '../../diagnosis/verdict.ts'
import type { TokenAmount } from '../../domain/amount.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { spanText } from '../../domain/text/time-spans.ts'
import type { ActionAtService, actionSources } from '../named-id.ts'
import type { Line, View } from '../output/view-types.ts'
import { hashLink } from '../terminal/explorer-links.ts'
import { decimal, dollars, stateWord, utcTime } from '../terminal/format.ts'
import type { Stream } from '../terminal/io-types.ts'
import { fieldTable } from '../terminal/table.ts'
import { displayWidth, wrapWords } from '../terminal/text-wrap.ts'

type ShownTransaction = Pick<
  Report['transactions'][number],
  'kind' | 'network' | 'hash' | 'status' | 'blockNumber' | 'error'
> &
  Partial<StepTimes & { index: number; gasFee: TokenAmount | null; gasFeeUsd: string | null }>

/** What is shown of an action. A service may state neither wallet nor amounts. */
type Shown = Pick<
  Report,
  'id' | 'type' | 'strategySlug' | 'amounts' | 'queued' | 'arrivedShort' | 'destinationTxHash'
> & {
  status: string
  originAddress: string | null
  receiverAddress: string | null
  transactions: ShownTransaction[]
  createdAt?: string | null
  finishedAt?: string | null
  refund?: Report['refund']
  deposit?: Report['deposit']
  replayed?: boolean
  waiting?: Waiting | null
  reported?: string | null | undefined
  source?: (typeof actionSources)[number]
}

/** The note below a table or an action with the mark `*`. */
export const onlyOfService = '* of another machine: only the service reports it'

/** The status of an action in its colour, with the word that a service reports, and marked if nothing here has checked it. */
export const statusShown = (
  { status, reported, source }: Pick<Shown, 'status' | 'reported' | 'source'>,
  paint: Stream['paint'],
): string =>
  stateWord(sanitizeText(status), paint) +
  (reported ? ` (${sanitizeText(reported)})` : '') +
  (source === 'service' ? '*' : '')

/** An operation and its transactions. */
export function operationView(report: Shown, to: Stream, line: Line): string {
  const { amounts, originAddress, receiverAddress } = report
  const amount = amounts.in ?? amounts.out ?? report.queued?.amount
  return [
    fieldTable(
      [
        ['action', report.id],
        ['type', report.type],
        [
          'status',
          statusShown(report, to.paint) +
            (report.replayed ? to.paint.dim(' (already done; nothing was sent)') : ''),
        ],
        report.strategySlug && ['strategy', report.strategySlug],
        amount && ['amount', amountText(amount)],
        ...outcome(report),
        receiverAddress !== originAddress && receiverAddress && ['to', receiverAddress],
        report.queued && [
          'then',
          report.strategySlug
            ? line(sluice('withdraw', report.strategySlug, { '--claim': true }))
            : report.queued.next,
        ],
        report.arrivedShort && ['arrived', shortLine(report.arrivedShort)],
        report.deposit && ['deposit', depositLine(report.deposit)],
        report.destinationTxHash && ['arrived in', report.destinationTxHash],
        report.refund && ['paid back', refundLine(report.refund)],
        report.waiting && ['waits', waitingText(report.waiting)],
        report.waiting && isOverdue(report.waiting) && ['next', line(sluice('action explain', report.id))],
        originAddress !== null && ['wallet', originAddress],
        report.createdAt && ['created', utcTime(report.createdAt)],
        report.finishedAt && ['finished', utcTime(report.finishedAt)],
      ],
      to,
    ),
    ...report.transactions.flatMap((one) => transactionLines(one, to)),
    ...(report.source === 'service' ? [to.paint.dim(onlyOfService)] : []),
  ].join('\n')
}

/** Whether a wait has taken longer than the usual maximum. */
const isOverdue = ({ waitedSeconds, mostSeconds }: Waiting): boolean =>
  mostSeconds !== null && waitedSeconds > mostSeconds

/** `burned 2 days ago (block time); usually 20 minutes, at most 60 minutes`. */
export function waitingText({ what, clock, waitedSeconds, usualSeconds, mostSeconds }: Waiting): string {
  const usual = [
    ...(usualSeconds === null ? [] : [`usually ${spanText(1_000 * usualSeconds)}`]),
    ...(mostSeconds === null ? [] : [`at most ${spanText(1_000 * mostSeconds)}`]),
  ].join(', ')
  const by = clock === 'chain' ? ' (block time)' : ''
  return `${what} ${spanText(1_000 * waitedSeconds)} ago${by}${usual === '' ? '' : `; ${usual}`}`
}

/** A fee for gas in USD, to follow the fee in the coin: ` ($1.23)`; nothing without a price. */
export const gasWorth = (usd: string | null): string =>
  usd === null ? '' : ` (${Number(usd) < 0.01 ? '<$0.01' : dollars(usd)})`

const amountText = ({ formatted, symbol }: NonNullable<Report['amounts']['in']>): string =>
  `${decimal(formatted)} ${sanitizeText(symbol)}`

/** The expected output of an exchange, until the actual one is known. */
function outcome({ amounts, status, type }: Shown): (readonly [label: string, value: string])[] {
  const { in: paid, out, outAtLeast } = amounts
  if (outAtLeast) return [['received', `at least ${amountText(outAtLeast)}`]]
  // What a deposit or a transfer moves, it moves whole; a swap may bring as much of the same token elsewhere.
  const isSame = paid && out && amountText(paid) === amountText(out) && !type.endsWith('_SWAP')
  if (!paid || !out || isSame || status === 'FAILED') return []
  return [[status === 'SUCCESS' ? 'received' : 'expected', amountText(out)]]
}

/** How the deposit stands. How to pay it says `swap execute`, which looks first whether it is paid. */
const depositLine = ({ hash, until }: NonNullable<Report['deposit']>): string =>
  hash === null ? `none is seen; due ${utcTime(until)}` : sanitizeText(hash)

const refundLine = ({ amount, network, hash, at, paidAt }: NonNullable<Report['refund']>): string =>
  `${decimal(amount.formatted)} ${sanitizeText(amount.symbol)} on ${network} in ${hash}${paidAt === undefined ? '' : ` at ${utcTime(paidAt)} (block time)`}, final ${utcTime(at)}`

/** A transaction of an action with its times and its fee for gas. */
export const transactionLines = (one: ShownTransaction, to: Stream): string[] => [
  transactionLine(one, to),
  ...timesLine(one, to),
]

/**
 * When a step was signed, sent, mined and final, and its fee: the first time, and how much later the others were, unless in the same
 * second. No line where nothing is known.
 */
function timesLine(one: ShownTransaction, to: Stream): string[] {
  const { signedAt, sentAt, minedAt, finalAt, gasFee, gasFeeUsd } = one
  const [first, ...later] = Object.entries({
    signed: signedAt,
    sent: sentAt,
    'seen in a block': minedAt,
    final: finalAt,
  }).flatMap(([word, at]) => (at ? [{ word, at, second: Math.floor(Date.parse(at) / 1_000) }] : []))
  let before = first?.second
  const times = first ? [`${first.word} ${utcTime(first.at)}`] : []
  for (const { word, at, second } of later) {
    if (second === before) continue
    // A clock that was set back has no difference to tell.
    const isLater = second > first!.second
    times.push(`${word} ${isLater ? `${spanText(1_000 * (second - first!.second))} later` : utcTime(at)}`)
    before = second
  }
  const fee = gasFee ? [`gas ${amountText(gasFee)}${gasWorth(gasFeeUsd ?? null)}`] : []
  const all = [...times, ...fee]
  if (all.length === 0) return []
  return wrapWords(
    all.join(', '),
    to.isTerminal ? Math.max(20, to.columns - 4) : Number.POSITIVE_INFINITY,
  ).map((line) => to.paint.dim(`    ${line}`))
}

const shortLine = ({ brought, minimum, network }: NonNullable<Report['arrivedShort']>): string =>
  `${decimal(brought.formatted)} ${sanitizeText(brought.symbol)} on ${network}; at least ${decimal(minimum.formatted)} was agreed`

function transactionLine(
  { kind, network, hash, status, blockNumber, error }: ShownTransaction,
  to: Stream,
): string {
  // A transaction without a hash is only expected by the service.
  const word = hash === null && status === 'pending' ? 'not seen' : status
  const state = `${stateWord(word, to.paint)}${blockNumber === null ? '' : to.paint.dim(` block ${blockNumber}`)}`
  const why = error === null ? '' : ` ${sanitizeText(error)}`
  const head = `  ${kind.padEnd(9)} ${network}`
  const link = hash ? hashLink(to, network, hash) : ''
  const line = `${head}  ${link || '-'.padEnd(66)}  ${state}${why}`
  return to.isTerminal && displayWidth(line) > to.columns
    ? `${head}  ${state}${why}\n    ${link || '-'}`
    : line
}

/** The report of an action, from the journal or from the service. */
export const actionView: View<Report | ActionAtService> = (one, to, line) =>
  operationView('assurance' in one ? one : shownOf(one), to, line)

/** An action of the service, for the same view. The specification leaves amounts and transactions open, so nothing of them is taken for granted. */
function shownOf(one: ActionAtService): Shown {
  return {
    id: sanitizeText(one.id),
    type: sanitizeText(one.type),
    status: sanitizeText(one.status),
    reported: one.reported,
    source: one.source,
    strategySlug: one.strategySlug === null ? null : sanitizeText(one.strategySlug),
    originAddress: one.originAddress === null ? null : sanitizeText(one.originAddress),
    receiverAddress: one.receiverAddress === null ? null : sanitizeText(one.receiverAddress),
    amounts: statedAmounts(one.amounts),
    destinationTxHash: null,
    createdAt: one.createdAt,
    finishedAt: one.finishedAt,
    transactions: one.transactions.map((tx) => ({
      ...tx,
      kind: sanitizeText(tx.kind ?? '-'),
      network: sanitizeText(tx.network ?? (tx.chainId === null ? '-' : `chain ${tx.chainId}`)),
      status: sanitizeText(tx.status ?? '-'),
    })),
  }
}

/** The amounts of an action that a service states in our shape; `null` for another shape. */
export const statedAmounts = (amounts: unknown): Record<'in' | 'out', TokenAmount | null> => ({
  in: amountIn(amounts, 'in'),
  out: amountIn(amounts, 'out'),
})

/** An amount that a service states in our shape; `null` for another shape. */
function amountIn(amounts: unknown, side: 'in' | 'out'): TokenAmount | null {
  const { formatted, symbol } = ((amounts as Record<string, unknown> | null)?.[side] ??
    {}) as Partial<TokenAmount>
  const isAmount =
    typeof formatted === 'string' && /^-?[0-9.]+$/.test(formatted) && typeof symbol === 'string'
  return isAmount ? ((amounts as Record<string, TokenAmount>)[side] ?? null) : null
}
