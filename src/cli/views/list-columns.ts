import type { ApyBasis } from '../../domain/apy-basis.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { amountCsv } from '../output/field-names.ts'
import type { Column } from '../output/view-types.ts'
import { sparkline } from '../terminal/charts.ts'
import { decimal, dollars, percent, stateWord, utcTime } from '../terminal/format.ts'
import type { Stream } from '../terminal/io-types.ts'
import type { positionJson, quoteJson, strategyJson } from './json-documents.ts'

/** The daily rates of strategies by slug, if the list has them: a column of sparklines. */
export const trendColumn = (
  series: ReadonlyMap<string, readonly number[]>,
  ascii: boolean,
): Column<ReturnType<typeof strategyJson>> => ({
  title: 'TREND',
  field: 'rates',
  csv: {},
  text: ({ slug }) => {
    const points = series.get(slug) ?? []
    // One point is no trend.
    return points.length > 1 ? sparkline(points, { width: 12, ascii }) : ''
  },
  align: 'right',
  drop: 4,
})

/** An APY in a table; a star marks last week's growth instead of a current rate. */
export const apyCell = (apy: number | null, basis: ApyBasis | null): string =>
  `${basis === 'trailing-7d' && apy !== null ? '*' : ''}${percent(apy)}`

/** The note that explains the star, if a strategy in the list has one. */
export const starNote = (all: readonly { apyBasis: ApyBasis | null }[]): string | undefined =>
  all.some(({ apyBasis }) => apyBasis === 'trailing-7d')
    ? '* growth over the last 7 days, because no contract reports a current rate'
    : undefined

/** A note on its own line; empty without one. */
export const noteLine = (note: string | undefined, to: Stream): string[] =>
  note === undefined ? [] : [to.paint.dim(note)]

/** An APY for CSV. */
export const basisColumn: Column<ReturnType<typeof strategyJson>> = {
  title: 'BASIS',
  field: 'apyBasis',
  csv: { apyBasis: ({ apyBasis }) => apyBasis },
  text: ({ apyBasis }) => apyBasis ?? '-',
}

/** The columns of a list of strategies. */
export const strategyColumns: readonly Column<ReturnType<typeof strategyJson>>[] = [
  {
    title: 'STRATEGY',
    field: 'slug',
    csv: { slug: ({ slug }) => slug },
    text: ({ slug }) => sanitizeText(slug),
  },
  {
    title: 'ASSET',
    field: 'asset',
    csv: {
      asset: ({ asset }) => asset.symbol,
      assetAddress: ({ asset }) => asset.address,
      assetDecimals: ({ asset }) => asset.decimals,
    },
    text: ({ asset }) => sanitizeText(asset.symbol),
    drop: 1,
  },
  {
    title: 'NETWORK',
    field: 'network',
    csv: { network: ({ network }) => network },
    text: ({ network }) => sanitizeText(network),
    drop: 5,
  },
  {
    title: 'CATEGORY',
    field: 'category',
    csv: { category: ({ category }) => category },
    text: ({ category }) => sanitizeText(category ?? '-'),
    drop: 6,
  },
  {
    title: 'APY',
    field: 'apy',
    csv: { apy: ({ apy }) => apy },
    align: 'right',
    text: ({ apy, apyBasis }, paint) => paint.green(apyCell(apy, apyBasis)),
  },
  {
    title: 'TVL',
    field: 'tvlUsd',
    csv: { tvlUsd: ({ tvlUsd }) => tvlUsd },
    align: 'right',
    text: ({ tvlUsd }) => dollars(tvlUsd),
    drop: 3,
  },
  {
    title: 'PAUSED',
    field: 'paused',
    csv: { paused: ({ paused }) => paused },
    text: ({ paused }, paint) => (paused === null ? 'not known' : paused ? paint.red('paused') : ''),
    drop: 2,
  },
]

/** The columns of a list of positions. */
export const positionColumns: readonly Column<ReturnType<typeof positionJson>>[] = [
  {
    title: 'STRATEGY',
    field: 'strategy',
    csv: { strategy: ({ strategy }) => strategy.slug },
    text: ({ strategy }) => sanitizeText(strategy.slug),
  },
  {
    title: 'BALANCE',
    field: 'balance',
    csv: amountCsv('balance', ({ balance }) => balance),
    align: 'right',
    text: ({ balance, strategy }, _, places) =>
      `${balance ? decimal(balance.formatted, places) : '?'} ${sanitizeText(strategy.asset.symbol)}`,
  },
  {
    title: 'PRINCIPAL',
    field: 'principal',
    csv: amountCsv('principal', ({ principal }) => principal),
    align: 'right',
    text: ({ principal }, _, places) => (principal ? decimal(principal.formatted, places) : '-'),
    drop: 2,
  },
  {
    title: 'PROFIT',
    field: 'profit',
    csv: amountCsv('profit', ({ profit }) => profit),
    align: 'right',
    text: ({ profit }, paint, places) =>
      profit
        ? profit.raw.startsWith('-')
          ? paint.red(decimal(profit.formatted, places))
          : paint.green(decimal(profit.formatted, places))
        : '-',
  },
  {
    title: 'USD',
    field: 'balanceUsd',
    csv: { balanceUsd: ({ balanceUsd }) => balanceUsd },
    align: 'right',
    text: ({ balanceUsd }) => dollars(balanceUsd),
    drop: 1,
  },
  {
    title: 'APY',
    field: 'apy',
    csv: { apy: ({ apy }) => apy },
    align: 'right',
    text: ({ apy, strategy }) => apyCell(apy, strategy.apyBasis),
    drop: 3,
  },
]

/** The columns of a list of quotes. */
export const quoteColumns: readonly Column<ReturnType<typeof quoteJson>>[] = [
  { title: 'QUOTE', field: 'id', csv: { id: ({ id }) => id }, text: ({ id }) => sanitizeText(id ?? '-') },
  {
    title: 'FROM',
    field: 'from',
    csv: {
      from: ({ from }) => from.network,
      ...amountCsv('amountIn', ({ tokenIn }) => tokenIn.amount),
    },
    text: ({ from, tokenIn }, _, places) =>
      `${decimal(tokenIn.amount.formatted, places)} ${sanitizeText(tokenIn.symbol)} ${sanitizeText(from.network)}`,
  },
  {
    title: 'TO',
    field: 'to',
    csv: { to: ({ to }) => to.network, ...amountCsv('amountOut', ({ tokenOut }) => tokenOut.amount) },
    text: ({ to, tokenOut }, _, places) =>
      `${decimal(tokenOut.amount.formatted, places)} ${sanitizeText(tokenOut.symbol)} ${sanitizeText(to.network)}`,
  },
  {
    title: 'PROVIDER',
    field: 'provider',
    csv: { provider: ({ provider }) => provider },
    text: ({ provider }) => sanitizeText(provider),
    drop: 2,
  },
  {
    title: 'STATUS',
    field: 'status',
    csv: { status: ({ status }) => status },
    text: ({ status }, paint) => stateWord(sanitizeText(status ?? '-'), paint),
  },
  {
    title: 'EXPIRES',
    field: 'deadline',
    csv: { deadline: ({ deadline }) => deadline },
    text: ({ deadline }) => utcTime(deadline),
    drop: 3,
    whole: true,
  },
]
