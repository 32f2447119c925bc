import type { Quote } from '../../api/quote.ts'
import type { SwapBytecode } from '../../api/unsigned-transactions.ts'
import type { AskedQuote } from '../../cli/asked-quote-types.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { idAtService, swapNamed } from '../../cli/named-id.ts'
import { idempotencyKey } from '../../cli/options/option-values.ts'
import { allPages } from '../../cli/read-all-pages.ts'
import { recipientOf } from '../../cli/recipient.ts'
import { parseQuoteFlags, type QuoteRequest } from '../../cli/signing-flow/quotes/parse-quote-flags.ts'
import { withQuoteAgain } from '../../cli/signing-flow/quotes/quote-again.ts'
import { referenceForSwap } from '../../cli/signing-flow/quotes/reference-quote.ts'
import { quoteWithin, withMinOutHint } from '../../cli/signing-flow/quotes/request-quote.ts'
import {
  requireIdempotency,
  startedBeforeError,
  warnNoKey,
} from '../../cli/signing-flow/refuse-duplicates.ts'
import { signAndSend } from '../../cli/signing-flow/sign-and-send.ts'
import { promised, type SwapOrder, swapProposal } from '../../cli/signing-flow/swap-proposal.ts'
import { termsOf } from '../../cli/signing-flow/user-terms-from-flags.ts'
import { quoteJson } from '../../cli/views/json-documents.ts'
import { otherOffers } from '../../cli/views/other-offers-view.ts'
import type { AmountRequest } from '../../domain/accepted-amounts.ts'
import type { Address } from '../../domain/address.ts'
import { formatAmount, parseAmount } from '../../domain/amount.ts'
import { isOnBitcoin } from '../../domain/bitcoin.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { canonicalJson } from '../../domain/text/canonical-json.ts'
import { advice, sameWithout, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { Token, Unit } from '../../domain/token.ts'
import { quoteExpiredError } from '../../domain/used-order-and-expired-quote-errors.ts'
import type { TokenUsdPrice } from '../../planning/usd-value.ts'
import { payAndFollow } from './bitcoin-deposit.ts'
import { refuseSigningFlags } from './bitcoin-deposit-terms-check.ts'
import { chooseQuote, comparedProviders } from './compare.ts'
import { begunQuote } from './record-bitcoin-swap.ts'
import { refuseSentQuote } from './refuse-sent-quote.ts'

type Options = OptionsOf<'swap execute'>

const quoteFlags = [
  'from',
  'to',
  'tokenIn',
  'tokenOut',
  'amountIn',
  'amountOut',
  'refund',
  'provider',
  'slippage',
  'speed',
] as const

/** `swap execute` */
export async function execute(
  cli: Cli,
  id: string | undefined,
  { compare, ...options }: Options,
): Promise<void> {
  if (compare === undefined) return executeQuote(cli, id, options)
  if (id !== undefined || options.provider !== undefined)
    throw new AppError('USAGE', '--compare cannot be combined with a quote ID or --provider', {
      next: sluice('swap execute', { '--help': true }),
    })
  const names = comparedProviders(cli.backend, compare, options.from)
  const chosen = await chooseQuote(cli, options, names, () => payerOf(cli, options))
  const rest = Object.fromEntries(
    Object.entries(options).filter(([name]) => !quoteFlags.some((flag) => flag === name)),
  ) as Options
  // It named who is paid, which the quote says.
  if (isOnBitcoin(chosen.from)) delete rest.wallet
  return executeQuote(cli, chosen.id, rest)
}

async function executeQuote(cli: Cli, id: string | undefined, options: Options): Promise<void> {
  const asked = quoteFlags.some((flag) => options[flag] !== undefined)
  if (id !== undefined && asked)
    throw new AppError('USAGE', 'A quote ID and the flags of a quote cannot be combined', {
      next: sluice('swap execute', id),
    })
  let known: Known | undefined
  try {
    if (id === undefined)
      return await fromFlags(cli, await parseQuoteFlags(cli, options, () => payerOf(cli, options)), options)
    known = await quoteOf(cli, id)
    return await fromQuote(cli, known, options)
  } catch (error) {
    const isOfPolicy = error instanceof AppError && error.details?.rule === 'maxSlippage'
    const isKept = known === undefined || (isOnBitcoin(known.quote.from) && !isOfPolicy)
    throw withMinOutHint(isKept ? error : await withQuoteAgain(cli, error, askedOf(known!)), options)
  }
}

const payerOf = async ({ backend }: Cli, options: Options) => (await backend.signerIdentity(options)).address

/** A quote, with its request if this machine made it; `isListed`: only the list of the service describes it. */
type Known = { quote: Quote; isListed?: boolean } & Partial<AskedQuote>

/** The quote of an id: as this machine was given it, or of the service, which is asked for the id. Another deployment may list all quotes. */
async function quoteOf(cli: Cli, typed: string): Promise<Known> {
  const quotes = await cli.program.quotes()
  const kept = (await quotes.find(typed)) ?? (await quotes.find((await swapNamed(cli, typed)).id))
  if (kept) return kept
  const service = await cli.service()
  const named = async (id: string) => {
    const listed = await allPages((page, limit) => service.listQuotes({ id, page, limit }))
    return listed.find((one) => one.id === id)
  }
  const quote = (await named(typed)) ?? (await named((await idAtService(cli, typed)) ?? typed))
  if (quote) return { quote, isListed: true }
  throw new AppError('QUOTE_NOT_FOUND', `Unknown quote "${sanitizeText(typed)}"`)
}

/** A quote that this machine did not request is only the word of the service, so a person must confirm it. */
function refuseUnseen({ backend, io, globals }: Cli, { quote, isListed }: Known): void {
  if (!isListed || backend.kind !== 'remote' || (io.canAsk && globals.input && !globals.yes)) return
  throw new AppError(
    'POLICY_QUOTE_DRIFT',
    `This machine did not request the quote ${sanitizeText(quote.id)}, so only the service describes it: ${titleOf(quote)}`,
    {
      next: advice`To confirm it in a terminal: ${sameWithout('--yes')}. To request the swap here, with the flags of a quote: ${sluice('swap execute', { '--help': true })}`,
    },
  )
}

const titleOf = (quote: Quote) =>
  `Swap ${formatAmount(quote.tokenIn.amount, quote.tokenIn)} on ${sanitizeText(quote.from.network)} for ${formatAmount(quote.tokenOut.amount, quote.tokenOut)} on ${sanitizeText(quote.to.network)}`

/** The token prices of a quote. */
const pricesOf = ({ tokenIn, tokenOut }: Quote): TokenUsdPrice[] =>
  [tokenIn, tokenOut].flatMap(({ chainId, address, priceUsd }) =>
    priceUsd === null ? [] : [{ chainId, address, usd: priceUsd }],
  )

async function fromQuote(cli: Cli, known: Known, options: Options): Promise<void> {
  const { quote, exact = exactOf(quote), slippage = null, speed = null } = known
  const least = leastOf(options, exact, quote.tokenOut)
  if (isOnBitcoin(quote.from)) {
    refuseSigningFlags(options, { mayName: false })
    // The status of a quote of this machine is shown.
    if (known.isListed && cli.backend.kind === 'remote') await refuseSentQuote(cli, quote, undefined, options)
    refuseUnseen(cli, known)
    const named =
      options.destination === undefined
        ? undefined
        : await recipientOf(cli, options.destination, '--destination', {
            ...quote.to,
            name: quote.to.network,
          })
    const request = {
      command: 'swap',
      quote: quote.id,
      ...(named && { destination: named }),
      ...worded(least),
    }
    const recipient = named ?? known.destination ?? null
    return payFromBitcoin(cli, {
      request,
      least,
      options,
      ask: async () => ({ ...known, destination: recipient }),
    })
  }
  const begun = (await cli.backend.context()).journal.find(quote.id)
  await refuseSentQuote(cli, quote, begun, options)
  if (!begun) refuseUnseen(cli, known)
  if (!begun && quote.deadline !== null && cli.program.now() >= Date.parse(quote.deadline))
    throw quoteExpiredError(Date.parse(quote.deadline), { isUnsigned: true })
  const named =
    options.destination === undefined
      ? undefined
      : await recipientOf(cli, options.destination, '--destination', { ...quote.to, name: quote.to.network })
  const destination = named ?? known.destination ?? undefined
  // A quote is executed once: its id is the idempotency key. A swap that was started with the flags of a quote has its id too, and the id
  // alone names that swap, whatever its key.
  const isNamed = options.idempotencyKey === undefined && named === undefined && least === null
  const same = isNamed ? begun : undefined
  const key = options.idempotencyKey ?? same?.idemKey ?? quote.id
  const { wallet: _, ...own } = (same?.request ?? {}) as Record<string, unknown>
  const request = same
    ? own
    : { command: 'swap', quote: quote.id, ...(destination && { destination }), ...worded(least) }
  const isOther =
    begun &&
    (begun.idemKey !== key ||
      canonicalJson(begun.request) !== canonicalJson({ ...request, wallet: begun.wallet }))
  if (isOther && !options.dryRun) throw startedBeforeError(begun)
  await signAndSend(
    cli,
    { ...options, idempotencyKey: key },
    {
      title: `${titleOf(quote)}${toWhom(destination)}`,
      request,
      chainId: quote.from.chainId,
      propose: (wallet) => propose(cli, quote, { wallet, destination, exact, slippage, least, speed }),
      reference: () =>
        referenceForSwap(cli, quote, { exact, slippage, least, isNamed: known.isNamed ?? false }),
      prices: () => pricesOf(quote),
    },
  )
}

/** A quote with its request, which is guessed where another machine made it. */
const askedOf = ({ quote, exact, slippage, destination, ...rest }: Known): AskedQuote => ({
  ...rest,
  quote,
  exact: exact ?? exactOf(quote),
  slippage: slippage ?? null,
  destination: destination ?? quote.destinationAddress,
})

/** The exact side of a quote without its request: with exact output, more may be spent than quoted. */
const exactOf = ({ tokenIn, tokenOut, minAmountOut, maxAmountIn }: Quote): 'in' | 'out' =>
  maxAmountIn !== null && minAmountOut === tokenOut.amount && maxAmountIn !== tokenIn.amount ? 'out' : 'in'

async function fromFlags(cli: Cli, wish: QuoteRequest, options: Options): Promise<void> {
  const { exact, slippage, destination, speed } = wish
  const least = leastOf(options, exact, wish.tokenOut)
  if (isOnBitcoin(wish.tokenIn)) {
    refuseSigningFlags(options, { mayName: options.destination === undefined })
    const request = { command: 'swap', ...wish.request, ...worded(least) }
    requireIdempotency(cli, options, request)
    const ask = async () => {
      const quote = await wish.ask(cli)
      if (!options.dryRun) warnNoKey(cli, options, request)
      return { quote, slippage, destination: destination!, isNew: true }
    }
    return payFromBitcoin(cli, { request, least, options, ask })
  }
  // Request no quote that cannot be checked on its chain.
  const { rpc } = await cli.backend.context()
  for (const { chainId } of [wish.tokenIn, wish.tokenOut]) rpc(chainId)
  let asked: Quote | undefined
  await signAndSend(cli, options, {
    title: await titleOfWish(cli, wish),
    request: { command: 'swap', ...wish.request, ...worded(least) },
    chainId: wish.tokenIn.chainId,
    propose: async (wallet) => {
      const quote = await quoteWithin(cli, wish, least, termsOf(cli, options).policy)
      asked = quote
      const { paint } = cli.io.err
      cli.notice(
        paint.dim(
          `quote ${sanitizeText(quote.id || '-')} of ${sanitizeText(quote.provider)}: ${titleOf(quote)}`,
        ),
      )
      for (const text of otherOffers(quoteJson(quote))) cli.notice(paint.dim(`alternative: ${text}`))
      return propose(cli, quote, { wallet, destination, exact, slippage, least, speed })
    },
    reference: async () =>
      asked &&
      referenceForSwap(cli, asked, {
        exact,
        slippage,
        least,
        isNamed: options.provider !== undefined,
      }),
    prices: () => (asked ? pricesOf(asked) : []),
  })
}

/**
 * A swap from Bitcoin. Its operation keeps the quote that its idempotency key got first: whoever repeats the command is shown the same
 * deposit address, or that it is paid, and never another address.
 */
async function payFromBitcoin(
  cli: Cli,
  {
    request,
    least,
    options,
    ask,
  }: {
    request: Record<string, unknown>
    least: bigint | null
    options: Options
    ask: () => Promise<Known & { isNew?: boolean }>
  },
): Promise<void> {
  const key = idempotencyKey(options.idempotencyKey)
  const { journal } = await cli.backend.context()
  const begun = key === undefined ? undefined : journal.findForRequest(key, request)
  const known = begun ? { ...begunQuote(begun), isNew: false } : await ask()
  const { quote, slippage = null, destination = null, isNew = false } = known
  await payAndFollow(cli, quote, { key, request, destination, slippage, least, isNew, options })
}

/** The title of a swap, with its destination chain and recipient if they differ. */
async function titleOfWish(cli: Cli, wish: QuoteRequest): Promise<string> {
  const { exact, amount, tokenIn, tokenOut, destination } = wish
  const { networks } = await cli.backend.catalog()
  const across = tokenIn.chainId !== tokenOut.chainId
  const side = (token: Token, isExact: boolean) =>
    `${isExact ? formatAmount(amount, token) : token.symbol}${across ? ` on ${networkNamed(networks, token.chainId).name}` : ''}`
  return `Swap ${side(tokenIn, exact === 'in')} for ${side(tokenOut, exact === 'out')}${toWhom(destination)}`
}

const toWhom = (destination: Address | null | undefined) => (destination ? `, paid to ${destination}` : '')

/** Parses --accept-min-out; `null` without it. */
function leastOf({ acceptMinOut }: Options, exact: 'in' | 'out', unit: Unit): bigint | null {
  if (acceptMinOut === undefined) return null
  if (exact === 'in') return parseAmount(acceptMinOut, unit, '--accept-min-out')
  throw new AppError(
    'USAGE',
    '--accept-min-out needs an exact input; with --amount-out the output is already exact',
    {
      next: sluice('swap execute', { '--help': true }),
    },
  )
}

/** The minimum output as part of the request of an idempotency key. */
const worded = (least: bigint | null) => (least === null ? {} : { least: least.toString() })

/** The transactions of a swap in the order in which they are sent. */
const inOrder = ({ approvals, transactions }: SwapBytecode) => [...approvals, ...transactions]

async function propose(
  cli: Cli,
  quote: Quote,
  order: AmountRequest & Pick<SwapOrder, 'wallet' | 'speed'> & { destination: Address | undefined },
) {
  const { wallet, destination } = order
  // Request no transactions that cannot be checked.
  promised(quote, order)
  const service = await cli.service()
  // Without --destination the service chooses the recipient; the guard compares it with the wallet.
  const made = service.swapBytecode({
    quote: quote.raw as never,
    walletAddress: wallet,
    ...(destination && { destinationAddress: destination }),
  })
  return swapProposal(cli, quote, { ...order, recipient: destination ?? wallet }, made.then(inOrder))
}
