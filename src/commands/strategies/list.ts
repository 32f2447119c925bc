import { pageOf } from '../../api/page.ts'
import type { Service } from '../../api/service-type.ts'
import type { Strategy } from '../../api/strategy.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { duration } from '../../cli/options/global-options.ts'
import { wholeNumber } from '../../cli/options/option-values.ts'
import type { ListView } from '../../cli/output/view-types.ts'
import { allPages } from '../../cli/read-all-pages.ts'
import { percent } from '../../cli/terminal/format.ts'
import { strategyJson } from '../../cli/views/json-documents.ts'
import { basisColumn, starNote, strategyColumns, trendColumn } from '../../cli/views/list-columns.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { type Network, networkNamed } from '../../domain/networks.ts'
import { didYouMean, didYouMeanWhole } from '../../domain/text/did-you-mean.ts'
import { advice, sameWith, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { assetCalled, symbolMeant } from '../../domain/text/token-symbols.ts'
import type { Token } from '../../domain/token.ts'

type ListOptions = OptionsOf<'strategies list'>

/** `strategies list` */
export async function list(cli: Cli, options: ListOptions): Promise<void> {
  const paging = {
    page: wholeNumber(options.page, '--page'),
    limit: wholeNumber(options.limit, '--limit', 100),
    all: options.all === true,
  }
  const least = options.minApy === undefined ? undefined : rate(options.minApy)
  const series = new Map<string, readonly number[]>()
  let unknown = ''
  let isNone = false
  let note: string | undefined
  let missing: string[] = []
  const network = await wantedNetwork(cli, options.network)
  const service = await serviceFor(cli, network)
  const tokens = options.asset === undefined ? [] : (await cli.backend.catalog()).tokens
  const look = async () => {
    const { every, left } = await everyStrategy(cli, service, network)
    missing = left
    isNone = every.length === 0 && network === undefined
    const isAsset = assetFilter(options.asset, tokens, every)
    const rows = rowsOf(every.filter(isAsset), options, least)
    unknown = rows.length > 0 ? '' : unheard(every, { ...options, isAsset }, network)
    const page = pageOf(rows, paging)
    note = starNote(page.items)
    for (const { slug, rates } of page.items) series.set(slug, rates?.points.map(({ apy }) => apy) ?? [])
    return { ...page, items: page.items.map(strategyJson), missing }
  }
  const view: ListView<Row> = {
    get empty() {
      const lacks = missing.length > 0 ? `${sanitizeText(missing.join(', '))} did not answer. ` : ''
      return advice`${lacks}${isNone ? none : unknown || listView.empty}`
    },
    get note() {
      return note
    },
    get columns() {
      if (cli.globals.csv || cli.globals.fields) return [...strategyColumns, basisColumn]
      const hasTrend = [...series.values()].some((points) => points.length > 1)
      if (!hasTrend) return strategyColumns
      return [...strategyColumns, trendColumn(series, cli.io.out.ascii === true)]
    },
  }
  const intervalMs = intervalOf(options.interval)
  if (options.watch) {
    const { followList } = await import('../../cli/output/watch-list.ts')
    return followList(cli, look, Object.assign(view, { key: 'slug' as const, intervalMs }))
  }
  await cli.list(await look(), view)
}

/** The network of `--network`; `undefined` without it. */
export const wantedNetwork = async (
  { backend }: Cli,
  name: string | undefined,
): Promise<Network | undefined> =>
  name === undefined ? undefined : networkNamed((await backend.catalog()).networks, name)

/** The service to ask: a local one for a single network reads no other chain. */
export const serviceFor = ({ backend, service }: Cli, network: Network | undefined): Promise<Service> =>
  network && backend.serviceOn ? backend.serviceOn(network.chainId) : service()

/** Reads all strategies on a network or on all, and the networks that do not answer. A full list is saved for completion. */
export async function everyStrategy(
  cli: Cli,
  service: Service,
  network: Network | undefined,
): Promise<{ every: Strategy[]; left: string[] }> {
  const lacking = new Set<string>()
  const every = await allPages(async (page, limit) => {
    const answer = await service.listStrategies({ page, limit })
    for (const name of answer.missing ?? []) lacking.add(name)
    return answer
  })
  const left = [...lacking]
  // A list without the requested network is an error.
  if (network && lacking.has(network.name))
    throw new AppError('RPC_UNREACHABLE', `${network.name} does not answer the service`, {
      details: { network: network.name },
      next: 'Try again later; the log of the service has the cause.',
    })
  if (network) return { every: every.filter((one) => is(network.name, one.network)), left }
  await cli.program.rememberStrategies(
    cli.backend.profile,
    every.map(({ slug, asset, apy, network }) => ({
      slug,
      asset: asset.symbol,
      about: `${percent(apy)} ${asset.symbol} ${network}`,
    })),
    left.length === 0,
  )
  return { every, left }
}

/** Describes the unknown words of a filter, with suggestions; `undefined` if all are known. */
function unheard(
  every: readonly Strategy[],
  { protocol, asset, isAsset }: ListOptions & { isAsset: (one: Strategy) => boolean },
  network: Network | undefined,
): string {
  const protocols = every.map((one) => one.protocol ?? '')
  const assets = [...new Set(every.map((one) => one.asset.symbol))].toSorted()
  const words = [
    [
      'protocol',
      protocol,
      protocols.some((one) => is(protocol, one)),
      didYouMean(protocol ?? '', protocols) || didYouMeanWhole(protocol ?? '', protocols),
      '',
    ],
    ['asset', asset, every.some(isAsset), symbolMeant(asset ?? '', assets), ` Assets: ${assets.join(', ')}.`],
  ] as const
  return words
    .flatMap(([what, typed, isKnown, guess, known]) => {
      if (typed === undefined || isKnown) return []
      return [
        sanitizeText(
          `No strategies${network ? ` on ${network.name}` : ''} for ${what} "${typed}".${guess.replace(/^; d/, ' D')}${guess === '' && every.length > 0 ? known : ''}`,
        ),
      ]
    })
    .join(' ')
}

/** Whether a strategy has the asset that a symbol names on its network; every strategy without a symbol. */
export function assetFilter(
  symbol: string | undefined,
  tokens: readonly Token[],
  every: readonly Pick<Strategy, 'chainId' | 'asset'>[],
): (one: Pick<Strategy, 'chainId' | 'asset'>) => boolean {
  if (symbol === undefined) return () => true
  const assetOf = ({ chainId, asset }: Pick<Strategy, 'chainId' | 'asset'>) => ({
    ...asset,
    chainId: chainId ?? 0,
  })
  const isCalled = assetCalled(symbol, [...tokens, ...every.map(assetOf)])
  return (one) => isCalled(assetOf(one))
}

const is = (wanted: string | undefined, has: string | null): boolean =>
  wanted === undefined || has?.toLowerCase() === wanted.toLowerCase()

/** Whatever fits, in order. */
const rowsOf = (every: readonly Strategy[], options: ListOptions, least: number | undefined): Strategy[] =>
  every
    .filter((one) => is(options.protocol, one.protocol) && is(options.category, one.category))
    .filter(({ apyBasis }) => options.apyBasis === undefined || apyBasis === options.apyBasis)
    .filter(({ apy }) => least === undefined || (apy !== null && apy >= least))
    .filter(({ paused }) => options.paused === 'include' || (options.paused === 'only') === (paused === true))
    .sort(orders[options.sort])

/** The interval, in ms. Each list costs at least one request, and a key has a hundred a minute. */
export function intervalOf(text: string): number {
  const ms = duration(text)
  if (ms >= 1000) return ms
  throw new AppError('USAGE', `--interval ${sanitizeText(text)} is too short`, {
    next: sameWith({ '--interval': '5s' }),
  })
}

/** The order of two names by their letters: the same in every language, and none of them is loaded. */
const compareNames = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const orders: Record<ListOptions['sort'], (a: Strategy, b: Strategy) => number> = {
  apy: (a, b) => (b.apy ?? -1) - (a.apy ?? -1) || compareNames(a.slug, b.slug),
  tvl: (a, b) => Number(b.tvlUsd ?? -1) - Number(a.tvlUsd ?? -1) || compareNames(a.slug, b.slug),
  name: (a, b) => compareNames(a.slug, b.slug),
}

type Row = ReturnType<typeof strategyJson>

const none = advice`This profile has no strategies. To check its networks: ${sluice('doctor')}`

const listView: ListView<Row> = {
  columns: strategyColumns,
  empty: advice`No strategies match. Remove a filter, or list all: ${sluice('strategies list')}`,
}

function rate(text: string): number {
  const [, number] = /^([0-9]+(?:\.[0-9]+)?)%$/.exec(text) ?? []
  if (number !== undefined) return Number(number) / 100
  throw new AppError(
    'USAGE',
    text.endsWith('%') ? `"${text}" is not a rate of 0% or more` : `Rate "${text}" needs a unit`,
    { next: sameWith({ '--min-apy': `${/^[0-9]+(?:\.[0-9]+)?$/.test(text) ? text : '3'}%` }) },
  )
}
