import { z } from 'zod'
import { EvmAddress } from '../domain/address.ts'
import { Units } from '../domain/amount.ts'
import { Quote, type QuoteInput, TakenQuote } from './quote.ts'
import { ChainId } from './transaction.ts'
import { SwapBytecodeInput } from './unsigned-transactions.ts'
import { DecimalsInput, nullish } from './wire-fields.ts'

/** The query of the older quote endpoints: chain ids and an exact input. */
export const OlderQuoteInput = z.codec(
  z.object({
    originChainId: ChainId,
    destinationChainId: ChainId,
    tokenIn: EvmAddress,
    tokenOut: EvmAddress,
    amountIn: Units,
    walletAddress: EvmAddress.optional(),
    decimalsIn: DecimalsInput.optional(),
  }),
  z.custom<z.output<typeof QuoteInput>>(),
  {
    decode: ({
      originChainId,
      destinationChainId,
      tokenIn,
      tokenOut,
      amountIn,
      walletAddress,
      decimalsIn,
    }) => ({
      chainIdIn: originChainId,
      chainIdOut: destinationChainId,
      tokenIn,
      tokenOut,
      amountIn,
      ...(walletAddress && { destinationAddress: walletAddress }),
      ...(decimalsIn !== undefined && { decimalsIn }),
    }),
    encode: ({ chainIdIn, chainIdOut, tokenIn, tokenOut, amountIn, destinationAddress, decimalsIn }) => ({
      originChainId: chainIdIn!,
      destinationChainId: chainIdOut!,
      tokenIn,
      tokenOut,
      amountIn: amountIn!,
      ...(destinationAddress && { walletAddress: destinationAddress }),
      ...(decimalsIn !== undefined && { decimalsIn }),
    }),
  },
)

/** The renamed fields of the older shape. The schema of the resulting quote checks which other fields are required. */
const WireOlderQuote = TakenQuote.partial().extend({
  fromChain: nullish(z.string()),
  toChain: nullish(z.string()),
  expectedAmountOut: nullish(z.string()),
})

/**
 * The older shape of a quote: its three fields in addition to the whole quote, so that it can be accepted at any endpoint. When it is read,
 * a field that matches the quote is removed; a differing field stays, so that the changed quote is not accepted as the issued one.
 */
const OlderQuote = z.codec(WireOlderQuote, TakenQuote, {
  decode: ({ fromChain, toChain, expectedAmountOut, ...rest }) => {
    const { tokenOut } = rest as { tokenOut?: { amount?: unknown } }
    const quote = {
      ...rest,
      originChain: rest.originChain ?? fromChain,
      destinationChain: rest.destinationChain ?? toChain,
    }
    return {
      ...quote,
      ...(fromChain !== quote.originChain && { fromChain }),
      ...(toChain !== quote.destinationChain && { toChain }),
      ...(expectedAmountOut !== tokenOut?.amount && { expectedAmountOut }),
    } as never
  },
  encode: (quote) => ({
    fromChain: quote.originChain,
    toChain: quote.destinationChain,
    expectedAmountOut: quote.tokenOut.amount,
    ...quote,
  }),
})

/** The response of the older quote endpoint: `fromChain`, `toChain`, `expectedAmountOut`, `provider`, and the whole quote. */
export const OlderQuoteAnswer = z.object({
  quote: OlderQuote.pipe(Quote as never) as unknown as typeof Quote,
})

/** The body of the older bytecode endpoints: a quote in the older or the current shape. */
export const OlderSwapBytecodeInput = SwapBytecodeInput.extend({ quote: OlderQuote })
