import type { Network } from '../domain/network.ts'
import { networkNamed } from '../domain/network.ts'
import { plain } from '../domain/text.ts'
import { type Level, levelMeaning } from '../wallet/assurance.ts'
import type { Planned } from '../wallet/carry-out.ts'
import type { planJson } from '../wallet/plan-json.ts'
import type { Report } from '../wallet/report.ts'
import type { Progress } from '../wallet/run.ts'
import { decimal, stateWord, when } from './format.ts'
import type { Stream } from './io.ts'
import { fields } from './table.ts'

type Plan = ReturnType<typeof planJson>

/** What will be signed, before it is: who, what each transaction does, what it changes, what it can cost. */
export function planView(plan: Plan, title: string, label: string | null, to: Stream): string {
  const {
    wallet,
    steps,
    contracts,
    simulation,
    fees,
    serviceFees,
    planHash,
    assurance,
    reference,
    policy,
    expiresAt,
  } = plan
  const rows = steps.map(
    ({ network, text, to: target, simulated }, at) =>
      `  ${at + 1}. ${text} ${to.paint.dim(`${network} ${target}${simulated === 'later' ? ', simulated when it is its turn' : ''}`)}`,
  )
  const changes = simulation?.changes.filter(({ raw }) => raw !== '0') ?? []
  const moved = changes.map(
    ({ formatted, symbol, network }) =>
      `${formatted.startsWith('-') ? '' : '+'}${formatted} ${plain(symbol)} ${to.paint.dim(network)}`,
  )
  return [
    to.paint.bold(title),
    ...rows,
    '',
    fields(
      [
        ['wallet', `${wallet}${label === null ? '' : ` (${label})`}`],
        ...(moved.length > 0 ? ([['changes', moved.join(', ')]] as const) : []),
        ...serviceFees.map(
          ({ amount, to: collector }) =>
            ['fee', `${decimal(amount.formatted)} ${plain(amount.symbol)} to ${collector}`] as const,
        ),
        ...(fees
          ? ([['gas', `at most ${decimal(fees.maxCost.formatted, 9)} ${fees.maxCost.symbol}`]] as const)
          : []),
        ...(expiresAt ? ([['expires', when(expiresAt)]] as const) : []),
        ...contracts
          .filter(({ firstUse }) => firstUse)
          .map(({ network, address }) => ['first use of', `${address} ${to.paint.dim(network)}`] as const),
        ...(reference === 'unknown' ? [] : ([['our own engine', referenceWord(reference, to)]] as const)),
        ...(policy === null ? [] : ([['policy', policy]] as const)),
        ['assurance', assuranceWord(assurance, simulation?.how, to)],
        ['plan', planHash],
      ],
      to,
    ),
  ].join('\n')
}

const referenceWord = (reference: 'equal' | 'different', { paint }: Stream): string =>
  reference === 'equal'
    ? paint.green('builds the same, byte for byte')
    : paint.red('would build something else for this request')

function assuranceWord(level: Level, how: string | undefined, { paint }: Stream): string {
  const text = `${level}: ${levelMeaning[level]}${how === 'unavailable' ? '; nothing was simulated' : ''}`
  return level === 'L0' || level === 'L1' || how === 'unavailable' ? paint.red(text) : text
}

/** One moment of an execution: the line that stays, and what moves meanwhile. */
export function progressLine(
  progress: Progress,
  operation: Planned,
  networks: readonly Network[],
  to: Stream,
): { line: string | null; moving: string | null } {
  const of = operation.steps.length
  switch (progress.kind) {
    case 'signed':
      return { line: null, moving: `${progress.step.index + 1}/${of} ${progress.step.text}` }
    case 'adopted':
      return {
        line: `${to.paint.yellow('!')} it was sent before, under the same nonce ${to.paint.dim(progress.hash)}`,
        moving: null,
      }
    case 'sent':
      return {
        line: null,
        moving: `${progress.step.index + 1}/${of} ${progress.step.text} ${to.paint.dim(progress.hash)}`,
      }
    case 'included':
      return { line: null, moving: `${progress.step.index + 1}/${of} in block ${progress.blockNumber}` }
    case 'final':
      return {
        line: `${endMark(progress.step.state, to)} ${progress.step.text} ${to.paint.dim(`${progress.hash} block ${progress.blockNumber}`)}`,
        moving: null,
      }
    case 'raised':
    case 'cancelling':
      return {
        line: `${to.paint.yellow('!')} ${progress.kind === 'raised' ? 'it waits for too long: sent again with a higher fee' : 'it is cancelled by a transaction that does nothing'} ${to.paint.dim(progress.hash)}`,
        moving: progress.step.text,
      }
    case 'gone':
      return {
        line: `${to.paint.yellow('!')} a reorganisation took ${progress.hash} out of its block; it is sent again`,
        moving: `${progress.step.text}`,
      }
    case 'waiting':
      return {
        line: null,
        moving: `waiting for the bridge to bring the funds to ${networkNamed(networks, progress.leg.chainId).name}`,
      }
    case 'arrived':
      return {
        line: `${to.paint.green('✓')} arrived on ${networkNamed(networks, progress.leg.chainId).name} ${to.paint.dim(progress.hash)}`,
        moving: null,
      }
  }
}

/** How a step ended, in one sign, and in a word where it did not end well. */
const endMark = (state: string, { paint }: Stream): string =>
  state === 'FINAL_OK' ? paint.green('✓') : paint.red(state === 'CANCELLED' ? '✗ cancelled:' : '✗ reverted:')

/** An operation and its transactions. */
export function reportView(report: Report & { replayed?: boolean }, to: Stream): string {
  const { amounts } = report
  const amount = amounts.in ?? amounts.out
  return [
    fields(
      [
        ['action', report.id],
        ['type', report.type],
        [
          'status',
          stateWord(report.status, to.paint) +
            (report.replayed ? to.paint.dim(' (done before; nothing was sent)') : ''),
        ],
        ...(report.strategySlug ? ([['strategy', report.strategySlug]] as const) : []),
        ...(amount ? ([['amount', `${decimal(amount.formatted)} ${plain(amount.symbol)}`]] as const) : []),
        ...(report.queued ? ([['then', report.queued.next]] as const) : []),
        ...(report.destinationTxHash ? ([['arrived in', report.destinationTxHash]] as const) : []),
        ['wallet', report.originAddress],
      ],
      to,
    ),
    ...report.transactions.map(
      ({ kind, network, hash, status, blockNumber, error }) =>
        `  ${kind.padEnd(9)} ${network}  ${hash ?? '-'.padEnd(66)}  ${stateWord(status, to.paint)}${blockNumber === null ? '' : to.paint.dim(` block ${blockNumber}`)}${error === null ? '' : ` ${plain(error)}`}`,
    ),
  ].join('\n')
}
