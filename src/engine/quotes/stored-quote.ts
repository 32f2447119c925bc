import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import type { Token } from '../../domain/token.ts'
import type { QuoteRow } from '../../store/engine/migrations.ts'
import type { QuoteWithAction } from '../../store/engine/quotes.ts'
import type { Offer, OfferFee, Route, SwapProvider } from '../../swaps/provider.ts'
import type { EngineContext } from '../context.ts'
import type { StatedFee } from '../fees/charges.ts'

/** What is stored with a quote beside what was given out: the route, whom it is for, and the provider's offer. */
type StoredOffer = {
  chainIdIn: number
  chainIdOut: number
  tokenIn: Token
  tokenOut: Token
  exact: 'in' | 'out'
  recipient: Address | null
  amountIn: string
  amountOut: string
  minAmountOut: string
  maxAmountIn: string
  fees: OfferFee[]
  raw: unknown
  /** What the service is paid beside; an older quote has one or none. */
  paid?: readonly StatedFee[]
  fee?: StatedFee | null
  /** When its transactions end, by the clock of the chain that they begin on, in Unix seconds; an older quote has none. */
  deadline?: number
}

/** A quote's own part as JSON text. */
export const storedOffer = (
  route: Route & { exact: 'in' | 'out' },
  recipient: Address | undefined,
  offer: Offer,
  serviceFees: readonly StatedFee[],
  deadline: number,
): string => {
  const stored: StoredOffer = {
    chainIdIn: route.from.chainId,
    chainIdOut: route.to.chainId,
    tokenIn: route.tokenIn,
    tokenOut: route.tokenOut,
    exact: route.exact,
    recipient: recipient ?? null,
    amountIn: offer.amountIn.toString(),
    amountOut: offer.amountOut.toString(),
    minAmountOut: offer.minAmountOut.toString(),
    maxAmountIn: offer.maxAmountIn.toString(),
    fees: offer.fees,
    raw: offer.raw,
    paid: serviceFees,
    deadline,
  }
  return JSON.stringify(stored)
}

const parseStoredOffer = ({ offer }: QuoteRow): StoredOffer => JSON.parse(offer) as StoredOffer

/** A quote that was given to this customer, if its networks are still to be seen. */
export async function findQuote(context: EngineContext, id: string): Promise<QuoteWithAction | undefined> {
  const row = await context.store.quote(context.customer, id)
  return row && isRouteInScope(context, row) ? row : undefined
}

/** Whether this customer may see both networks of a quote. */
export const isRouteInScope = (
  { catalog }: EngineContext,
  { originChain, destinationChain }: Pick<QuoteRow, 'originChain' | 'destinationChain'>,
): boolean =>
  [originChain, destinationChain].every((name) => catalog.networks.some((network) => network.name === name))

/** From what to what a stored quote goes. */
export function routeOf({ catalog }: EngineContext, row: QuoteRow): Route {
  const { chainIdIn, chainIdOut, tokenIn, tokenOut } = parseStoredOffer(row)
  return {
    from: networkNamed(catalog.networks, chainIdIn),
    to: networkNamed(catalog.networks, chainIdOut),
    tokenIn,
    tokenOut,
  }
}

/** The offer of a stored quote. */
export function offerOf(row: QuoteRow): Offer {
  const { amountIn, amountOut, minAmountOut, maxAmountIn, fees, raw } = parseStoredOffer(row)
  return {
    amountIn: BigInt(amountIn),
    amountOut: BigInt(amountOut),
    minAmountOut: BigInt(minAmountOut),
    maxAmountIn: BigInt(maxAmountIn),
    fees,
    raw,
  }
}

/** What the service is paid for a stored quote, beside the offer. */
export const serviceFeesOf = (row: QuoteRow): readonly StatedFee[] => {
  const { paid, fee } = parseStoredOffer(row)
  return paid ?? (fee ? [fee] : [])
}

/** When the transactions of a stored quote end, the same for whoever takes it, in Unix seconds by the clock of the chain that they begin on. */
export const deadlineOf = (row: QuoteRow): number =>
  parseStoredOffer(row).deadline ?? Math.floor(row.expiresAt / 1000)

/** Whom a stored quote was asked for, if it was said then. */
export const recipientOf = (row: QuoteRow): Address | null => parseStoredOffer(row).recipient

/** A token has one number of decimals: who says another one means other amounts. */
export function requireDecimals({ symbol, decimals }: Token, said: number | undefined): void {
  if (said === undefined || said === decimals) return
  throw new AppError('QUOTE_VALIDATION_ERROR', `${symbol} has ${decimals} decimals, and not ${said}`, {
    details: { errors: [{ path: 'decimalsIn', message: `is ${decimals} for ${symbol}` }] },
  })
}

/** The provider of this name. */
export function providerNamed({ providers }: EngineContext, name: string): SwapProvider {
  const found = providers.find((provider) => provider.name === name)
  if (found) return found
  throw new AppError('PROVIDER_NOT_FOUND', `There is no provider "${name}"`, { details: { provider: name } })
}
