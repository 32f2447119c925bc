import { Command, Option } from 'commander'

import type { Strategy } from '../api/strategy.ts'
import { action, type Cli, everything, pageOf, whole } from '../cli/cli.ts'
import { dollars, percent } from '../cli/format.ts'
import { strategyDetailJson, strategyJson } from '../cli/json.ts'
import { walletAddress } from '../cli/names.ts'
import { address } from '../cli/options.ts'
import type { ListView, View } from '../cli/output.ts'
import { withRaw } from '../cli/raw.ts'
import { fields } from '../cli/table.ts'
import { strategyColumns } from '../cli/views.ts'
import type { World } from '../cli/world.ts'
import { categories } from '../domain/catalog.ts'
import { AppError } from '../domain/errors.ts'
import { gradeMeaning, isGrade } from '../domain/grades.ts'
import { networkNamed } from '../domain/network.ts'
import { plain } from '../domain/text.ts'

/** An option of fixed words that may be typed in any casing. */
const inAnyCasing = (option: Option): Option => {
  const { parseArg } = option
  return option.argParser((text, previous) => parseArg!(text.toLowerCase(), previous))
}

type ListOptions = {
  protocol?: string
  network?: string
  asset?: string
  category?: string
  minApy?: string
  paused: 'include' | 'only' | 'exclude'
  sort: 'apy' | 'tvl' | 'name'
  page: string
  limit: string
  all?: boolean
}

/** `strategies`: what is on offer. */
export const strategies = (world: World) => {
  const command = new Command('strategies').description('List strategies, show one, totals.')
  withRaw(command.command('list'))
    .description('List strategies, the best rate first. Filters run over all pages.')
    .option('--protocol <name>', 'only this protocol')
    .option('--network <network>', 'only this network (name or chain id)')
    .option('--asset <symbol>', 'only this asset')
    .addOption(inAnyCasing(new Option('--category <category>', 'only this category').choices(categories)))
    .option('--min-apy <rate>', 'at least this rate, such as 3%')
    .addOption(
      new Option('--paused <which>', 'what to do with paused ones')
        .choices(['include', 'only', 'exclude'])
        .default('include'),
    )
    .addOption(new Option('--sort <by>', 'order').choices(['apy', 'tvl', 'name']).default('apy'))
    .option('--page <n>', 'which page', '1')
    .option('--limit <n>', 'rows a page, at most 100', '10')
    .option('--all', 'every page')
    .addHelpText('after', '\nExample:\n  $ sluice strategies list --asset USDC --min-apy 2%')
    .action(action(world, list, 'listStrategies'))
  withRaw(command.command('show'))
    .description('Show one strategy, and with --wallet what a wallet holds in it.')
    .argument('<id>', 'strategy id or slug')
    .option('--wallet <wallet>', 'address or keystore name')
    .addHelpText('after', '\nExample:\n  $ sluice strategies show aave-v3-usdc-sandbox-one')
    .action(action(world, show, 'getStrategy'))
  withRaw(command.command('analytics'))
    .description('Total value locked, average APY, count, and the best strategies.')
    .addHelpText('after', '\nExample:\n  $ sluice strategies analytics --json')
    .action(action(world, totals, 'analytics'))
  return command
}

async function list(cli: Cli, options: ListOptions): Promise<void> {
  const [page, limit] = [whole(options.page, '--page'), whole(options.limit, '--limit', 100)]
  const least = options.minApy === undefined ? undefined : rate(options.minApy)
  const network =
    options.network === undefined
      ? undefined
      : networkNamed((await cli.place.catalog()).networks, options.network)
  const service = await cli.service()
  const every = await everything((page, limit) => service.listStrategies({ page, limit }))
  await cli.world.seen(
    cli.place.profile,
    every.map(({ slug, asset, apy, network }) => ({
      slug,
      asset: asset.symbol,
      about: `${percent(apy)} ${asset.symbol} ${network}`,
    })),
  )
  const is = (wanted: string | undefined, has: string | null) =>
    wanted === undefined || has?.toLowerCase() === wanted.toLowerCase()
  const rows = every
    .filter(
      (one) =>
        is(options.protocol, one.protocol) &&
        is(network?.name, one.network) &&
        is(options.asset, one.asset.symbol) &&
        is(options.category, one.category),
    )
    .filter(({ apy }) => least === undefined || (apy !== null && apy >= least))
    .filter(({ paused }) => options.paused === 'include' || (options.paused === 'only') === (paused === true))
    .sort(orders[options.sort])
  await cli.list(pageOf(rows.map(strategyJson), { page, limit, all: options.all === true }), listView)
}

const orders: Record<ListOptions['sort'], (a: Strategy, b: Strategy) => number> = {
  apy: (a, b) => (b.apy ?? -1) - (a.apy ?? -1) || a.slug.localeCompare(b.slug),
  tvl: (a, b) => Number(b.tvlUsd ?? -1) - Number(a.tvlUsd ?? -1) || a.slug.localeCompare(b.slug),
  name: (a, b) => a.slug.localeCompare(b.slug),
}

const listView: ListView<ReturnType<typeof strategyJson>> = {
  columns: strategyColumns,
  empty: 'No strategy fits. Leave a filter out, or see: sluice strategies list',
}

function rate(text: string): number {
  const [, number] = /^([0-9]+(?:\.[0-9]+)?)%$/.exec(text) ?? []
  if (number !== undefined) return Number(number) / 100
  throw new AppError('USAGE', `A rate needs its unit, and "${text}" has none`, { hint: '--min-apy 3%' })
}

async function show(cli: Cli, id: string, { wallet }: { wallet?: string }): Promise<void> {
  const service = await cli.service()
  const strategy = strategyDetailJson(await service.getStrategy({ id }))
  if (wallet === undefined) return cli.emit(strategy, showView)
  const owner = await walletAddress(cli, wallet)
  const { positions } = await service.getWallet({ address: address(owner, '--wallet') })
  const position = positions.find((one) => one.strategy.slug === strategy.slug)
  const { positionJson } = await import('../cli/json.ts')
  cli.emit({ ...strategy, position: position ? positionJson(position) : null }, showView)
}

const showView: View<
  ReturnType<typeof strategyDetailJson> & {
    position?: ReturnType<typeof import('../cli/json.ts').positionJson> | null
  }
> = (one, to) =>
  fields(
    [
      ['strategy', to.paint.bold(plain(one.slug))],
      ['name', plain(one.name ?? '-')],
      ['protocol', plain(one.protocol)],
      ['network', `${plain(one.network)}${one.chainId === null ? '' : ` (${one.chainId})`}`],
      ['category', plain(one.category ?? '-')],
      ['asset', `${plain(one.asset.symbol)} ${to.paint.dim(one.asset.address)}`],
      ['apy', to.paint.green(percent(one.apy))],
      ['since start', percent(one.inceptionApy)],
      ['tvl', dollars(one.tvlUsd)],
      ['actions', plain(one.actions?.join(', ') || 'none')],
      ['fee', one.performanceFeeBps ? `${plain(one.performanceFeeBps)} bps of the profit` : 'not known'],
      ['paused', one.paused === null ? 'not known' : one.paused ? to.paint.red('yes') : 'no'],
      ['adapter', plain(one.implementationSelector ?? '-')],
      ['grade', one.grade ? `${plain(one.grade.grade)}: ${gradeWords(one.grade)}` : '-'],
      ...described(one.metadata),
      ...(one.position
        ? ([
            [
              'you hold',
              `${one.position.balance!.formatted} ${plain(one.asset.symbol)} (${dollars(one.position.balanceUsd)})`,
            ],
          ] as const)
        : []),
      ...(one.position === null ? ([['you hold', 'nothing']] as const) : []),
    ],
    to,
  )

/** What a grade means, in words; a letter that this version does not know stands for itself. */
function gradeWords({ grade, by }: { grade: string; by: string }): string {
  const meant = isGrade(grade) ? gradeMeaning[grade] : undefined
  return plain(meant ? `${meant} (${by})` : by)
}

function described(metadata: Record<string, unknown> | null): (readonly [string, string])[] {
  const english = metadata?.en
  if (!english || typeof english !== 'object') return []
  return Object.entries(english).flatMap(([label, text]) =>
    typeof text === 'string' ? [[plain(label), plain(text)] as const] : [],
  )
}

async function totals(cli: Cli): Promise<void> {
  const { topStrategies, ...rest } = await (await cli.service()).analytics({})
  cli.emit({ ...rest, topStrategies: topStrategies.map(strategyJson) }, (value, to) =>
    [
      fields(
        [
          ['tvl', dollars(value.totalTvlUsd)],
          ['average apy', percent(value.averageApy)],
          ['strategies', String(value.strategyCount)],
        ],
        to,
      ),
      ...value.topStrategies.map(
        ({ slug, apy }) => `  ${to.paint.green(percent(apy).padStart(7))}  ${plain(slug)}`,
      ),
    ].join('\n'),
  )
}
