import type { Cli } from '../../cli/command-run-types.ts'
import type { Line, View } from '../../cli/output/view-types.ts'
import { amountShown, decimal, dollars, percent, utcTime } from '../../cli/terminal/format.ts'
import type { Stream } from '../../cli/terminal/io-types.ts'
import { fieldTable, table } from '../../cli/terminal/table.ts'
import { walletJson } from '../../cli/views/json-documents.ts'
import { noteLine, positionColumns, starNote } from '../../cli/views/list-columns.ts'
import { queuedLines } from '../../cli/views/queued-withdrawals-view.ts'
import { walletAddress } from '../../cli/wallet-address.ts'
import { fundsOnTheWay } from '../../diagnosis/funds-on-the-way.ts'
import type { Address } from '../../domain/address.ts'
import { tokenAmount } from '../../domain/amount.ts'
import { AppError, errorRow } from '../../domain/errors.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { sumUsd } from '../../domain/usd.ts'
import { pricedAmount } from '../../planning/usd-value.ts'

/** `wallet show`: the positions of a wallet, its funds on the way, and its debts. */
export async function show(cli: Cli, name: string | undefined): Promise<void> {
  const address = await walletAddress(cli, name)
  const [held, under] = await Promise.all([
    cli.service().then((service) => service.getWallet({ address })),
    onTheWay(cli, address),
  ])
  const own = walletJson(held)
  const isMore = own.totalValueUsd !== null && under.onTheWay.length > 0
  const totalValueUsd = isMore ? sumUsd([own.totalValueUsd, under.onTheWayUsd]) : own.totalValueUsd
  const shown = { ...own, totalValueUsd, ...under }
  const view: View<Shown> = (value, to, line) => {
    const lending = value.stats ? lendingView(value.stats, to) : []
    const nothing = value.missing.length === 0 ? 'no positions' : 'no positions on other networks'
    const isEmpty = value.positions.length === 0 && under.onTheWay.length === 0
    const rows = value.positions.length === 0 ? [] : [table(positionColumns, value.positions, to)]
    // A narrow terminal drops the rates, and their stars with them.
    const isStarred = rows.some((text) => text.includes('*'))
    return [
      `${to.paint.bold(address)}`,
      ...rows,
      ...value.onTheWay.map((one) => onTheWayLine(one, to, line)),
      ...noteLine(isStarred ? starNote(value.positions.map(({ strategy }) => strategy)) : undefined, to),
      // With only an account, the positions are unknown.
      ...(isEmpty && lending.length === 0 ? [to.paint.dim(nothing)] : []),
      ...stakedLines(value.positions, to),
      ...queuedOf(value.positions, { to, line }, held.unsearched !== null),
      ...unsearchedLines(value.unsearched ?? [], address, { to, line }),
      ...unreadLines(value, to),
      ...(isEmpty && lending.length === 0 ? [] : [totalLine(value, to)]),
      ...profitLines(value, to),
      ...(value.missing.length === 0
        ? []
        : [to.paint.yellow(`unknown on ${value.missing.map(sanitizeText).join(', ')}: no answer`)]),
      ...lending,
      ...(isEmpty && lending.length === 0
        ? [to.paint.dim(`next  ${line(sluice('wallet balances', address))}`)]
        : []),
    ].join('\n')
  }
  cli.emit(shown, view, { items: shown.positions, columns: positionColumns })
}

/** Where lines are drawn, and how their commands. */
type Drawn = { to: Stream; line: Line }

type Shown = ReturnType<typeof walletJson> & Awaited<ReturnType<typeof onTheWay>>

/** The funds on the way to a wallet from another network, by the journal, with their value. A journal that cannot be read only leaves them unknown. */
async function onTheWay(cli: Cli, address: Address) {
  const { backend, notice } = cli
  try {
    const found = fundsOnTheWay(await backend.context(), address)
    const onTheWay = await Promise.all(
      found.map(async ({ action: id, network, token, amount }) => {
        const { usd } = pricedAmount(amount, token, await backend.prices(token.chainId, [token]))
        return { action: id, network, amount: tokenAmount(amount, token), usd }
      }),
    )
    return { onTheWay, onTheWayUsd: sumUsd(onTheWay.map(({ usd }) => usd)) }
  } catch (error) {
    if (!(error instanceof AppError) || ![12, 26].includes(errorRow(error.code).exit)) throw error
    notice(`Funds on the way are not known: ${error.message}`)
    return { onTheWay: [], onTheWayUsd: null }
  }
}

const onTheWayLine = (
  { action: id, network, amount, usd }: Shown['onTheWay'][number],
  to: Stream,
  line: Line,
): string =>
  `on the way  at least ${decimal(amount.formatted)} ${sanitizeText(amount.symbol)} to ${network}${usd === null ? '' : ` (${dollars(usd)})`}\n${to.paint.dim(`to follow   ${line(sluice('action watch', id))}`)}`

/** What is staked of each position, and where. */
const stakedLines = (positions: Shown['positions'], to: Stream): string[] =>
  positions.flatMap(({ strategy, staked }) =>
    staked === null
      ? []
      : [
          `staked ${decimal(staked.amount.formatted)} ${sanitizeText(strategy.asset.symbol)} ${to.paint.dim(`${sanitizeText(strategy.slug)}, in ${staked.at}; to withdraw it, unstake it there first`)}`,
        ],
  )

/** The queued withdrawals of a wallet, and the positions whose queues are unknown. */
const queuedOf = (positions: Shown['positions'], { to, line }: Drawn, isOurs: boolean): string[] =>
  positions.flatMap((one) => {
    // Another deployment may report no queues.
    if (isOurs && one.pending === null)
      return [`queued ? ${to.paint.dim(`${sanitizeText(one.strategy.slug)}: its queue does not answer`)}`]
    return queuedLines(one, to, line).map(([word, text]) => `${word} ${text}`)
  })

/** The total USD value, its queued part, and the positions without a value. */
function totalLine(
  { positions, totalValueUsd, queuedUsd, collateralUsd, debtUsd, onTheWayUsd, unsearched, stats }: Shown,
  to: Stream,
): string {
  const without = positions.filter(
    ({ balance, balanceUsd, pending, claimable, queuedUsd: worth }) =>
      (balanceUsd === null && balance?.raw !== '0') ||
      (worth === null && [...(pending ?? []), ...(claimable ?? [])].length > 0),
  )
  const silent = unsearched === null ? [] : positions.filter(({ pending }) => pending === null)
  const names = (of: Shown['positions']) => listed(of.map(({ strategy }) => strategy.slug))
  const lacking = [
    ...(without.length === 0 ? [] : [`${names(without)} (value unknown)`]),
    ...(silent.length === 0 ? [] : [`the queue of ${names(silent)} (unknown)`]),
  ]
  const isDebtUnknown = debtUsd === null && collateralUsd !== null && stats !== undefined
  if (isDebtUnknown) lacking.push('a debt (unknown)')
  const lacks = lacking.length === 0 ? '' : to.paint.yellow(` without ${lacking.join(' and ')}`)
  const parts = [
    ...(Number(queuedUsd) > 0 ? [`${dollars(queuedUsd)} queued or ready`] : []),
    ...(Number(onTheWayUsd) > 0 ? [`${dollars(onTheWayUsd)} on the way`] : []),
    ...(Number(collateralUsd) > 0 ? [`${dollars(collateralUsd)} of other collateral`] : []),
  ]
  const including = parts.length === 0 ? '' : ` including ${parts.join(' and ')}`
  const owed = Number(debtUsd) > 0 ? ` after ${dollars(debtUsd)} of debt` : ''
  return `${to.paint.dim('total')}  ${dollars(totalValueUsd)}${to.paint.dim(including + owed)}${lacks}`
}

/** The profit of closed positions by strategy, and of the wallet in all. */
function profitLines({ realised, totalProfitUsd }: Shown, to: Stream): string[] {
  const closed = realised ?? []
  if (closed.length === 0) return []
  return [
    ...closed.map(
      ({ strategy, realised: amount, realisedUsd }) =>
        `${to.paint.dim('closed')} ${sanitizeText(strategy)}  realised ${amountShown(amount)}${realisedUsd === null ? '' : ` (${dollars(realisedUsd)})`}`,
    ),
    `${to.paint.dim('profit')} ${dollars(totalProfitUsd)} from open and closed positions after the service's fees, at current prices`,
  ]
}

/** The strategies that could not be read for this wallet. */
function unreadLines({ positions, unread }: Shown, to: Stream): string[] {
  const silent = (unread ?? []).filter((slug) => !positions.some(({ strategy }) => strategy.slug === slug))
  if (silent.length === 0) return []
  return [
    to.paint.yellow(`unknown whether there is a position in ${listed(silent)}: its contracts do not answer`),
  ]
}

const listed = (slugs: readonly string[]): string => {
  const few = slugs.slice(0, 4).map(sanitizeText).join(', ')
  return slugs.length > 4 ? `${few} and ${slugs.length - 4} more` : few
}

/** The queues that were not searched for requests from elsewhere, and the command that searches them. */
const unsearchedLines = (
  all: NonNullable<Shown['unsearched']>,
  address: string,
  { to, line }: Drawn,
): string[] =>
  all.map(({ strategy, searchedAt }) => {
    const since = searchedAt === null ? '' : ` since ${sanitizeText(utcTime(searchedAt))}`
    const finds = line(sluice('history', strategy, { '--address': address }))
    return to.paint.dim(
      `${sanitizeText(strategy)} was not searched${since} for withdrawals requested elsewhere. To search: ${finds}`,
    )
  })

type Lending = NonNullable<ReturnType<typeof walletJson>['stats']>

/** The collateral and debt of a wallet, and the health of each lending market, if known. */
export function lendingView({ collateral, debt, markets, unread, ...whole }: Lending, to: Stream): string[] {
  const names = (unread ?? []).map(marketName)
  const silent = [...Map.groupBy(names, (name) => name)].map(([name, { length }]) =>
    length === 1 ? name : `${name} (${length} markets)`,
  )
  if (collateral.length === 0 && debt.length === 0 && silent.length === 0) return []
  const known = (markets ?? []).filter((one) => !unread?.some(({ address }) => address === one.address))
  const rows = fieldTable(
    [
      ['collateral', collateral.map(sideOf).join(', ') || '-'],
      ['debt', debt.map(sideOf).join(', ') || '-'],
      ...(known.length > 1
        ? known.map(
            (one) =>
              [
                marketName(one),
                `health factor ${healthOf(one, to)}, loan to value ${percent(one.ltv)}, can still borrow ${dollars(one.maxBorrowValue)}`,
              ] as const,
          )
        : ([
            ['health factor', healthOf(whole, to)],
            ['loan to value', percent(whole.ltv)],
            ['can still borrow', dollars(whole.maxBorrowValue)],
          ] as const)),
      silent.length > 0 && [
        'not known',
        to.paint.yellow(`${silent.join(', ')} could not be read completely`),
      ],
    ],
    to,
  )
  return [rows]
}

const marketName = ({ protocol, network }: { protocol: string; network: string }): string =>
  `${sanitizeText(protocol)} on ${sanitizeText(network)}`

const sideOf = ({ balance, asset }: Pick<Lending['debt'][number], 'balance' | 'asset'>): string =>
  `${decimal(balance?.formatted ?? '?')} ${sanitizeText(asset.symbol)}`

/** Below 1 it can be liquidated. */
function healthOf({ healthFactor }: Pick<Lending, 'healthFactor'>, { paint }: Stream): string {
  if (healthFactor === null) return '-'
  const health = healthFactor.toFixed(2)
  return healthFactor < 1 ? paint.red(health) : health
}
