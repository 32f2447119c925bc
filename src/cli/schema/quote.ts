import { z } from 'zod'

import { AddressText, Amount, fields, maybe, Time } from './common.ts'

const End = fields({ network: z.string(), chainId: z.int() })
const Side = fields({
  chainId: z.int(),
  address: AddressText,
  symbol: z.string(),
  decimals: z.int().min(0).max(255),
  amount: Amount,
  priceUsd: maybe(z.string()),
})

/** A quote of a swap. */
export const QuoteDocument = fields({
  id: maybe(z.string()),
  quoteId: maybe(z.string()),
  from: End,
  to: End,
  tokenIn: Side,
  tokenOut: Side,
  provider: z.string(),
  minAmountOut: maybe(Amount),
  slippage: maybe(z.number()).describe('a fraction: 0.005 is 0.5 %'),
  priceImpact: maybe(z.number()).describe('a fraction less than at the spot price; null is not known'),
  deadline: maybe(Time),
  status: maybe(z.string()),
  destinationAddress: maybe(AddressText),
  refundAddress: maybe(AddressText),
  feeSponsorship: maybe(z.boolean()),
  feeSponsorshipReason: maybe(z.string()).describe('why fees are not sponsored, where that was asked for'),
  fees: maybe(z.array(z.unknown())),
  alternatives: maybe(
    z.array(
      fields({
        provider: z.string(),
        transferSpeed: z.string(),
        amountIn: Amount,
        amountOut: Amount,
        savesSeconds: maybe(z.int()),
      }),
    ),
  ).describe('the same swap at a speed that costs more and saves so many seconds'),
})

/** Where a swap stands; with `--watch` a line of it whenever it changed. */
export const SwapStatusDocument = fields({
  id: z.string(),
  status: z.string().describe('pending, fulfilled, failed, refunded, expired, or a word of the deployment'),
  originTxHash: maybe(z.string()),
  destinationTxHash: maybe(z.string()),
  provider: maybe(z.string()),
})
