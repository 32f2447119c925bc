import type { Cli } from '../../cli/command-run-types.ts'
import { nextLine } from '../../cli/next-step-text.ts'
import { parseQuoteFlags } from '../../cli/signing-flow/quotes/parse-quote-flags.ts'
import {
  acceptsAndRefusals,
  nextAfterQuote,
  refusalRows,
  withBalance,
} from '../../cli/signing-flow/quotes/quote-with-balance.ts'
import { amountShown, decimal, dollars, utcTime } from '../../cli/terminal/format.ts'
import type { Stream } from '../../cli/terminal/io-types.ts'
import { fieldTable } from '../../cli/terminal/table.ts'
import { quoteJson } from '../../cli/views/json-documents.ts'
import { otherOffers } from '../../cli/views/other-offers-view.ts'
import { walletAddress } from '../../cli/wallet-address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { percentText } from '../../domain/price-impact-share.ts'
import { advice, sameWithout, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { spanText } from '../../domain/text/time-spans.ts'
import { comparedProviders, compareQuotes } from './compare.ts'

/** `swap quote` */
export async function quote(cli: Cli, { compare, ...options }: OptionsOf<'swap quote'>): Promise<void> {
  // A wallet that was named must exist, whatever is known of its balance.
  const payer = options.wallet === undefined ? undefined : await walletAddress(cli, options.wallet)
  if (compare !== undefined) {
    if (options.provider !== undefined)
      throw new AppError('USAGE', '--provider and --compare cannot be combined', {
        next: advice`For a quote of ${sanitizeText(options.provider)}: ${sameWithout('--compare')}. To compare: ${sameWithout('--provider')}`,
      })
    return compareQuotes(cli, options, comparedProviders(cli.backend, compare, options.from), payer)
  }
  const request = await parseQuoteFlags(cli, options)
  const { answer, held } = await withBalance(cli, { payer, request, quoted: request.ask(cli) })
  const own = quoteJson(answer)
  const { accepts, refusals } = await acceptsAndRefusals(cli, answer, {
    request,
    held,
    share: own.priceImpact,
  })
  const document = { ...own, accepts, refusals: refusalRows(cli, refusals) }
  const { profile } = cli.globals
  const after =
    nextAfterQuote({ id: own.id, refusals }, options.wallet) ?? sluice('swap quote', { '--help': true })
  const next = nextLine(after, { target: { profile } })
  cli.emit(document, (one, to) => quoteView(one, to, next))
}

type Shown = ReturnType<typeof quoteJson> & {
  accepts: Awaited<ReturnType<typeof acceptsAndRefusals>>['accepts']
  refusals: readonly { message: string }[]
}

/** The least that is received of an exact input, or the most that is spent for an exact output. */
function boundRows({ accepts, tokenIn, minAmountOut }: Shown): (readonly [string, string])[] {
  if (accepts === null) return minAmountOut ? [['at least', amountShown(minAmountOut)]] : []
  const isMore = accepts.amountIn.raw !== tokenIn.amount.raw
  return [
    ['at least', amountShown(accepts.amountOut)],
    ...(isMore ? [['at most', amountShown(accepts.amountIn)] as const] : []),
  ]
}

const quoteView = (one: Shown, to: Stream, next: string): string =>
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
      ...boundRows(one),
      ...feesPaid(one.fees).map((text) => ['fee', text] as const),
      ...sooner(one).map((text) => ['sooner', text] as const),
      ...gasRows(one),
      ...otherOffers(one).map((text) => ['alternative', text] as const),
      [
        'price',
        one.priceImpact === null
          ? 'not known'
          : `${percentText(one.priceImpact)} below spot${one.priceImpactUsd === null || Number(one.priceImpactUsd) === 0 ? '' : `, which costs ${dollars(one.priceImpactUsd)}`}`,
      ],
      ['provider', sanitizeText(one.provider)],
      one.feeSponsorshipReason && ['sponsored', `no: ${sanitizeText(one.feeSponsorshipReason)}`],
      ['expires', utcTime(one.deadline)],
      ...one.refusals.map(({ message }) => ['refused', to.paint.red(sanitizeText(message))] as const),
      ['next', next],
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
    const saves = savesSeconds === null ? 'arrives sooner' : `saves about ${spanText(1_000 * savesSeconds)}`
    const said = `${sanitizeText(transferSpeed)} costs ${cost} and ${saves}`
    return [transferSpeed === 'fast' ? [said, 'by --speed fast'].join(', ') : said]
  })

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
