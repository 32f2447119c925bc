import { z } from 'zod'

import { EvmAddress } from '../domain/address.ts'
import { Units } from '../domain/amount.ts'
import { SwapBytecode, SwapBytecodeInput } from './bytecode.ts'
import { QuoteAnswer, type QuoteInput, SwapStatus } from './quote.ts'
import type { routes } from './routes.ts'
import { ChainId } from './transaction.ts'
import { Whole } from './wire.ts'

/** A deprecated path: which current route answers it, and how its input is read as that route's. */
export type OlderRoute = {
  method: 'GET' | 'POST'
  path: string
  as: keyof typeof routes
  input: z.ZodType
  output: z.ZodType
}

/** The query of the older `GET /swap/quote`: chain ids and an exact input. */
const OlderQuoteInput = z.codec(
  z.object({
    originChainId: ChainId,
    destinationChainId: ChainId,
    tokenIn: EvmAddress,
    tokenOut: EvmAddress,
    amountIn: Units,
    walletAddress: EvmAddress.optional(),
    decimalsIn: Whole.optional(),
  }),
  z.custom<z.output<typeof QuoteInput>>(),
  {
    decode: ({ originChainId, destinationChainId, tokenIn, tokenOut, amountIn, walletAddress }) => ({
      chainIdIn: originChainId,
      chainIdOut: destinationChainId,
      tokenIn,
      tokenOut,
      amountIn,
      ...(walletAddress && { destinationAddress: walletAddress }),
    }),
    encode: ({ chainIdIn, chainIdOut, tokenIn, tokenOut, amountIn, destinationAddress }) => ({
      originChainId: chainIdIn!,
      destinationChainId: chainIdOut!,
      tokenIn,
      tokenOut,
      amountIn: amountIn!,
      ...(destinationAddress && { walletAddress: destinationAddress }),
    }),
  },
)

/** The unprefixed swap endpoints, deprecated in favour of those under `/v2`. */
export const olderRoutes: readonly OlderRoute[] = [
  { method: 'GET', path: '/swap/quote', as: 'quote', input: OlderQuoteInput, output: QuoteAnswer },
  {
    method: 'POST',
    path: '/swap/bytecode',
    as: 'swapBytecode',
    input: SwapBytecodeInput,
    output: SwapBytecode,
  },
  {
    method: 'GET',
    path: '/swap/status/{id}',
    as: 'swapStatus',
    input: z.object({ id: z.string() }),
    output: SwapStatus,
  },
]
