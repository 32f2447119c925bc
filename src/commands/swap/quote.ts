import type { Quote } from '../../api/quote.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { nextLine } from '../../cli/next-step-text.ts'
import { balanceShortfalls, readHeld } from '../../cli/signing-flow/quotes/balance-shortfalls.ts'
import {
  parseQuoteFlags,
  type QuoteFlags,
  type QuoteRequest,
} from '../../cli/signing-flow/quotes/parse-quote-flags.ts'
import { type QuoteRefusal, quoteRefusals } from '../../cli/signing-flow/quotes/quote-refusals.ts'
import { promised } from '../../cli/signing-flow/swap-proposal.ts'
import { amountShown, decimal, dollars, utcTime } from '../../cli/terminal/format.ts'
import type { Stream } from '../../cli/terminal/io-types.ts'
import { fieldTable } from '../../cli/terminal/table.ts'
import { quoteJson } from '../../cli/views/json-documents.ts'
import { otherOffers } from '../../cli/views/other-offers-view.ts'
import { walletAddress } from '../../cli/wallet-address.ts'
import type { Address } from '../../domain/address.ts'
import { formatAmount, tokenAmount } from '../../domain/amount.ts'
import { bitcoinNetwork } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import { percentText } from '../../domain/price-impact-share.ts'
import { commandLine, type Next, sameWith, sluice } from '../../domain/text/next-step.ts'
import { shellWord } from '../../domain/text/shell-quoting.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { spanText } from '../../domain/text/time-spans.ts'
import { comparedProviders, compareQuotes } from './compare.ts'

/** `swap quote` */
export async function quote(
  cli: Cli,
  { compare, ...options }: QuoteFlags & { compare?: string | true },
): Promise<void> {
  // A wallet that was named must exist, whatever is known of its balance.
  const payer = options.wallet === undefined ? undefined : await walletAddress(cli, options.wallet)
  if (compare !== undefined) {
    if (options.provider !== undefined)
      throw new AppError('USAGE', '--provider and --compare cannot be combined', {
        next: `Name the providers to compare: --compare ${shellWord(options.provider)},OTHER`,
      })
    return compareQuotes(cli, options, comparedProviders(cli.backend, compare, options.from))
  }
  const { quote, resolved, held } = await askQuoteAndBalance(cli, options, payer)
  const own = quoteJson(quote)
  const isFromBitcoin = quote.from.chainId === bitcoinNetwork.chainId
  const { profile } = cli.globals
  const argv = profile === undefined ? [] : ['--profile', profile]
  const accepts = isFromBitcoin ? null : acceptedOf(quote, resolved)
  const refusals = isFromBitcoin
    ? []
    : [
        ...(held
          ? balanceShortfalls(held, {
              token: resolved.tokenIn,
              amountIn: accepts ? BigInt(accepts.amountIn.raw) : quote.tokenIn.amount,
              estimatedGas: quote.estimatedGas,
            })
          : []),
        ...(await quoteRefusals(cli, quote, resolved, own.priceImpact)),
      ]
  const document = {
    ...own,
    accepts,
    refusals: refusals.map(({ flags, next, ...one }) => ({
      ...one,
      flag: flags && commandLine(sameWith(flags)),
      next: next && nextLine(next, { argv }),
    })),
  }
  const next = nextLine(nextOf(own.id, refusals, options.wallet), { argv })
  cli.emit(document, (one, to) => quoteView(one, to, next))
}

/** Requests a quote and reads at the same time what the wallet has; nothing is read of a wallet for a swap from Bitcoin. */
async function askQuoteAndBalance(cli: Cli, options: QuoteFlags, payer: Address | undefined) {
  const resolved = await parseQuoteFlags(cli, options)
  const { tokenIn: token } = resolved
  const quoted = resolved.ask(cli)
  const [quote, held] = await Promise.all([
    quoted,
    token.chainId === bitcoinNetwork.chainId ? undefined : readHeld(cli, { payer, token, quoted }),
  ])
  return { quote, resolved, held }
}

/** What executing a quote spends at most and receives at least; `null` if it has no bound, which `refusals` says. */
function acceptedOf(quote: Quote, { exact, slippage }: QuoteRequest) {
  try {
    const bound = promised(quote, { exact, slippage, least: null })
    return {
      amountIn: tokenAmount(bound.amountIn, quote.tokenIn),
      amountOut: tokenAmount(bound.amountOut, quote.tokenOut),
    }
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

type Shown = ReturnType<typeof quoteJson> & {
  accepts: ReturnType<typeof acceptedOf>
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

/**
 * The command that brings or shows what the wallet lacks, else the one that executes a quote with the flags that accept what would be refused;
 * the help of quotes if no flag does.
 */
function nextOf(id: string | null, refusals: readonly QuoteRefusal[], wallet: string | undefined): Next {
  const [first] = refusals.flatMap(({ next }) => next ?? [])
  if (first !== undefined) return first
  if (!id || refusals.some(({ flags }) => flags === null)) return sluice('swap quote', { '--help': true })
  return sluice('swap execute', id, { '--wallet': wallet }, ...refusals.flatMap(({ flags }) => flags ?? []))
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
