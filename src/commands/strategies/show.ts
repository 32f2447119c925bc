import type { Position } from '../../api/wallet-positions.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { address } from '../../cli/options/option-values.ts'
import type { View } from '../../cli/output/view-types.ts'
import { sparkline } from '../../cli/terminal/charts.ts'
import { decimal, dollars, percent } from '../../cli/terminal/format.ts'
import type { Stream } from '../../cli/terminal/io-types.ts'
import { fieldTable } from '../../cli/terminal/table.ts'
import { strategyDetailJson } from '../../cli/views/json-documents.ts'
import { queuedLines } from '../../cli/views/queued-withdrawals-view.ts'
import { walletAddress } from '../../cli/wallet-address.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { gradeMeaning, isGrade } from '../../protocols/integration-grade.ts'

type ShowOptions = OptionsOf<'strategies show'>

/** Basis points that a service states, as a percentage; another text as it came. */
const bpsShare = (bps: string): string =>
  /^[0-9]+(\.[0-9]+)?$/.test(bps) ? percent(Number(bps) / 10_000) : `${sanitizeText(bps)} bps`

/** `strategies show` */
export async function show(cli: Cli, id: string, { wallet, plot }: ShowOptions): Promise<void> {
  const service = await cli.service()
  const strategyAnswer = await service.getStrategy({ id })
  const strategy = strategyDetailJson(strategyAnswer)
  const view = await viewOf(strategy, plot === true, cli.io.out)
  if (wallet === undefined) return cli.emit(strategy, view)
  const owner = await walletAddress(cli, wallet)
  const { positions, unread, unsearched, missing } = await service.getWallet({
    address: address(owner, '--wallet'),
  })
  const position = positions.find((one) => one.strategy.slug === strategy.slug)
  const { positionJson } = await import('../../cli/views/json-documents.ts')
  const isSilentThere = unread?.includes(strategy.slug) || missing?.includes(strategy.network)
  const shown = position ?? (isSilentThere ? { ...notKnown, strategy } : null)
  // Another deployment may not report queues, and not every strategy has one.
  const hasQueue = position !== undefined || strategyAnswer.actions?.includes('claim') === true
  const isSilent = shown?.pending === null && hasQueue && unsearched !== null
  const silence = isSilent ? '\nqueued       unknown: its queue does not answer' : ''
  cli.emit(
    { ...strategy, position: shown && positionJson(shown) },
    (one, to, line) => `${view(one, to, line)}${silence}`,
  )
}

/** A position that the contracts of its strategy cannot report. */
const notKnown: Omit<Position, 'strategy'> = {
  balance: null,
  principal: null,
  profit: null,
  balanceUsd: null,
  performanceFee: null,
  profitUsd: null,
  apy: null,
  staked: null,
  pending: null,
  claimable: null,
  queuedUsd: null,
}

/** The fields of a strategy, and the chart if requested and available. */
async function viewOf({ rates }: Pick<Shown, 'rates'>, wantsPlot: boolean, to: Stream): Promise<View<Shown>> {
  if (!wantsPlot || !rates?.points.length) return showView
  const { plot } = await import('../../cli/terminal/charts.ts')
  const drawn = await plot(rates.points, to)
  return (one, to, line) => `${showView(one, to, line)}\n\n${drawn}`
}

type Shown = ReturnType<typeof strategyDetailJson> & {
  position?: ReturnType<typeof import('../../cli/views/json-documents.ts').positionJson> | null
}

const showView: View<Shown> = (one, to, line) =>
  fieldTable(
    [
      ['strategy', to.paint.bold(sanitizeText(one.slug))],
      ['name', sanitizeText(one.name ?? '-')],
      ['protocol', sanitizeText(one.protocol)],
      ['network', `${sanitizeText(one.network)}${one.chainId === null ? '' : ` (${one.chainId})`}`],
      ['category', sanitizeText(one.category ?? '-')],
      ['asset', `${sanitizeText(one.asset.symbol)} ${to.paint.dim(one.asset.address)}`],
      one.receipt && ['receipt', receiptWords(one.receipt, to)],
      ['apy', `${to.paint.green(percent(one.apy))}${basisWords(one, to)}`],
      !!one.rates?.reward && ['rewards', `${percent(one.rates.reward)} in other tokens`],
      ['since start', percent(one.inceptionApy)],
      ['history', history(one.rates, to)],
      ['tvl', dollars(one.tvlUsd)],
      one.liquidityUsd !== null && ['withdrawable', `${dollars(one.liquidityUsd)} now`],
      ['actions', sanitizeText(one.actions?.join(', ') || 'none')],
      ['fee', one.performanceFeeBps ? `${bpsShare(one.performanceFeeBps)} of the profit` : 'not known'],
      [
        'protocol fee',
        one.protocolFeeBps
          ? `${bpsShare(one.protocolFeeBps)} of its earnings, already deducted from the rate`
          : 'not known',
      ],
      !!one.managementFeeBps && [
        'management fee',
        `${bpsShare(one.managementFeeBps)} of its assets a year, already deducted from the rate`,
      ],
      ['paused', one.paused === null ? 'not known' : one.paused ? to.paint.red('yes') : 'no'],
      ['adapter', sanitizeText(one.implementationSelector ?? '-')],
      ['grade', one.grade ? `${sanitizeText(one.grade.grade)}: ${gradeWords(one.grade)}` : '-'],
      ...described(one.metadata),
      one.position && [
        'you hold',
        one.position.balance
          ? `${decimal(one.position.balance.formatted)} ${sanitizeText(one.asset.symbol)} (${dollars(one.position.balanceUsd)})`
          : 'unknown: its contracts do not answer',
      ],
      ...(one.position ? queuedLines(one.position, to, line) : []),
      one.position === null && ['you hold', 'nothing'],
    ],
    to,
  )

/** The receipt token, or that its contract does not name it. */
const receiptWords = ({ symbol, address, symbolFrom }: NonNullable<Shown['receipt']>, to: Stream): string =>
  `${sanitizeText(symbol)} ${to.paint.dim(`${address}${symbolFrom === 'catalogue' ? ', name from the catalogue: its contract returns none' : ''}`)}`

/** The APY and how it is calculated, if the service says so. */
const basisWords = ({ apyBasis, apyConvention }: Shown, to: Stream): string =>
  apyBasis === null
    ? ''
    : to.paint.dim(` ${apyBasis}${apyConvention === null ? '' : `: ${sanitizeText(apyConvention)}`}`)

/** The daily rates as a sparkline, or that they are unknown. */
function history(rates: Shown['rates'], to: Stream): string {
  if (!rates?.points.length) return 'not known'
  const paid = rates.points.map(({ apy }) => apy)
  const line = sparkline(paid, { width: 30, ascii: to.ascii === true })
  const day = (at: number) => sanitizeText(rates.points.at(at)!.at).slice(0, 10)
  return `${line} ${to.paint.dim(`${percent(Math.min(...paid))} to ${percent(Math.max(...paid))}, ${day(0)} to ${day(-1)}`)}`
}

/** The meaning of a grade; an unknown grade is printed as it is. */
function gradeWords({ grade, by }: { grade: string; by: string }): string {
  const meant = isGrade(grade) ? gradeMeaning[grade] : undefined
  return sanitizeText(meant ? `${meant} (${by})` : by)
}

function described(metadata: Record<string, unknown> | null): (readonly [string, string])[] {
  const english = metadata?.en
  if (!english || typeof english !== 'object') return []
  return Object.entries(english).flatMap(([label, text]) =>
    typeof text === 'string' ? [[sanitizeText(label), sanitizeText(text)] as const] : [],
  )
}
