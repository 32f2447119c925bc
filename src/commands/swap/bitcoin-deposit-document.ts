import type { Quote } from '../../api/quote.ts'
import type { SwapStatus } from '../../api/swap-status.ts'
import type { View } from '../../cli/output/view-types.ts'
import { stateWord, utcTime } from '../../cli/terminal/format.ts'
import { fieldTable, type MaybeRow } from '../../cli/terminal/table.ts'
import type { Address } from '../../domain/address.ts'
import { type TokenAmount, tokenAmount } from '../../domain/amount.ts'
import { bitcoinUri, btc } from '../../domain/bitcoin.ts'
import { isSwapPaid } from '../../domain/swap-outcome.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { DepositTerms } from '../../swaps/deposit-provider.ts'

/** A deposit on Bitcoin as `swap execute` prints it. Once a payment is known there is nothing in it that says how to pay. */
export type DepositDocument = {
  id: string | null
  status: string
  /** An outcome that only the provider or the service says; the status is then `reported`. */
  reported?: string | undefined
  /** Why a swap failed: its payout was seen, and is less than the agreed minimum. */
  arrivedShort?: true | undefined
  provider: string
  proof: string | null
  originTxHash: string | null
  destinationTxHash: string | null
  destinationAddress: Address | null
  refundAddress: string | null
  amounts: { in: TokenAmount; out: TokenAmount; least: TokenAmount }
  deposit: {
    address: string | null
    amount: TokenAmount
    memo: string | null
    until: string | null
    uri: string | null
    late: string | null
    paid: TokenAmount | null
    confirmations: number | null
    delivery: 'verified' | 'reported' | null
    note: string | null
  }
}

/** How a quote is paid, by the terms of its deposit. */
export const documentOf = (
  quote: Quote,
  { terms, proof, recipient }: { terms: DepositTerms; proof: string; recipient: Address },
): DepositDocument => ({
  id: quote.id || null,
  status: 'pending',
  provider: quote.provider,
  proof,
  originTxHash: null,
  destinationTxHash: null,
  destinationAddress: recipient,
  refundAddress: quote.refundAddress,
  amounts: {
    in: tokenAmount(terms.amount, btc),
    out: tokenAmount(terms.amountOut, quote.tokenOut),
    least: tokenAmount(terms.minAmountOut, quote.tokenOut),
  },
  deposit: {
    address: terms.address,
    amount: tokenAmount(terms.amount, btc),
    memo: terms.memo,
    until: new Date(terms.until).toISOString(),
    uri: terms.memo === null ? bitcoinUri(terms.address, terms.amount) : null,
    late: terms.late,
    paid: null,
    confirmations: null,
    delivery: null,
    note: null,
  },
})

/** A quote that is paid, by its own word and its status. */
export const paidDocument = (quote: Quote, now: SwapStatus): DepositDocument =>
  withStatus(
    {
      id: quote.id || null,
      status: now.status,
      provider: quote.provider,
      proof: null,
      originTxHash: null,
      destinationTxHash: null,
      destinationAddress: quote.destinationAddress,
      refundAddress: quote.refundAddress,
      amounts: {
        in: tokenAmount(quote.tokenIn.amount, btc),
        out: tokenAmount(quote.tokenOut.amount, quote.tokenOut),
        least: tokenAmount(quote.minAmountOut ?? 0n, quote.tokenOut),
      },
      deposit: {
        ...unpayable,
        amount: tokenAmount(quote.tokenIn.amount, btc),
        until: now.deposit?.until ?? quote.deadline,
        paid: null,
        confirmations: null,
        delivery: null,
        note: null,
      },
    },
    now,
  )

/** What a deposit does not say once it is paid. */
const unpayable = { address: null, memo: null, uri: null, late: null }

/** The same with what is known by now. */
export const withStatus = (first: DepositDocument, now: SwapStatus): DepositDocument => ({
  ...first,
  proof: isSwapPaid(now) ? null : first.proof,
  status: now.status,
  ...(now.reported !== undefined && { reported: now.reported }),
  ...(now.arrivedShort && { arrivedShort: true }),
  originTxHash: now.originTxHash,
  destinationTxHash: now.destinationTxHash,
  deposit: {
    ...first.deposit,
    ...(isSwapPaid(now) && unpayable),
    paid: now.deposit?.paid ? tokenAmount(BigInt(now.deposit.paid), btc) : null,
    confirmations: now.deposit?.confirmations ?? null,
    delivery: now.deposit?.delivery ?? null,
    note: now.deposit?.note ?? null,
  },
})

/** The deposit for people. */
export const depositView: View<DepositDocument> = ({ deposit, amounts, ...one }, to) =>
  fieldTable(
    [
      ['swap', sanitizeText(one.id ?? '-')],
      ['status', stateWord(sanitizeText(one.status), to.paint)],
      deposit.address === null
        ? [
            'paid',
            `${deposit.paid === null ? '' : `${deposit.paid.formatted} BTC `}by ${sanitizeText(one.originTxHash ?? 'an unnamed payment')}`,
          ]
        : ['pay', `${to.paint.green(amounts.in.formatted)} BTC, exactly`],
      deposit.address !== null && ['to', to.paint.green(sanitizeText(deposit.address))],
      deposit.memo !== null && [
        'memo',
        `${to.paint.green(sanitizeText(deposit.memo))} ${to.paint.dim('in an OP_RETURN output')}`,
      ],
      deposit.address !== null && deposit.until !== null && ['until', utcTime(deposit.until)],
      deposit.uri !== null && ['uri', sanitizeText(deposit.uri)],
      [
        'receive',
        `${amounts.out.formatted} ${sanitizeText(amounts.out.symbol)}, at least ${amounts.least.formatted}`,
      ],
      ['recipient', sanitizeText(one.destinationAddress ?? '-')],
      deposit.late !== null && ['if late', sanitizeText(deposit.late)],
      [
        'provider',
        `${sanitizeText(one.provider)}${one.proof === null ? '' : ` ${to.paint.dim(`proved by ${one.proof}`)}`}`,
      ],
      deposit.confirmations !== null && ['confirmed', depthText(deposit.confirmations)],
      one.destinationTxHash !== null && ['destination', sanitizeText(one.destinationTxHash)],
      ...deliveryRows(deposit),
    ],
    to,
  )

/** Who says that a deposit was delivered, and what else is known of it. */
export const deliveryRows = ({
  delivery,
  note,
}: Pick<DepositDocument['deposit'], 'delivery' | 'note'>): MaybeRow[] => [
  delivery !== null && ['delivery', delivery === 'verified' ? 'seen on its chain' : 'as the provider says'],
  note !== null && ['note', sanitizeText(note)],
]

/** How deep a deposit is, in words. */
export const depthText = (blocks: number): string =>
  blocks === 0 ? 'not yet: it is in no block' : `${blocks} ${blocks === 1 ? 'block' : 'blocks'}`
