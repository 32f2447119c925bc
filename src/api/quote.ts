import { z } from 'zod'
import { EvmAddress } from '../domain/address.ts'
import { SignedUnits, Units } from '../domain/amount.ts'
import { RefundAddress } from '../domain/bitcoin.ts'
import { knownCasing, swapStatuses } from './status-and-history-words.ts'
import { ChainId } from './transaction.ts'
import {
  Decimals,
  DecimalsInput,
  decimalText,
  Flag,
  Fraction,
  isoTime,
  Name,
  Numeric,
  nullish,
  orNull,
  passThrough,
  valueIfValid,
} from './wire-fields.ts'

const QuoteToken = z.object({
  chainId: ChainId,
  address: EvmAddress,
  symbol: z.string(),
  decimals: Decimals,
  amount: Units,
  priceUsd: z.string().nullable(),
})

/**
 * The same swap by another provider, or at a higher speed and cost of the same one: then `transferSpeed` names the speed, and `savesSeconds`
 * is `null` if unknown. The other fields are as in a quote; services before them state none.
 */
const Alternative = z.object({
  provider: z.string(),
  transferSpeed: z.string().nullable(),
  amountIn: Units,
  amountOut: Units,
  savesSeconds: z.int().nonnegative().nullable(),
  estimatedGas: Units.nullable().default(null),
  gasCostUSD: z.string().nullable().default(null),
  netAmountOut: SignedUnits.nullable().default(null),
  netAmountIn: Units.nullable().default(null),
  durationSeconds: z.number().nullable().default(null),
})

/**
 * A swap quote. `deadline` is ISO text; `minAmountOut`, `slippage` (a fraction) and other fields are `null` if the deployment does not send
 * them. The older shape may have no id, which is then empty. `raw` is the object as received; the request for its bytecode sends it back.
 */
export const QuoteValue = z.object({
  id: z.string(),
  quoteId: z.string().nullable(),
  from: z.object({ network: z.string(), chainId: ChainId }),
  to: z.object({ network: z.string(), chainId: ChainId }),
  tokenIn: QuoteToken,
  tokenOut: QuoteToken,
  provider: z.string(),
  minAmountOut: Units.nullable(),
  maxAmountIn: Units.nullable(),
  slippage: z.number().nullable(),
  /**
   * The loss against the spot price, as a fraction (extension); stated by the quoting service, not verified. It compares the output with the
   * input that is swapped: service fees are outside of it.
   */
  priceImpact: z.number().nullable(),
  /** The gas of all transactions of a wallet that has not approved the input yet, in units, and its current cost in USD. */
  estimatedGas: Units.nullable(),
  gasCostUsd: z.string().nullable(),
  /** Exact input: the output minus gas, negative if gas costs more. Exact output: the input plus gas. */
  netAmountOut: SignedUnits.nullable(),
  netAmountIn: Units.nullable(),
  /** The duration after the first block, in seconds. */
  durationSeconds: z.number().nullable(),
  deadline: z.string().nullable(),
  status: z.string().nullable(),
  fees: z.array(z.unknown()).nullable(),
  alternatives: z.array(Alternative).nullable(),
  feeSponsorship: z.boolean().nullable(),
  feeSponsorshipReason: z.string().nullable(),
  destinationAddress: EvmAddress.nullable(),
  refundAddress: RefundAddress.nullable(),
  raw: z.record(z.string(), z.unknown()),
})
export type Quote = z.output<typeof QuoteValue>

/** Loose like the quote: unknown fields of a deployment are sent back to it. */
const WireToken = z.looseObject({
  contract: z.string(),
  symbol: z.string(),
  decimals: Decimals,
  amount: z.string(),
  chainId: z.union([z.int(), z.string()]),
  priceUSD: nullish(z.union([z.string(), z.number()])),
})

/**
 * The quote of the specification. Extensions: `minAmountOut`, `maxAmountIn`, `slippage`, `priceImpact`, `estimatedGas`, `gasCostUSD`,
 * `netAmountOut`, `netAmountIn`, `durationSeconds`, `fees`, `alternatives`, `feeSponsorshipReason`, `destinationAddress`, `refundAddress`.
 */
const WireQuote = z.looseObject({
  id: z.string(),
  quoteId: nullish(z.string()),
  originChain: z.string(),
  destinationChain: z.string(),
  tokenIn: WireToken,
  tokenOut: WireToken,
  provider: z.string(),
  deadline: nullish(z.union([z.number(), z.string()])),
  deadlineDate: nullish(z.string()),
  chainIdIn: z.union([z.int(), z.string()]),
  chainIdOut: z.union([z.int(), z.string()]),
  rawQuote: z.unknown().optional(),
  status: nullish(z.string()),
  feeSponsorship: nullish(z.boolean()),
  customer: nullish(z.string()),
  minAmountOut: nullish(z.string()),
  maxAmountIn: nullish(z.string()),
  slippage: nullish(Numeric),
  priceImpact: nullish(Numeric),
  estimatedGas: nullish(z.string()),
  gasCostUSD: nullish(z.string()),
  netAmountOut: nullish(z.string()),
  netAmountIn: nullish(z.string()),
  durationSeconds: nullish(Numeric),
  fees: nullish(z.array(z.unknown())),
  alternatives: nullish(z.array(z.unknown())),
})

/** A quote that a client sends back to accept it. Without a provider it has its own error. */
export const TakenQuote = WireQuote.extend({ provider: nullish(z.string()) })

const token = (wire: z.output<typeof WireToken>) => ({
  chainId: wire.chainId,
  address: wire.contract,
  symbol: wire.symbol,
  decimals: wire.decimals,
  amount: wire.amount,
  priceUsd: wire.priceUSD === null || wire.priceUSD === undefined ? null : decimalText(wire.priceUSD),
})

/** A quote as received. Extension fields go back unchanged, even if another deployment gives them another meaning. */
const Sent = WireQuote.extend({
  id: nullish(z.string()),
  minAmountOut: passThrough(z.string()),
  maxAmountIn: passThrough(z.string()),
  slippage: passThrough(Numeric),
  priceImpact: passThrough(Numeric),
  estimatedGas: passThrough(z.string()),
  gasCostUSD: passThrough(z.string()),
  netAmountOut: passThrough(z.string()),
  netAmountIn: passThrough(z.string()),
  durationSeconds: passThrough(Numeric),
  fees: passThrough(z.array(z.unknown())),
  alternatives: passThrough(z.array(z.unknown())),
  feeSponsorshipReason: passThrough(z.string()),
  destinationAddress: passThrough(z.string()),
  refundAddress: passThrough(z.string()),
})

/** A quote on the wire. It is written exactly as it was read. */
export const Quote = z.codec(Sent, QuoteValue, {
  decode: (wire) => ({
    id: wire.id ?? wire.quoteId ?? '',
    quoteId: orNull(wire.quoteId),
    from: { network: wire.originChain, chainId: wire.chainIdIn },
    to: { network: wire.destinationChain, chainId: wire.chainIdOut },
    tokenIn: token(wire.tokenIn),
    tokenOut: token(wire.tokenOut),
    provider: wire.provider,
    minAmountOut: valueIfValid(Units, wire.minAmountOut),
    maxAmountIn: valueIfValid(Units, wire.maxAmountIn),
    slippage: valueIfValid(Fraction, wire.slippage) === null ? null : Number(wire.slippage),
    priceImpact: valueIfValid(Fraction, wire.priceImpact) === null ? null : Number(wire.priceImpact),
    estimatedGas: valueIfValid(Units, wire.estimatedGas),
    gasCostUsd: valueIfValid(z.string(), wire.gasCostUSD),
    netAmountOut: valueIfValid(SignedUnits, wire.netAmountOut),
    netAmountIn: valueIfValid(Units, wire.netAmountIn),
    durationSeconds:
      valueIfValid(Fraction, wire.durationSeconds) === null ? null : Number(wire.durationSeconds),
    deadline: isoTime(wire.deadlineDate) ?? isoTime(wire.deadline),
    status: wire.status ? knownCasing(swapStatuses, wire.status) : null,
    fees: valueIfValid(z.array(z.unknown()), wire.fees),
    alternatives: valueIfValid(z.array(Alternative), wire.alternatives),
    feeSponsorship: orNull(wire.feeSponsorship),
    feeSponsorshipReason: valueIfValid(z.string(), wire.feeSponsorshipReason),
    destinationAddress: valueIfValid(EvmAddress, wire.destinationAddress),
    refundAddress: valueIfValid(RefundAddress, wire.refundAddress),
    raw: wire,
  }),
  encode: ({ raw }) => raw as never,
})

/** The response of the quote endpoints: the quote with the best expected output, or with the lowest input of an exact output. */
export const QuoteAnswer = z.object({ quote: Quote })

/**
 * Query of `GET /v2/swap/quote`; `decimalsIn` is from the older endpoint. `slippage` is a fraction from 0.0001 to 0.5; the engine checks
 * its limits and has an error code for them.
 */
export const QuoteInput = z.object({
  originChain: Name.optional(),
  chainIdIn: ChainId.optional(),
  destinationChain: Name.optional(),
  chainIdOut: ChainId.optional(),
  tokenIn: EvmAddress,
  tokenOut: EvmAddress,
  amountIn: Units.optional(),
  amountOut: Units.optional(),
  destinationAddress: EvmAddress.optional(),
  refundAddress: RefundAddress.optional(),
  feeSponsorship: Flag.optional(),
  preferredProvider: Name.optional(),
  slippage: Fraction.optional(),
  transferSpeed: z.enum(['fast', 'standard']).optional(),
  decimalsIn: DecimalsInput.optional(),
})
export type QuoteInput = z.output<typeof QuoteInput>
