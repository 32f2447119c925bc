import type { Action } from '../../api/action.ts'
import type { Report } from '../../diagnosis/operation-status-report.ts'
import { type Network, networkShown } from '../../domain/networks.ts'
import { sanitizeText } from '../../domain/terminal-sanitizing.ts'
import type { JournalOperation } from '../../planning/context.ts'
import type { Progress } from '../../transactions/run-state.ts'
import { hashLink } from '../terminal/explorer-links.ts'
import { decimal, stateWord } from '../terminal/format.ts'
import type { Stream } from '../terminal/io-types.ts'
import { fields } from '../terminal/table.ts'
import { beside, widthOf } from '../terminal/text-wrap.ts'

/** One event of an execution: the line that stays, and the text that moves. */
export function progressLine(
  progress: Progress,
  operation: JournalOperation,
  networks: readonly Network[],
  to: Stream,
): { line: string | null; moving: string | null } {
  const of = operation.steps.length
  const nameOf = (chainId: number) => networkShown(networks, chainId).name
  const hash = (chainId: number, text: string) => to.paint.dim(hashLink(to, nameOf(chainId), text))
  switch (progress.kind) {
    case 'signed':
      return { line: null, moving: `${progress.step.index + 1}/${of} ${progress.step.text}` }
    case 'sent':
      return {
        line: null,
        moving: `${progress.step.index + 1}/${of} ${progress.step.text} ${to.paint.dim(progress.hash)}`,
      }
    case 'included':
      return {
        line: null,
        moving: `${progress.step.index + 1}/${of} ${progress.step.text} ${to.paint.dim(`in block ${progress.blockNumber}`)}`,
      }
    case 'final':
      return {
        line: beside(
          `${endMark(progress.step.state, to)} ${progress.step.text}`,
          `${hash(progress.step.transaction.chainId, progress.hash)} ${to.paint.dim(`block ${progress.blockNumber}`)}`,
          to,
        ),
        moving: null,
      }
    case 'raised':
    case 'cancelling':
      return {
        line: `${to.paint.yellow('!')} ${progress.kind === 'raised' ? `${progress.isRefused ? 'the node refused the fee as too low' : 'pending for too long'}: resent with a higher fee` : 'cancelling with a no-op transaction'} ${hash(progress.step.transaction.chainId, progress.hash)}`,
        moving: progress.step.text,
      }
    case 'gone':
      return {
        line: `${to.paint.yellow('!')} a reorganisation removed ${progress.hash} from its block; resending it`,
        moving: `${progress.step.text}`,
      }
    case 'waiting':
      return {
        line: null,
        moving: `waiting for the bridge to deliver the funds on ${nameOf(progress.leg.chainId)}`,
      }
    case 'arrived':
      return {
        line: `${done(to)} arrived on ${nameOf(progress.leg.chainId)} ${hash(progress.leg.chainId, progress.hash)}`,
        moving: null,
      }
  }
}

/** How a step ended, in one sign, and in a word where it did not end well. */
const endMark = (state: string, to: Stream): string =>
  state === 'FINAL_OK'
    ? done(to)
    : to.paint.red(`${to.ascii ? 'x' : '✗'} ${state === 'CANCELLED' ? 'cancelled' : 'reverted'}:`)

const done = ({ paint, ascii }: Stream): string => paint.green(ascii ? 'ok' : '✓')

/** An operation and its transactions. */
export function reportView(report: Report & { replayed?: boolean }, to: Stream): string {
  const { amounts, originAddress, receiverAddress } = report
  const amount = amounts.in ?? amounts.out
  return [
    fields(
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
  return to.isTerminal && widthOf(line) > to.columns ? `${head}  ${state}${why}\n    ${link || '-'}` : line
}

/** The report of an action, from the journal or from the service. */
export const anyView = (one: Report | Action, to: Parameters<typeof reportView>[1]): string =>
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
