import { z } from 'zod'
import { EvmAddress } from '../domain/address.ts'
import { Units } from '../domain/amount.ts'
import { Quote, type QuoteInput, TakenQuote } from './quote.ts'
import { ChainId } from './transaction.ts'
import { SwapBytecodeInput } from './unsigned-transactions.ts'
import { DecimalsInput, maybe } from './wire-fields.ts'

/** The query of the older quote pages: chain ids and an exact input. */
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

/** What the older shape calls differently; which of the rest must be there is said of the quote that it becomes. */
const WireOlderQuote = TakenQuote.partial().extend({
  fromChain: maybe(z.string()),
  toChain: maybe(z.string()),
  expectedAmountOut: maybe(z.string()),
})

/**
 * The older shape of a quote: its own three words beside the quote itself, so that it can be taken anywhere. Read back, a word
 * that says what the quote says is taken off; one that says something else stays, and makes it another quote than was given.
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

/** The answer of the older quote page: `fromChain`, `toChain`, `expectedAmountOut`, `provider`, and the whole of the quote. */
export const OlderQuoteAnswer = z.object({
  quote: OlderQuote.pipe(Quote as never) as unknown as typeof Quote,
})

/** The body of the older bytecode pages: a quote in its older shape or in the current one. */
export const OlderSwapBytecodeInput = SwapBytecodeInput.extend({ quote: OlderQuote })
