import type { z } from 'zod'
import { AppError } from '../domain/errors.ts'
import { OlderQuoteAnswer, OlderQuoteInput, OlderSwapBytecodeInput } from './older-quote-shapes.ts'
import { OlderPageOf } from './page.ts'
import { QuoteAnswer } from './quote.ts'
import { routes } from './routes.ts'
import { StrategyComposite } from './strategy.ts'
import { OlderWallet, type Wallet } from './wallet-positions.ts'

/**
 * A deprecated endpoint: the current route that serves it, and its own input and output shapes. `missing` returns the error for an empty
 * result, if the endpoint has one.
 */
export type OlderRoute = {
  method: 'GET' | 'POST'
  path: string
  as: keyof typeof routes
  input: z.ZodType
  output: z.ZodType
  doc: string
  missing?: (value: unknown) => AppError | undefined
}

/** An older endpoint with the same shapes as its current route. */
const unchangedRoute = (path: string, as: keyof typeof routes, doc: string): OlderRoute => {
  const { method, input, output } = routes[as] as Omit<OlderRoute, 'path' | 'as' | 'doc'>
  return { method, path, as, input, output, doc }
}

const noPositionsError = (value: unknown): AppError | undefined => {
  const { address, positions, stats, missing } = value as Wallet
  // If a network did not answer, the wallet may have positions there.
  return positions.length === 0 && stats === null && missing === undefined
    ? new AppError('NOT_FOUND', `${address} has no positions`)
    : undefined
}

const takesBoth = 'Takes a quote of the older shape or of the current one.'

/** The deprecated endpoints: the swap endpoints without a prefix, and those under `/v1` with their older shapes. */
export const olderRoutes: readonly OlderRoute[] = [
  {
    method: 'GET',
    path: '/swap/quote',
    as: 'quote',
    input: OlderQuoteInput,
    output: QuoteAnswer,
    doc: 'The best quote for a swap by chain ids and an exact input.',
  },
  {
    method: 'POST',
    path: '/swap/bytecode',
    as: 'swapBytecode',
    input: OlderSwapBytecodeInput,
    output: routes.swapBytecode.output,
    doc: `The transactions of a quote. ${takesBoth}`,
  },
  unchangedRoute('/swap/status/{id}', 'swapStatus', 'The status of a swap.'),
  {
    method: 'GET',
    path: '/v1/strategies',
    as: 'listStrategies',
    input: routes.listStrategies.input,
    output: OlderPageOf(StrategyComposite),
    doc: 'The strategies in the id-composite form, with the APY as a fraction, in the older envelope.',
  },
  {
    method: 'GET',
    path: '/v1/strategies/{id}',
    as: 'getStrategy',
    input: routes.getStrategy.input,
    output: StrategyComposite,
    doc: 'One strategy in the id-composite form. The specification leaves the shape open; it matches the list.',
  },
  unchangedRoute(
    '/v1/strategies/{id}/bytecode',
    'strategyBytecode',
    'The transactions into or out of a strategy. The shape is that of the current endpoint (extension).',
  ),
  unchangedRoute(
    '/v1/yield/{identifier}',
    'recommend',
    'The strategy with the highest APY. The shape is that of the current endpoint (extension).',
  ),
  {
    method: 'GET',
    path: '/v1/wallets/{address}',
    as: 'getWallet',
    input: routes.getWallet.input,
    output: OlderWallet,
    doc: 'The collateral and debt of a wallet, with its health factor. 404 for an address without positions. Other positions are on the current endpoint only.',
    missing: noPositionsError,
  },
  unchangedRoute(
    '/v1/wallets/{address}/history/{strategyId}',
    'walletHistory',
    'The history of a wallet in a strategy. The shape is that of the current endpoint (extension).',
  ),
  {
    method: 'GET',
    path: '/v1/swap/quote',
    as: 'quote',
    input: OlderQuoteInput,
    output: OlderQuoteAnswer,
    doc: 'The best quote for a swap in its older shape; other fields are those of the current quote (extension).',
  },
  {
    method: 'POST',
    path: '/v1/swap/bytecode',
    as: 'swapBytecode',
    input: OlderSwapBytecodeInput,
    output: routes.swapBytecode.output,
    doc: `The transactions of a quote. ${takesBoth}`,
  },
  unchangedRoute('/v1/swap/status/{id}', 'swapStatus', 'The status of a swap.'),
]
