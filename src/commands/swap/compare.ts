import { formatUnits } from 'viem/utils'
import { pageOf } from '../../api/page.ts'
import type { Quote } from '../../api/quote.ts'
import type { Backend } from '../../cli/backend-types.ts'
import { withDrafts } from '../../cli/command-action.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { amountCsv } from '../../cli/output/field-names.ts'
import type { Column } from '../../cli/output/view-types.ts'
import { promptChoice, refuseWithoutTerminal } from '../../cli/prompts.ts'
import { parseQuoteFlags, type QuoteFlags } from '../../cli/signing-flow/quotes/parse-quote-flags.ts'
import { amountShown, dollars, percent } from '../../cli/terminal/format.ts'
import { quoteJson } from '../../cli/views/json-documents.ts'
import type { Address } from '../../domain/address.ts'
import { formatAmount, shareOfBalance, type TokenAmount } from '../../domain/amount.ts'
import { bitcoinNetwork } from '../../domain/bitcoin.ts'
import { copyErrorWith } from '../../domain/copy-error.ts'
import { AppError } from '../../domain/errors.ts'
import { refusalOf } from '../../domain/refusal-meanings.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { spanText } from '../../domain/text/time-spans.ts'
import type { SwapProof } from '../../swaps/definition.ts'
import {
  depositDefinition,
  depositProofOf,
  depositProviderNames,
} from '../../swaps/deposit-provider-registry.ts'
import { swapProofOf, swapProviderNames } from '../../swaps/swap-provider-registry.ts'

/** One provider in a comparison: its quote, or why it has none; `lost` says why it is not the best. */
type Compared = {
  provider: string
  rank: number | null
  quote: ReturnType<typeof quoteJson> | null
  gross: TokenAmount | null
  net: TokenAmount | null
  netUsd: string | null
  /** The fees by kind: included in the gross amount, or paid to a collector in a separate step. */
  fees: readonly unknown[] | null
  gasCostUsd: string | null
  priceImpact: number | null
  durationSeconds: number | null
  /** By what each term is proved, in words for a deposit on Bitcoin. */
  proof: SwapProof | string | null
  lost: string | null
  error: { code: string; message: string } | null
}

type Ranked = { provider: string; quote: Quote }

/** The quotes of some providers for the same swap, the best first, and the providers without one. */
type Comparison = {
  exact: 'in' | 'out'
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
  payer?: () => Promise<Address>,
): Promise<Comparison> {
  // A wrong flag is told once, and nobody is asked. A share of a balance is the same amount for all.
  const { amount, tokenIn } = await parseQuoteFlags(cli, asking, payer)
  const isShare = shareOfBalance(asking.amountIn) !== undefined
  const options = isShare ? { ...asking, amountIn: formatUnits(amount, tokenIn.decimals) } : asking
  const drafting = withDrafts(cli)
  const asked = await Promise.all(
    names.map(async (provider) => {
      const wish = await parseQuoteFlags(cli, { ...options, provider })
      try {
        return { provider, exact: wish.exact, quote: await wish.ask(drafting) }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return { provider, exact: wish.exact, error }
      }
    }),
  )
  const quoted = asked.flatMap((one) => ('quote' in one && one.quote ? [{ ...one, quote: one.quote }] : []))
  const failed = asked.flatMap((one) => ('error' in one && one.error ? [{ ...one, error: one.error }] : []))
  if (quoted.length === 0) throw bestReason(failed.map(({ error }) => error))
  const { exact } = asked[0]!
  return { exact, ranked: quoted.toSorted((a, b) => compare(exact, a, b)), failed }
}

/** Lists the quotes of providers, the best first; a provider without one is listed with its reason. */
export async function compareQuotes(cli: Cli, options: QuoteFlags, names: readonly string[]): Promise<void> {
  const { exact, ranked, failed } = await rankQuotes(cli, options, names)
  const best = ranked[0]!.quote
  const items: Compared[] = [
    ...ranked.map(({ provider, quote }, at): Compared => {
      const json = quoteJson(quote)
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
    columns,
    empty: 'No provider has a quote.',
    ...(elsewhere.length > 0 && { note }),
  })
  if (best.id) cli.notice(advice`next: ${sluice('swap execute', best.id, { '--wallet': options.wallet })}`)
}

/** Lets a person choose one of the quotes of some providers, the best first. Without a terminal, PROMPT_NEEDED. */
export async function chooseQuote(
  cli: Cli,
  options: QuoteFlags,
  names: readonly string[],
  payer: () => Promise<Address>,
): Promise<Quote> {
  const question = 'Which quote should be executed?'
  const instead = advice`Name the provider with --provider, or list the quotes: ${sluice('swap quote', { '--help': true })}`
  if (cli.globals.yes)
    throw new AppError('USAGE', '--compare asks which quote to execute, and --yes answers no such question', {
      next: instead,
    })
  refuseWithoutTerminal(cli.io, cli.globals, question, instead, 'Input')
  const { exact, ranked, failed } = await rankQuotes(cli, options, names, payer)
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
    return copyErrorWith(found, {
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

const columns: readonly Column<Compared>[] = [
  {
    title: 'PROVIDER',
    field: 'provider',
    csv: { provider: ({ provider }) => provider },
    text: ({ provider, rank }, paint) =>
      rank === 1 ? paint.green(sanitizeText(provider)) : sanitizeText(provider),
  },
  {
    title: 'GROSS',
    field: 'gross',
    csv: amountCsv('gross', ({ gross }) => gross),
    align: 'right',
    text: ({ gross }, _, places) => amountShown(gross, places),
  },
  {
    title: 'NET',
    field: 'net',
    csv: amountCsv('net', ({ net }) => net),
    align: 'right',
    text: ({ net, quote }, _, places) => (net || !quote ? amountShown(net, places) : 'not known'),
  },
  {
    title: 'NET USD',
    field: 'netUsd',
    csv: { netUsd: ({ netUsd }) => netUsd },
    align: 'right',
    drop: 1,
    text: ({ netUsd }) => dollars(netUsd),
  },
  {
    title: 'FEES',
    field: 'fees',
    csv: { fees: ({ fees }) => feesOf(fees).join('; ') },
    drop: 2,
    text: ({ fees }) => feesOf(fees).join(', ') || '-',
  },
  {
    title: 'GAS',
    field: 'gasCostUsd',
    csv: { gasCostUsd: ({ gasCostUsd }) => gasCostUsd },
    align: 'right',
    drop: 3,
    text: ({ gasCostUsd }) => dollars(gasCostUsd),
  },
  {
    title: 'IMPACT',
    field: 'priceImpact',
    csv: { priceImpact: ({ priceImpact }) => priceImpact },
    align: 'right',
    drop: 4,
    text: ({ priceImpact }) => percent(priceImpact),
  },
  {
    title: 'TIME',
    field: 'durationSeconds',
    csv: { durationSeconds: ({ durationSeconds }) => durationSeconds },
    align: 'right',
    drop: 5,
    text: ({ durationSeconds, quote }) => (quote ? timeShown(durationSeconds) : '-'),
  },
  {
    title: 'PROVED',
    field: 'proof',
    csv: { proof: ({ proof }) => (proof === null ? null : provedShown(proof)) },
    drop: 6,
    text: ({ proof, quote }) => (quote ? provedShown(proof) : '-'),
  },
  {
    title: 'NOTE',
    field: 'lost',
    csv: { lost: ({ lost }) => lost },
    drop: 0.5,
    text: ({ lost, rank }, paint) => (rank === 1 ? paint.green('best') : paint.dim(sanitizeText(lost ?? ''))),
  },
]

/** The fees of a quote with their kinds: `0.5 USDC network`. */
const feesOf = (fees: readonly unknown[] | null): string[] =>
  (fees ?? []).flatMap((fee) => {
    const { kind, amount } = (fee ?? {}) as { kind?: unknown; amount?: Partial<TokenAmount> }
    if (amount?.formatted === undefined || !/[1-9]/.test(amount.formatted)) return []
    return [
      sanitizeText(
        `${amount.formatted} ${amount.symbol ?? ''} ${typeof kind === 'string' ? kind : ''}`.trim(),
      ),
    ]
  })

const timeShown = (seconds: number | null): string =>
  seconds === null ? 'not known' : seconds === 0 ? '1 block' : spanText(1_000 * seconds)

/** What of the terms is proved by the calldata, in words; a deposit on Bitcoin has words of its own. */
function provedShown(proof: SwapProof | string | null): string {
  if (!proof) return 'not known'
  if (typeof proof === 'string') return proof
  const simulated = termsBy(proof, 'simulation')
  const not = termsBy(proof, 'none')
  if (not.length === Object.keys(proof).length) return 'nothing'
  const but = not.length === 0 ? 'all' : `all but ${not.join(', ')}`
  return simulated.length === 0 ? but : `${but} (${simulated.join(', ')} by simulation)`
}

const termsBy = (proof: SwapProof, how: SwapProof['minimum']): string[] =>
  Object.entries(proof).flatMap(([term, by]) => (by === how ? [term] : []))
