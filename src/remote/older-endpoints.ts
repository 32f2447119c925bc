import { olderRoutes } from '../api/older-routes.ts'
import type { QuoteInput } from '../api/quote.ts'
import type { Service } from '../api/service-type.ts'
import type { Address } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { defaultSlippage } from '../domain/slippage.ts'

/**
 * The methods that an older endpoint can serve if a deployment lacks the current one. The older wallet endpoint is used only for lending
 * stats.
 */
const standIns: readonly (keyof Service)[] = [
  'recommend',
  'listStrategies',
  'getStrategy',
  'quote',
  'swapStatus',
]

/** The `/v1` endpoint that preceded a current one. */
export const olderPageOf = (name: keyof Service) =>
  olderRoutes.find(({ as, path }) => as === name && path.startsWith('/v1/'))

/** The older endpoint that can serve a request; `undefined` if it cannot express the request. */
export function olderPageInstead(name: keyof Service, input: unknown): ReturnType<typeof olderPageOf> {
  if (!standIns.includes(name)) return undefined
  return name === 'quote' && !isOlderQuestion(input as QuoteInput) ? undefined : olderPageOf(name)
}

/**
 * Whether the older endpoint supports a quote request: chain ids, an exact input, and no other option. The default slippage may be given.
 */
const isOlderQuestion = ({
  chainIdIn,
  chainIdOut,
  tokenIn: _,
  tokenOut: __,
  amountIn,
  destinationAddress: ___,
  originChain: ____,
  destinationChain: _____,
  slippage = defaultSlippage,
  ...more
}: QuoteInput): boolean =>
  chainIdIn !== undefined &&
  chainIdOut !== undefined &&
  amountIn !== undefined &&
  slippage === defaultSlippage &&
  Object.values(more).every((value) => value === undefined)

/** Whether the endpoint itself does not exist; false if only the requested item does not. */
export const isMissingPage = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'NOT_FOUND' && error.details?.code === undefined

/** Reads a token's symbol and decimals locally. */
export type TokenAt = (
  chainId: number,
  address: Address,
) => Promise<{ symbol: string; decimals: number } | undefined>

/** The fields of a sent quote request that its quote repeats. */
type Asked = { tokenIn?: unknown; tokenOut?: unknown; chainIdIn?: unknown; chainIdOut?: unknown } & {
  originChainId?: unknown
  destinationChainId?: unknown
  amountIn?: unknown
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Adds the tokens and amounts of the request to a quote response in the older shape (`fromChain`, `toChain`, `expectedAmountOut`,
 * `provider`), which lacks them. Other shapes stay unchanged, except that a bare quote is wrapped.
 */
export async function completeQuote(body: unknown, sent: Asked, tokenAt: TokenAt): Promise<unknown> {
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
