import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Quote } from '../../api/quote.ts'
import type { SwapStatus } from '../../api/swap-status.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { halfAnHour } from '../../cli/options/sending-and-waiting-options.ts'
import type { SigningOptions } from '../../cli/options/signer-and-safety-options.ts'
import { sanitizedFor } from '../../cli/output/document-writer.ts'
import { recordDeposit } from '../../cli/signing-flow/record-chain-results.ts'
import type { Stream } from '../../cli/terminal/io-types.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError, errorRow } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { defaultSlippage } from '../../domain/slippage.ts'
import { isSwapOver, isSwapPaid, swapOutcomeError } from '../../domain/swap-outcome.ts'
import { advice, sameWith, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { nativeToken, type Token, tokenAt } from '../../domain/token.ts'
import { orderUsedError, usedElsewhereError } from '../../domain/used-order-and-expired-quote-errors.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import { newestPaymentTo } from '../../swaps/bitcoin-reader.ts'
import type { DepositDefinition, DepositTerms } from '../../swaps/deposit-provider.ts'
import { depositDefinition, depositProofOf } from '../../swaps/deposit-provider-registry.ts'
import { esplora } from '../../swaps/esplora.ts'
import { serviceExchange } from '../../swaps/service-access.ts'
import {
  type DepositDocument,
  depositView,
  depthText,
  documentOf,
  paidDocument,
  withStatus,
} from './bitcoin-deposit-document.ts'
import { checkLimits, refuseLostPayout } from './bitcoin-deposit-terms-check.ts'
import { type AskedSwap, begunQuote, isOfQuote, recordSwap, statedSwap } from './record-bitcoin-swap.ts'

type Order = AskedSwap & {
  /** The least that is accepted, where the person named it. */
  least: bigint | null
  /** The quote was just made: nobody has paid it. */
  isNew: boolean
  options: Partial<SigningOptions> & { wait: boolean }
}

/**
 * Shows how a swap that begins on Bitcoin is paid, and follows it. Nothing is signed: the terms are checked here by the signature of the
 * provider or by the memo, whoever serves the quote. A paid quote is only followed: nobody is shown how to pay it a second time.
 * The swap is an operation from then on; with an idempotency key the first quote that was shown is the only one. Ends with 0 once it is
 * delivered, and with PENDING while it is not.
 */
export async function payAndFollow(cli: Cli, quote: Quote, order: Order): Promise<void> {
  const { options } = order
  const known = order.isNew ? undefined : await look(cli, quote.id, null)
  if (known && !isSwapPaid(known) && known.deposit?.isLookedUp === false)
    throw unknownPaymentError(quote, known)
  const told = known && isSwapPaid(known) ? await paidSwap(cli, quote, order, known) : undefined
  const { first, known: last, operation } = told ?? (await payableDocument(cli, quote, order, known))
  // Another process has used the key meanwhile.
  if (operation && !isOfQuote(operation, quote))
    return payAndFollow(cli, begunQuote(operation).quote, { ...order, isNew: false })
  if (options.dryRun) return cli.emit(first, depositView)
  // A finished swap is printed once.
  if (last && isSwapOver(last.status)) return end(cli, withStatus(first, last), options.idempotencyKey)
  const { err } = cli.io
  const code = first.deposit.uri === null ? undefined : await qrCode(first.deposit.uri, err)
  err.write(
    `${sanitizedFor(depositView(first, err, cli.line), err)}\n${code === undefined ? '' : `\n${code}\n`}\n`,
  )
  const now = options.wait ? await follow(cli, quote.id) : (last ?? (await look(cli, quote.id, null)))
  return end(cli, withStatus(first, now), options.idempotencyKey)
}

type Shown = {
  first: DepositDocument
  known: SwapStatus | undefined
  operation?: JournalOperation | undefined
}

/** A swap that is paid already. One that was not begun here is recorded for its idempotency key only. */
async function paidSwap(cli: Cli, quote: Quote, order: Order, known: SwapStatus): Promise<Shown> {
  const context = await cli.backend.context()
  const operation =
    order.key === undefined ? undefined : recordSwap(context, quote, order, statedSwap(quote, known.deposit))
  return { first: paidDocument(quote, known), known, operation }
}

/** The error for a quote of which nobody can say now whether it is paid: how to pay it is not shown a second time. */
const unknownPaymentError = ({ id }: Quote, { deposit }: SwapStatus): AppError =>
  new AppError(
    'PENDING',
    `Whether this deposit is paid is not known now${deposit?.note ? `. ${deposit.note}` : ''}. Do not pay it until this is known`,
    {
      details: { quote: id },
      next: sluice('swap status', id),
    },
  )

/**
 * How a quote is paid, after its terms were checked. `known` is its status, if it was asked for. With a remote service this
 * machine keeps the terms first and looks on Bitcoin itself; a deposit that is paid is not shown.
 */
async function payableDocument(
  cli: Cli,
  quote: Quote,
  order: Order,
  known: SwapStatus | undefined,
): Promise<Shown> {
  const { terms, proof, recipient, tokenOut } = await termsOf(cli, quote, order).catch((error: unknown) => {
    if (!(error instanceof AppError) || !refusals.includes(error.code)) throw error
    // Whoever has paid must not pay again.
    const key = order.options.idempotencyKey
    const hint =
      key === undefined
        ? advice`Do not pay it any more. If you paid it: ${sluice('swap status', quote.id, { '--watch': true })}`
        : advice`Do not pay it any more. If you paid it: ${sluice('swap status', quote.id, { '--watch': true })}. If you did not pay it, get a new quote with another key: ${sameWith({ '--idempotency-key': `${key}-2` })}`
    throw error.with({ next: hint })
  })
  const context = await cli.backend.context()
  const used = await refuseUsedAddress(cli, context, quote, { terms, isNew: order.isNew })
  const { deposits } = cli.backend
  const kept = await deposits?.termsOf({ quote, terms, tokenOut, recipient })
  // A dry run shows an address as well.
  const operation = recordSwap(context, quote, order, { terms, recipient, tokenOut, order: used, kept })
  const own = kept && (await deposits?.statusOf(kept))
  if (own && isSwapPaid(own)) return { first: paidDocument(quote, own), known: own, operation }
  if (own && !order.isNew && own.deposit?.isLookedUp === false) throw unknownPaymentError(quote, own)
  const now = own ?? known
  const first = documentOf(quote, { terms, proof, recipient })
  return { first: now ? withStatus(first, now) : first, known: now, operation }
}

/**
 * Refuses to show an address that belongs to another swap of this machine, or, for a quote that was not shown before, to which anything was
 * ever paid, if one payment uses it up: ORDER_USED. Returns the order of that address.
 */
async function refuseUsedAddress(
  cli: Cli,
  { journal }: ExecutionContext,
  { provider, id }: Quote,
  { terms, isNew }: { terms: DepositTerms; isNew: boolean },
): Promise<string | null> {
  const order = depositDefinition(provider)?.orderOf(terms)
  const { bitcoin } = await cli.backend.catalog()
  if (order == null || !bitcoin) return null
  const owner = journal.ownerOfOrder(order)
  if (owner !== undefined && owner !== id) throw orderUsedError(order, owner)
  const paid = isNew
    ? await newestPaymentTo(esplora(bitcoin.esplora, serviceExchange), terms.address)
    : undefined
  if (paid === undefined) return order
  throw usedElsewhereError(order, `the Bitcoin transaction ${paid} has paid to its address`)
}

/** The codes of a quote that must not be paid, or not any more. */
const refusals: readonly string[] = ['QUOTE_EXPIRED', 'PROVIDER_API_ERROR']

/** The deposit of a quote, as the service gives it, checked by what is known here. */
async function termsOf(
  cli: Cli,
  quote: Quote,
  { destination, slippage, least, options }: Order,
): Promise<{ terms: DepositTerms; proof: string; recipient: Address; tokenOut: Token }> {
  const { networks, tokens, bitcoin } = await cli.backend.catalog()
  const definition = depositDefinition(quote.provider)
  const recipient = destination ?? quote.destinationAddress
  if (!definition || !bitcoin)
    throw new AppError(
      'PROVIDER_NOT_FOUND',
      `This version cannot check the deposits of the provider ${sanitizeText(quote.provider)}, so it shows none`,
      { next: advice`Choose another provider: ${sluice('swap quote', { '--help': true })}` },
    )
  if (!recipient || !quote.destinationAddress || !sameAddress(recipient, quote.destinationAddress))
    throw new AppError(
      'POLICY_QUOTE_DRIFT',
      `The quote pays to ${quote.destinationAddress ?? 'no address'}${recipient ? `, not to ${recipient}` : ''}`,
      {
        next: advice`Request a new quote that names the destination: ${sluice('swap quote', { '--help': true })}`,
      },
    )
  const to = networkNamed(networks, quote.to.chainId)
  await refuseLostPayout(cli, { chainId: to.chainId, to: recipient })
  const { chainId, address } = quote.tokenOut
  const tokenOut = [nativeToken(to)].find((one) => sameAddress(one.address, address)) ??
    tokenAt(tokens, chainId, address) ?? { ...quote.tokenOut, name: quote.tokenOut.symbol }
  const made = await (await cli.service()).swapBytecode({
    quote: quote.raw as never,
    walletAddress: recipient,
    destinationAddress: recipient,
  })
  if (made.transactions.length > 0 || made.approvals.length > 0)
    throw new AppError('POLICY_QUOTE_DRIFT', 'The service requests signatures for a payment on Bitcoin')
  const { provider } = z
    .object({ provider: z.unknown() })
    .catch({ provider: undefined })
    .parse(made.rawSwapData)
  const terms = definition.check(bitcoin, provider, {
    to,
    tokenOut,
    amount: quote.tokenIn.amount,
    // Who quotes does not say how much may slip.
    slippage: slippage ?? defaultSlippage,
    recipient,
    refund: quote.refundAddress,
    at: cli.program.now(),
  })
  if (terms.amountOut < quote.tokenOut.amount || terms.minAmountOut < (quote.minAmountOut ?? 0n))
    throw new AppError(
      'POLICY_QUOTE_DRIFT',
      `The quote returns ${formatAmount(quote.tokenOut.amount, tokenOut)}, but its deposit only ${formatAmount(terms.amountOut, tokenOut)}, at least ${formatAmount(terms.minAmountOut, tokenOut)}: do not pay it`,
      { next: advice`Request a new quote: ${sluice('swap quote', { '--help': true })}` },
    )
  await checkLimits(cli, quote, { terms, tokenOut, recipient, least, options })
  const named = (await definition.confirmAddress?.(bitcoin, serviceExchange, terms.address)) ?? []
  return { terms, proof: proofOf(definition, named), recipient, tokenOut }
}

/** What proves the terms of a deposit, and what of them it does not prove; `named` are the hosts that name its address. */
export function proofOf(
  { name, isAddressUnproven }: Pick<DepositDefinition, 'name' | 'isAddressUnproven'>,
  named: readonly string[],
): string {
  const proof = depositProofOf(name)!
  if (!isAddressUnproven) return proof
  return named.length > 1
    ? `${proof}, which ${named.join(' and ')} name`
    : `${proof}, which only its service names`
}

/** The pause before the service is asked again, in ms: it grows from the first to the longest. The sandbox counts no requests. */
const pauses = { first: 250, longest: { sandbox: 500, others: 10_000 } }

/** Asks the service, and records what it shows; the hash of a deposit that was seen keeps it found. */
async function look(cli: Cli, id: string, seen: string | null): Promise<SwapStatus> {
  const service = await cli.service()
  const status = await service.swapStatus({ id, ...(seen !== null && { btcTxHash: seen }) })
  const context = await cli.backend.context()
  const operation = context.journal.find(id)
  if (operation) recordDeposit(cli, context, operation, status)
  return status
}

/** Follows a swap until it ends, the time is over or the person stops it. */
async function follow(cli: Cli, id: string): Promise<SwapStatus> {
  const { interrupt, time } = cli.program
  const { signal } = interrupt
  const until = performance.now() + (time.left() ?? halfAnHour)
  time.follow()
  const { progress } = cli
  let last: SwapStatus | undefined
  let said = ''
  const longest = cli.backend.kind === 'sandbox' ? pauses.longest.sandbox : pauses.longest.others
  try {
    for (let pauseMs = pauses.first; ; pauseMs = Math.min(1.5 * pauseMs, longest)) {
      try {
        last = await look(cli, id, last?.originTxHash ?? null)
        const line = lineOf(last)
        if (line !== said) progress.say(line)
        progress.doing(line)
        said = line
        if (isSwapOver(last.status)) return last
      } catch (error) {
        // What fails now may work at the next look, or the deposit is on its way into the next block.
        const mayPass =
          error instanceof AppError && (errorRow(error.code).exit === 6 || error.code === 'DEPOSIT_NOT_FOUND')
        if (!mayPass || !last) throw error
      }
      if (performance.now() + pauseMs > until || signal.aborted) return last
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  } finally {
    progress.done()
  }
}

const lineOf = ({ status, originTxHash, deposit }: SwapStatus): string => {
  const note = deposit?.note ? `. ${sanitizeText(deposit.note)}` : ''
  if (originTxHash === null) return `${sanitizeText(status)}: waiting for the payment on Bitcoin${note}`
  const depth = deposit?.confirmations ? `, ${depthText(deposit.confirmations)} deep` : ''
  return `${sanitizeText(status)}: paid by ${sanitizeText(originTxHash)}${depth}${note}`
}

/** Prints the document of a swap that is delivered; otherwise it is in the details of the error that says what came of it. */
function end(cli: Cli, document: DepositDocument, key: string | undefined): void {
  const { status } = document
  const id = document.id ?? 'QUOTE_ID'
  const hint = sluice('swap status', id, { '--watch': true, '--timeout': '2h' })
  const details = { ...document }
  if (status === 'expired')
    throw new AppError('QUOTE_EXPIRED', 'The deadline has passed, and no deposit was found. Do not pay it.', {
      details,
      ...(key !== undefined && {
        next: advice`Get a new quote with another key: ${sameWith({ '--idempotency-key': `${key}-2` })}`,
      }),
    })
  if (!isSwapOver(status) && document.deposit.confirmations === 0)
    throw new AppError(
      'PENDING',
      `The swap is not finished: the payment ${document.originTxHash} is in no block yet`,
      { details, next: hint },
    )
  const hints = { over: sluice('swap status', id), open: hint }
  const error = swapOutcomeError({ ...document, arrivedShort: document.arrivedShort }, { details, hints })
  if (error) throw error
  return void cli.emit(document, depositView)
}

/** A text as a QR code for a terminal, two rows of it in one line; `undefined` where it cannot be shown. */
export async function qrCode(text: string, to: Stream): Promise<string | undefined> {
  if (!to.isTerminal || to.ascii) return undefined
  const { renderUnicodeCompact } = await import('uqr')
  const code = renderUnicodeCompact(text, { border: 2 })
  return code.split('\n').every((line) => line.length <= to.columns) ? code : undefined
}
