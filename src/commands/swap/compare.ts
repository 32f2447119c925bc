import { formatUnits } from 'viem/utils'
import { pageOf } from '../../api/page.ts'
import type { Quote } from '../../api/quote.ts'
import type { Backend } from '../../cli/backend-types.ts'
import { withDrafts } from '../../cli/command-action.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { promptChoice, refuseWithoutTerminal } from '../../cli/prompts.ts'
import type { Held } from '../../cli/signing-flow/quotes/balance-shortfalls.ts'
import {
  parseQuoteFlags,
  type QuoteFlags,
  type QuoteRequest,
} from '../../cli/signing-flow/quotes/parse-quote-flags.ts'
import {
  acceptsAndRefusals,
  nextAfterQuote,
  refusalRows,
  withBalance,
} from '../../cli/signing-flow/quotes/quote-with-balance.ts'
import { quoteJson } from '../../cli/views/json-documents.ts'
import type { Address } from '../../domain/address.ts'
import { formatAmount, shareOfBalance } from '../../domain/amount.ts'
import { bitcoinNetwork } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import { refusalOf } from '../../domain/refusal-meanings.ts'
import { advice, sameWith, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { SwapProof } from '../../swaps/definition.ts'
import {
  depositDefinition,
  depositProofOf,
  depositProviderNames,
} from '../../swaps/deposit-provider-registry.ts'
import { swapProofOf, swapProviderNames } from '../../swaps/swap-provider-registry.ts'
import { type Compared, comparedColumns } from './compared-quotes.ts'

type Ranked = { provider: string; quote: Quote }

/** The quotes of some providers for the same swap, the best first, the providers without one, and what the payer has, if that was read. */
type Comparison = {
  request: QuoteRequest
  held: Held | undefined
  ranked: Ranked[]
  failed: { provider: string; error: AppError }[]
}

/**
 * Asks providers for the same swap, all at once; the best is the one that leaves most after gas where that is known, of those whose address
 * and minimum are proved if there is one. If none has a
 * quote, the error of the best reason is thrown.
 */
async function rankQuotes(
  cli: Cli,
  asking: QuoteFlags,
  names: readonly string[],
  { payer, reads }: { payer?: () => Promise<Address>; reads?: { payer: Address | undefined } },
): Promise<Comparison> {
  // A wrong flag is told once, and nobody is asked. A share of a balance is the same amount for all.
  const request = await parseQuoteFlags(cli, asking, payer)
  const quoted = askAndRank(cli, asking, names, request)
  const { answer, held } = reads
    ? await withBalance(cli, { payer: reads.payer, request, quoted })
    : { answer: await quoted, held: undefined }
  return { ...answer, request, held }
}

/** Asks each provider for the same swap; throws the best reason if none has a quote. */
async function askAndRank(
  cli: Cli,
  asking: QuoteFlags,
  names: readonly string[],
  { exact, amount, tokenIn }: QuoteRequest,
): Promise<Pick<Comparison, 'ranked' | 'failed'>> {
  const isShare = shareOfBalance(asking.amountIn) !== undefined
  const options = isShare ? { ...asking, amountIn: formatUnits(amount, tokenIn.decimals) } : asking
  const drafting = withDrafts(cli)
  const asked = await Promise.all(
    names.map(async (provider) => {
      const wish = await parseQuoteFlags(cli, { ...options, provider })
      try {
        return { provider, quote: await wish.ask(drafting) }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return { provider, error }
      }
    }),
  )
  const quoted = asked.flatMap((one) => ('quote' in one && one.quote ? [{ ...one, quote: one.quote }] : []))
  const failed = asked.flatMap((one) => ('error' in one && one.error ? [{ ...one, error: one.error }] : []))
  if (quoted.length === 0) throw bestReason(failed.map(({ error }) => error))
  return { ranked: quoted.toSorted((a, b) => compare(exact, a, b)), failed }
}

/** Lists the quotes of providers, the best first, and what its payer lacks for it; a provider without one is listed with its reason. */
export async function compareQuotes(
  cli: Cli,
  options: QuoteFlags,
  names: readonly string[],
  payer: Address | undefined,
): Promise<void> {
  const { request, held, ranked, failed } = await rankQuotes(cli, options, names, { reads: { payer } })
  const { exact } = request
  const offers = await Promise.all(
    ranked.map(async ({ provider, quote }) => {
      const json = quoteJson(quote)
      const { refusals } = await acceptsAndRefusals(cli, quote, { request, held, share: json.priceImpact })
      return { provider, json, refusals }
    }),
  )
  const best = offers[0]!
  const items: Compared[] = [
    ...offers.map(({ provider, json, refusals }, at): Compared => {
      return {
        provider,
        rank: at + 1,
        quote: json,
        gross: exact === 'in' ? json.tokenOut.amount : json.tokenIn.amount,
        net: exact === 'in' ? json.netAmountOut : json.netAmountIn,
        netUsd: json.netUsd,
        fees: json.fees,
        gasCostUsd: json.gasCostUsd,
        priceImpact: json.priceImpact,
        durationSeconds: json.durationSeconds,
        proof: proofOf(provider),
        lost: at === 0 ? null : whyLost(exact, ranked[at]!, ranked[0]!),
        refusals: refusalRows(cli, refusals),
        error: null,
      }
    }),
    ...failed.map(
      ({ provider, error }): Compared => ({
        provider,
        rank: null,
        quote: null,
        gross: null,
        net: null,
        netUsd: null,
        fees: null,
        gasCostUsd: null,
        priceImpact: null,
        durationSeconds: null,
        proof: proofOf(provider),
        lost: reasonOf(provider, error),
        refusals: [],
        error: { code: error.code, message: error.message },
      }),
    ),
  ]
  // For people, those that another route would need are one line.
  const isTable = !cli.globals.json && !cli.globals.csv
  const elsewhere = isTable ? items.filter(({ lost }) => lost === otherRoute) : []
  const listed = items.filter((item) => !elsewhere.includes(item))
  const note = `not for this route: ${elsewhere.map(({ provider }) => sanitizeText(provider)).join(', ')}`
  await cli.list(pageOf(listed, { all: true }), {
    columns: comparedColumns,
    empty: 'No provider has a quote.',
    ...(elsewhere.length > 0 && { note }),
  })
  for (const { message } of best.refusals)
    cli.notice(`${sanitizeText(best.provider)} will be refused: ${sanitizeText(message)}`)
  const next = nextAfterQuote({ id: best.json.id, refusals: best.refusals }, options.wallet)
  if (next !== null) cli.notice(advice`next: ${next}`)
}

/** Lets a person choose one of the quotes of some providers, the best first. Without a terminal, PROMPT_NEEDED. */
export async function chooseQuote(
  cli: Cli,
  options: QuoteFlags,
  names: readonly string[],
  payer: () => Promise<Address>,
): Promise<Quote> {
  const question = 'Which quote should be executed?'
  const instead = advice`To name the provider: ${sameWith({ '--provider': 'NAME' }, '--compare')}. To list the quotes: ${sluice('swap quote', { '--help': true })}`
  if (cli.globals.yes)
    throw new AppError('USAGE', '--compare asks which quote to execute, and --yes answers no such question', {
      next: instead,
    })
  refuseWithoutTerminal(cli.io, cli.globals, question, instead, 'Input')
  const { request, ranked, failed } = await rankQuotes(cli, options, names, { payer })
  const { exact } = request
  for (const { provider, error } of failed)
    cli.notice(`${sanitizeText(provider)} ${reasonOf(provider, error)}`)
  const width = Math.max(...ranked.map(({ provider }) => provider.length))
  const chosen = await promptChoice(
    cli.io,
    question,
    ranked.map(({ provider, quote }, at) => ({
      value: String(at),
      name: `${sanitizeText(provider).padEnd(width)}  ${offered(exact, quote)}${at === 0 ? '' : ` (${whyLost(exact, ranked[at]!, ranked[0]!)})`}`,
    })),
  )
  return ranked[Number(chosen)]!.quote
}

/** What a quote gives or takes, after gas where that is known. */
function offered(exact: 'in' | 'out', quote: Quote): string {
  const net = netOf(exact, quote)
  const amount = formatAmount(net ?? grossOf(exact, quote), exact === 'in' ? quote.tokenOut : quote.tokenIn)
  return `${exact === 'in' ? 'receive' : 'pay'} ${amount}${net === null ? '' : ' after gas'}`
}

/** The providers that a comparison asks: those named here, else by the profile, else all that this version knows for swaps from there. */
export const comparedProviders = (
  { swapProviders }: Pick<Backend, 'swapProviders'>,
  named: string | true,
  from?: string,
): readonly string[] => {
  if (named === true) {
    const isBitcoin = from?.toLowerCase() === bitcoinNetwork.name
    const [known, others] = isBitcoin
      ? [depositProviderNames, swapProviderNames]
      : [swapProviderNames, depositProviderNames]
    const chosen = swapProviders?.filter((name) => !others.includes(name)) ?? []
    return chosen.length > 0 ? chosen : known
  }
  const names = [...new Set(named.split(',').map((name) => name.trim().toLowerCase()))].filter(Boolean)
  if (names.length > 0) return names
  throw new AppError('USAGE', '--compare needs the names of providers, separated by commas, or no value', {
    next: sluice('swap quote', { '--compare': swapProviderNames.join(','), '--help': true }),
  })
}

const netOf = (exact: 'in' | 'out', quote: Quote): bigint | null =>
  exact === 'in' ? quote.netAmountOut : quote.netAmountIn

const grossOf = (exact: 'in' | 'out', { tokenIn, tokenOut }: Quote): bigint =>
  exact === 'in' ? tokenOut.amount : tokenIn.amount

/** The term of an offer that nothing proves: the deposit address or the minimum. Such an offer ranks after every offer without one. */
const unprovedOf = (provider: string): 'address' | 'minimum' | undefined => {
  if (depositDefinition(provider)?.isAddressUnproven) return 'address'
  return swapProofOf(provider)?.minimum === 'none' ? 'minimum' : undefined
}

const proofOf = (provider: string): SwapProof | string | null =>
  swapProofOf(provider) ?? depositProofOf(provider) ?? null

/**
 * The order of two quotes, the better first: an address or a minimum that nothing proves goes after one that is proved, and an unknown net amount never
 * before a known one.
 */
function compare(exact: 'in' | 'out', one: Ranked, other: Ranked): number {
  const [first, second] = [unprovedOf(one.provider), unprovedOf(other.provider)]
  if ((first === undefined) !== (second === undefined)) return first ? 1 : -1
  const [a, b] = [one.quote, other.quote]
  const [mine, theirs] = [netOf(exact, a), netOf(exact, b)]
  if ((mine === null) !== (theirs === null)) return mine === null ? 1 : -1
  const [x, y] = mine !== null && theirs !== null ? [mine, theirs] : [grossOf(exact, a), grossOf(exact, b)]
  const isLess = x < y ? -1 : x > y ? 1 : 0
  return exact === 'in' ? -isLess : isLess
}

function whyLost(
  exact: 'in' | 'out',
  { provider, quote }: Ranked,
  { provider: first, quote: best }: Ranked,
): string {
  const unproved = unprovedOf(provider)
  if (unproved && !unprovedOf(first)) return `nothing proves its ${unproved}`
  const [mine, theirs] = [netOf(exact, quote), netOf(exact, best)]
  const token = exact === 'in' ? quote.tokenOut : quote.tokenIn
  if (mine === null && theirs !== null) return 'its gas cost is not known'
  const isNet = mine !== null && theirs !== null
  const [own, other] = isNet ? [mine, theirs] : [grossOf(exact, quote), grossOf(exact, best)]
  const less = exact === 'in' ? other - own : own - other
  if (less === 0n) return 'same amount'
  return `${formatAmount(less, token)} ${exact === 'in' ? 'less' : 'more'}${isNet ? ' after gas' : ''}`
}

const otherRoute = 'does not serve this route'

const reasons: Readonly<Record<string, string>> = {
  PREFERRED_PROVIDER_NOT_ELIGIBLE: otherRoute,
  INVALID_PREFERRED_PROVIDER: 'is not known to the service',
  NO_ROUTE_FOUND: 'has no route for this amount',
}

/** Why a provider has no quote, as a predicate of its name. */
const reasonOf = (provider: string, { code, message }: AppError): string =>
  message.startsWith(`${provider} `) ? message.slice(provider.length + 1) : (reasons[code] ?? message)

/** Of several failures the one that says most: one that is about the request, before those about a provider. */
function bestReason(errors: readonly AppError[]): AppError {
  const withCode = (code: string) => errors.find((error) => error.code === code)
  const isUnknown = errors.every(({ code }) => code === 'INVALID_PREFERRED_PROVIDER')
  const found = errors.find(({ code }) => !(code in reasons)) ?? withCode('NO_ROUTE_FOUND')
  if (found?.code === 'PREFERRED_PROVIDER_QUOTE_UNAVAILABLE' && !refusalOf(found.details))
    // No provider was preferred here.
    return found.with({
      next: advice`Try again, or another amount or pair: ${sluice('swap quote', { '--help': true })}`,
    })
  return (
    found ??
    (isUnknown ? errors[0] : undefined) ??
    new AppError('NO_ROUTE_FOUND', 'No provider serves this route', {
      details: { providers: errors.map(({ code, message }) => ({ code, message })) },
    })
  )
}
