import { olderRoutes } from '../api/older-routes.ts'
import type { QuoteInput } from '../api/quote.ts'
import type { Service } from '../api/service-type.ts'
import type { Address } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { defaultSlippage } from '../domain/slippage.ts'

/** What an older page stands in for, where a deployment has no current one. The wallet's is asked for its lending stats alone. */
const standIns: readonly (keyof Service)[] = [
  'recommend',
  'listStrategies',
  'getStrategy',
  'quote',
  'swapStatus',
]

/** The page under `/v1` that came before a current one. */
export const olderPageOf = (name: keyof Service) =>
  olderRoutes.find(({ as, path }) => as === name && path.startsWith('/v1/'))

/** The older page that can be asked instead: the same question must be possible there. */
export function standInFor(name: keyof Service, input: unknown): ReturnType<typeof olderPageOf> {
  if (!standIns.includes(name)) return undefined
  return name === 'quote' && !isOlderQuestion(input as QuoteInput) ? undefined : olderPageOf(name)
}

/** The older page knows chain ids and an exact input, and nothing else that a quote can be asked with; what may slip when nobody says so need not be said. */
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

/** Whether it is the page that is not there, and not what was looked for on it. */
export const isNoPage = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'NOT_FOUND' && error.details?.code === undefined

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
