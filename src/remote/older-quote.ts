import type { Address } from '../domain/address.ts'

/** What is known of a token beside what a deployment says. */
export type TokenAt = (
  chainId: number,
  address: Address,
) => Promise<{ symbol: string; decimals: number } | undefined>

/** The wire form of what was asked, as far as a quote repeats it. */
type Asked = { tokenIn?: unknown; tokenOut?: unknown; chainIdIn?: unknown; chainIdOut?: unknown } & {
  originChainId?: unknown
  destinationChainId?: unknown
  amountIn?: unknown
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The answer of a quote page with what the older shape (`fromChain`, `toChain`, `expectedAmountOut`, `provider`) leaves out:
 * it says neither the tokens nor the amount that were asked for, which are those of the question. Other shapes stay as they are;
 * a quote that is not wrapped is.
 */
export async function completedQuote(body: unknown, sent: Asked, tokenAt: TokenAt): Promise<unknown> {
  if (!isRecord(body)) return body
  const quote = isRecord(body.quote) ? body.quote : body
  const { fromChain, toChain, expectedAmountOut } = quote
  if (expectedAmountOut === undefined || isRecord(quote.tokenIn)) return { ...body, quote }
  const [chainIn, chainOut] = [
    quote.chainIdIn ?? sent.originChainId ?? sent.chainIdIn,
    quote.chainIdOut ?? sent.destinationChainId ?? sent.chainIdOut,
  ]
  const side = async (chainId: unknown, contract: unknown, amount: unknown) => ({
    ...(await tokenAt(Number(chainId), contract as Address)),
    contract,
    amount: String(amount),
    chainId,
  })
  return {
    ...body,
    quote: {
      ...quote,
      originChain: quote.originChain ?? fromChain,
      destinationChain: quote.destinationChain ?? toChain,
      chainIdIn: chainIn,
      chainIdOut: chainOut,
      tokenIn: await side(chainIn, sent.tokenIn, sent.amountIn),
      tokenOut: await side(chainOut, sent.tokenOut, expectedAmountOut),
    },
  }
}
