import type { SwapStatus } from '../../api/swap-status.ts'
import { wholeNumber } from '../../cli/cli.ts'
import { withSameTarget } from '../../cli/next-command.ts'
import { duration } from '../../cli/options/global-options.ts'
import { expiredQuoteError, swapStatusOf } from '../../cli/signing-flow/journal-swap-status.ts'
import { askQuote, type QuoteFlags } from '../../cli/signing-flow/quote-request.ts'
import { stateWord, when } from '../../cli/terminal/format.ts'
import type { View } from '../../cli/terminal/stream.ts'
import { fields } from '../../cli/terminal/table.ts'
import { quoteJson } from '../../cli/views/json.ts'
import { quoteColumns } from '../../cli/views/list-columns.ts'
import { observe } from '../../cli/watch-loop.ts'
import type { Cli } from '../../cli/world.ts'
import { formatAmount } from '../../domain/amount.ts'
import { bitcoinNetwork, btc } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { shellOperand, shellWord } from '../../domain/shell-quoting.ts'
import { impactShown } from '../../domain/slippage.ts'
import { plain } from '../../domain/text.ts'
import { depthOf } from './bitcoin-deposit.ts'
import { comparedProviders, compareQuotes } from './compare.ts'

/** `swap quote` */
export async function quote(
  cli: Cli,
  { compare, ...options }: QuoteFlags & { compare?: string | true },
): Promise<void> {
  if (compare !== undefined) {
    if (options.provider !== undefined)
      throw new AppError('USAGE', '--provider and --compare cannot be combined', {
        hint: `Name the providers to compare: --compare ${shellWord(options.provider)},OTHER`,
      })
    return compareQuotes(cli, options, comparedProviders(compare, options.from))
  }
  const { quote } = await askQuote(cli, options)
  const { profile } = cli.globals
  const named = profile === undefined ? [] : ['--profile', profile]
  cli.emit(quoteJson(quote), (one, to) => withSameTarget(quoteView(one, to), named))
}

const quoteView: View<ReturnType<typeof quoteJson>> = (one, to) =>
  fields(
    [
      ['quote', plain(one.id ?? '-')],
      [
        'pay',
        `${one.tokenIn.amount.formatted} ${plain(one.tokenIn.symbol)} ${to.paint.dim(plain(one.from.network))}`,
      ],
      [
        'receive',
        `${to.paint.green(one.tokenOut.amount.formatted)} ${plain(one.tokenOut.symbol)} ${to.paint.dim(plain(one.to.network))}`,
      ],
      ...(one.minAmountOut
        ? ([['at least', `${one.minAmountOut.formatted} ${plain(one.tokenOut.symbol)}`]] as const)
        : []),
      ...feesPaid(one.fees).map((text) => ['fee', text] as const),
      ...sooner(one).map((text) => ['sooner', text] as const),
      ...gasRows(one),
      ['price', one.priceImpact === null ? 'not known' : `${impactShown(one.priceImpact)} below spot`],
      ['provider', plain(one.provider)],
      ...(one.feeSponsorshipReason
        ? ([['sponsored', `no: ${plain(one.feeSponsorshipReason)}`]] as const)
        : []),
      ['expires', when(one.deadline)],
      ...(one.id ? ([['next', `sluice swap execute ${shellOperand(one.id)}`]] as const) : []),
    ],
    to,
  )

/** What the gas of a swap costs, and what is left after it. */
function gasRows({
  estimatedGas,
  gasCostUsd,
  netAmountOut,
  netAmountIn,
}: ReturnType<typeof quoteJson>): (readonly [string, string])[] {
  if (estimatedGas === null || gasCostUsd === null) return []
  const net = netAmountOut ?? netAmountIn
  const words = netAmountOut ? 'after gas' : 'gas included'
  return [
    ['gas', `about $${Number(gasCostUsd).toFixed(2)}: ${estimatedGas} units`],
    ...(net ? [[words, `${net.formatted} ${plain(net.symbol)}`] as const] : []),
  ]
}

/** The cost and time saved by another speed of the same swap. */
const sooner = ({ tokenIn, tokenOut, alternatives }: ReturnType<typeof quoteJson>): string[] =>
  (alternatives ?? []).map(({ transferSpeed, amountIn, amountOut, savesSeconds }) => {
    const [less, more] = [
      BigInt(tokenOut.amount.raw) - BigInt(amountOut.raw),
      BigInt(amountIn.raw) - BigInt(tokenIn.amount.raw),
    ]
    const cost = less > 0n ? formatAmount(less, tokenOut) : formatAmount(more, tokenIn)
    const saves = savesSeconds === null ? 'arrives sooner' : `saves about ${waited(savesSeconds)}`
    const said = `${plain(transferSpeed)} costs ${cost} and ${saves}`
    return transferSpeed === 'fast' ? [said, 'by --speed fast'].join(', ') : said
  })

const waited = (seconds: number): string =>
  seconds >= 7_200 ? `${Math.round(seconds / 3_600)} hours` : `${Math.max(1, Math.round(seconds / 60))} min`

/** The fees of a quote that are paid to collectors. */
const feesPaid = (fees: readonly unknown[] | null): string[] =>
  (fees ?? []).flatMap((fee) => {
    const { amount, to } = (fee ?? {}) as { amount?: { formatted?: string; symbol?: string }; to?: unknown }
    return typeof to === 'string' && amount?.formatted !== undefined
      ? [`${amount.formatted} ${plain(amount.symbol ?? '')} to ${plain(to)}`]
      : []
  })

/** `swap status` */
export async function status(
  cli: Cli,
  id: string,
  options: { watch?: boolean; interval: string; btcTx?: string },
): Promise<void> {
  const service = await cli.service()
  const more = options.btcTx !== undefined && { btcTxHash: options.btcTx }
  const ask = (quote: string) => service.swapStatus({ id: quote, ...more })
  const look = () => swapStatusOf(cli, id, ask).catch(naming(id, options.btcTx))
  if (!options.watch) return cli.emit(await look(), statusView)
  const last = await observe(cli, look, {
    isOver: ({ status }) => ['fulfilled', 'failed', 'refunded', 'expired'].includes(status),
    view: statusView,
    intervalMs: duration(options.interval),
    again: () => `sluice swap status --watch --timeout 1h ${shellOperand(id)}`,
  })
  if (last.status === 'expired') throw await expiredQuoteError(cli, id, last)
  if (last.status === 'refunded')
    throw new AppError('REFUNDED', 'The swap was refunded', {
      details: last,
      hint: `sluice action explain ${shellOperand(id)}`,
    })
  if (last.status === 'failed' && last.destinationTxHash !== null)
    throw new AppError('ARRIVED_SHORT', 'The bridge delivered less than quoted', {
      details: last,
      hint: `sluice action explain ${shellOperand(id)}`,
    })
  if (last.status === 'failed')
    throw new AppError('ACTION_FAILED', 'The swap failed', {
      details: last,
      hint: `sluice action explain ${shellOperand(id)}`,
    })
}

/** A missing deposit of a quote is looked up by the details of its request. */
const naming =
  (id: string, btcTx = 'HASH') =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || error.code !== 'DEPOSIT_NOT_FOUND') throw error
    const { code, message, details, cause } = error
    const hint = `Once the Bitcoin transaction is confirmed: sluice swap status --btc-tx ${shellWord(btcTx)} ${shellOperand(id)}`
    throw new AppError(code, message, { cause, hint, ...(details && { details }) })
  }

/** What there is to say of a deposit on Bitcoin. */
const depositRows = ({
  address,
  memo,
  amount,
  confirmations,
  delivery,
  note,
}: NonNullable<SwapStatus['deposit']>): (readonly [string, string])[] => [
  ['deposit', `${formatAmount(BigInt(amount), btc)} to ${plain(address)}`],
  ...(memo === null ? [] : [['memo', plain(memo)] as const]),
  ['confirmed', confirmations === null ? 'no deposit is found' : depthOf(confirmations)],
  ...(delivery === null
    ? []
    : [['delivery', delivery === 'verified' ? 'seen on its chain' : 'as the provider says'] as const]),
  ...(note === null ? [] : [['note', plain(note)] as const]),
]

const statusView: View<{
  id: string
  status: string
  originTxHash: string | null
  destinationTxHash: string | null
  provider: string | null
  deposit?: SwapStatus['deposit'] | undefined
  note?: string | undefined
}> = (one, to) =>
  fields(
    [
      ['swap', one.id],
      ['status', stateWord(plain(one.status), to.paint)],
      ['provider', plain(one.provider ?? '-')],
      ['origin', plain(one.originTxHash ?? '-')],
      ['destination', plain(one.destinationTxHash ?? '-')],
      ...(one.deposit ? depositRows(one.deposit) : []),
      ...(one.note === undefined ? [] : [['note', plain(one.note)] as const]),
    ],
    to,
  )

/** `swap list` */
export async function list(
  cli: Cli,
  options: { from?: string; to?: string; provider?: string; page: string; limit: string },
): Promise<void> {
  const [page, limit] = [wholeNumber(options.page, '--page'), wholeNumber(options.limit, '--limit', 100)]
  const { networks: known, bitcoin } = await cli.backend.catalog()
  const networks = bitcoin ? [...known, bitcoinNetwork] : known
  const answer = await (await cli.service()).listQuotes({
    page,
    limit,
    ...(options.from !== undefined && { originChain: networkNamed(networks, options.from).name }),
    ...(options.to !== undefined && { destinationChain: networkNamed(networks, options.to).name }),
    ...(options.provider !== undefined && { provider: options.provider }),
  })
  await cli.list(
    { ...answer, items: answer.items.map(quoteJson) },
    { columns: quoteColumns, empty: 'No quotes. Get one: sluice swap quote --help' },
  )
}
