import { olderRoutes } from '../api/older-routes.ts'
import type { QuoteInput } from '../api/quote.ts'
import type { Service } from '../api/service.ts'
import { AppError } from '../domain/errors.ts'
import { usualSlippage } from '../domain/slippage.ts'

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
  slippage = usualSlippage,
  ...more
}: QuoteInput): boolean =>
  chainIdIn !== undefined &&
  chainIdOut !== undefined &&
  amountIn !== undefined &&
  slippage === usualSlippage &&
  Object.values(more).every((value) => value === undefined)

/** Whether it is the page that is not there, and not what was looked for on it. */
export const isNoPage = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'NOT_FOUND' && error.details?.code === undefined
