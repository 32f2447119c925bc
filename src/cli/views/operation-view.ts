import type { Action } from '../../api/action.ts'
import type { Report } from '../../diagnosis/report-from-journal.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { hashLink } from '../terminal/explorer-links.ts'
import { decimal, stateWord } from '../terminal/format.ts'
import type { Stream } from '../terminal/io-types.ts'
import { fieldTable } from '../terminal/table.ts'
import { displayWidth } from '../terminal/text-wrap.ts'

/** An operation and its transactions. */
export function operationView(report: Report & { replayed?: boolean }, to: Stream): string {
  const { amounts, originAddress, receiverAddress } = report
  const amount = amounts.in ?? amounts.out
  return [
    fieldTable(
      [
        ['action', report.id],
        ['type', report.type],
        [
          'status',
          stateWord(report.status, to.paint) +
            (report.replayed ? to.paint.dim(' (already done; nothing was sent)') : ''),
        ],
        report.strategySlug && ['strategy', report.strategySlug],
        amount && ['amount', amountText(amount)],
        ...outcome(report),
        receiverAddress !== originAddress && receiverAddress && ['to', receiverAddress],
        report.queued && ['then', report.queued.next],
        report.arrivedShort && ['arrived', shortLine(report.arrivedShort)],
        report.destinationTxHash && ['arrived in', report.destinationTxHash],
        ['wallet', originAddress],
      ],
      to,
    ),
    ...report.transactions.map((one) => transactionLine(one, to)),
  ].join('\n')
}

const amountText = ({ formatted, symbol }: NonNullable<Report['amounts']['in']>): string =>
  `${decimal(formatted)} ${sanitizeText(symbol)}`

/** The expected output of an exchange, until the actual one is known. */
function outcome({ amounts, status }: Report): (readonly [label: string, value: string])[] {
  const { in: paid, out, outAtLeast } = amounts
  if (outAtLeast) return [['received', `at least ${amountText(outAtLeast)}`]]
  if (!paid || !out || amountText(paid) === amountText(out) || status === 'FAILED') return []
  return [[status === 'SUCCESS' ? 'received' : 'expected', amountText(out)]]
}

const shortLine = ({ brought, minimum, network }: NonNullable<Report['arrivedShort']>): string =>
  `${decimal(brought.formatted)} ${sanitizeText(brought.symbol)} on ${network}; at least ${decimal(minimum.formatted)} was agreed`

function transactionLine(
  { kind, network, hash, status, blockNumber, error }: Report['transactions'][number],
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
export const actionView = (one: Report | Action, to: Parameters<typeof operationView>[1]): string =>
  'assurance' in one
    ? operationView(one, to)
    : operationView(
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
