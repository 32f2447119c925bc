import type { Cli } from '../../cli/command-run-types.ts'
import { withSameTarget } from '../../cli/next-command.ts'
import type { View } from '../../cli/output/view-types.ts'
import type { QuoteFlags } from '../../cli/signing-flow/quotes/parse-quote-flags.ts'
import { askQuote } from '../../cli/signing-flow/quotes/request-quote.ts'
import { amountShown, decimal, dollars, utcTime } from '../../cli/terminal/format.ts'
import { fieldTable } from '../../cli/terminal/table.ts'
import { quoteJson } from '../../cli/views/json-documents.ts'
import { otherOffers } from '../../cli/views/other-offers-view.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { percentText } from '../../domain/price-impact-share.ts'
import { shellOperand, shellWord } from '../../domain/text/shell-quoting.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
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
    return compareQuotes(cli, options, comparedProviders(cli.backend, compare, options.from))
  }
  const { quote } = await askQuote(cli, options)
  const { profile } = cli.globals
  const named = profile === undefined ? [] : ['--profile', profile]
  cli.emit(quoteJson(quote), (one, to) => withSameTarget(quoteView(one, to), named))
}

const quoteView: View<ReturnType<typeof quoteJson>> = (one, to) =>
  fieldTable(
    [
      ['quote', sanitizeText(one.id ?? '-')],
      [
        'pay',
        `${decimal(one.tokenIn.amount.formatted)} ${sanitizeText(one.tokenIn.symbol)} ${to.paint.dim(sanitizeText(one.from.network))}`,
      ],
      [
        'receive',
        `${to.paint.green(decimal(one.tokenOut.amount.formatted))} ${sanitizeText(one.tokenOut.symbol)} ${to.paint.dim(sanitizeText(one.to.network))}`,
      ],
      one.minAmountOut && ['at least', amountShown(one.minAmountOut)],
      ...feesPaid(one.fees).map((text) => ['fee', text] as const),
      ...sooner(one).map((text) => ['sooner', text] as const),
      ...gasRows(one),
      ...otherOffers(one).map((text) => ['or', text] as const),
      ['price', one.priceImpact === null ? 'not known' : `${percentText(one.priceImpact)} below spot`],
      ['provider', sanitizeText(one.provider)],
      one.feeSponsorshipReason && ['sponsored', `no: ${sanitizeText(one.feeSponsorshipReason)}`],
      ['expires', utcTime(one.deadline)],
      one.id && ['next', `sluice swap execute ${shellOperand(one.id)}`],
    ],
    to,
  )

/** What the gas of a swap costs, and what is left after it. */
function gasRows({
  estimatedGas,
  gasCostUsd,
  netAmountOut,
  netAmountIn,
  netUsd,
}: ReturnType<typeof quoteJson>): (readonly [string, string])[] {
  if (estimatedGas === null || gasCostUsd === null) return []
  const net = netAmountOut ?? netAmountIn
  const words = netAmountOut ? 'after gas' : 'gas included'
  const worth = netUsd === null ? '' : ` (${dollars(netUsd)})`
  const left = net?.raw.startsWith('-')
    ? 'nothing: the gas costs more than the output'
    : `${amountShown(net)}${worth}`
  return [
    ['gas', `about ${dollars(gasCostUsd)}: ${decimal(estimatedGas)} units`],
    ...(net ? [[words, left] as const] : []),
  ]
}

/** The cost and time saved by another speed of the same swap. */
const sooner = ({ tokenIn, tokenOut, alternatives }: ReturnType<typeof quoteJson>): string[] =>
  (alternatives ?? []).flatMap(({ transferSpeed, amountIn, amountOut, savesSeconds }) => {
    if (transferSpeed === null) return []
    const [less, more] = [
      BigInt(tokenOut.amount.raw) - BigInt(amountOut.raw),
      BigInt(amountIn.raw) - BigInt(tokenIn.amount.raw),
    ]
    const cost = less > 0n ? formatAmount(less, tokenOut) : formatAmount(more, tokenIn)
    const saves = savesSeconds === null ? 'arrives sooner' : `saves about ${waited(savesSeconds)}`
    const said = `${sanitizeText(transferSpeed)} costs ${cost} and ${saves}`
    return [transferSpeed === 'fast' ? [said, 'by --speed fast'].join(', ') : said]
  })

const waited = (seconds: number): string =>
  seconds >= 7_200 ? `${Math.round(seconds / 3_600)} hours` : `${Math.max(1, Math.round(seconds / 60))} min`

/** The fees of a quote, each with its kind; those of a collector name it. */
const feesPaid = (fees: readonly unknown[] | null): string[] =>
  (fees ?? []).flatMap((fee) => {
    const { kind, amount, to, included } = (fee ?? {}) as Fee
    if (amount?.formatted === undefined || !/[1-9]/.test(amount.formatted)) return []
    const sum = `${sanitizeText(decimal(amount.formatted))} ${sanitizeText(amount.symbol ?? '')}`
    if (typeof to === 'string') return [`${sum} to ${sanitizeText(to)}`]
    return [
      typeof kind === 'string'
        ? `${sum} ${named(kind)}, ${included === false ? 'in addition to' : 'in'} the amounts above`
        : sum,
    ]
  })

/** The kind of a fee in words. */
const named = (kind: string): string =>
  /fee$/i.test(kind) ? sanitizeText(kind) : `${sanitizeText(kind)} fee`

/** A fee as a quote has it, by a deployment of any kind. */
type Fee = {
  included?: unknown
  kind?: unknown
  amount?: { formatted?: string; symbol?: string }
  to?: unknown
}
