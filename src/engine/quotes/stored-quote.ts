import { z } from 'zod'
import type { Address } from '../../domain/address.ts'
import { bitcoinNetwork } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import { type Network, networkNamed } from '../../domain/networks.ts'
import type { Token } from '../../domain/token.ts'
import type { QuoteRow } from '../../store/engine/action-tables.ts'
import type { QuoteWithAction } from '../../store/engine/quote-queries.ts'
import type { Offer, OfferFee, Route, SwapProvider } from '../../swaps/provider.ts'
import type { EngineContext } from '../engine.ts'
import type { StatedFee } from '../fees/service-fee-charges.ts'
import { fieldError } from '../field-error.ts'

const UnitsText = z.string().regex(/^\d{1,78}$/)
const isText = (value: unknown) => typeof value === 'string'
const isObject = (value: unknown) => typeof value === 'object' && value !== null
const StoredToken = z.custom<Token>(
  (value) =>
    isObject(value) && isText((value as Token).address) && Number.isInteger((value as Token).decimals),
)

/** The stored part of a quote that the client does not get: route, recipient and the provider's offer. */
const StoredOffer = z.object({
  chainIdIn: z.int(),
  chainIdOut: z.int(),
  tokenIn: StoredToken,
  tokenOut: StoredToken,
  exact: z.enum(['in', 'out']),
  recipient: z.custom<Address>(isText).nullable(),
  amountIn: UnitsText,
  amountOut: UnitsText,
  minAmountOut: UnitsText,
  maxAmountIn: UnitsText,
  fees: z.array(z.custom<OfferFee>(isObject)),
  raw: z.unknown(),
  /** The fees of the service. */
  paid: z.array(z.custom<StatedFee>(isObject)),
  /** The deadline of its transactions by the clock of the origin chain, in Unix seconds. */
  deadline: z.int(),
})
type StoredOffer = z.output<typeof StoredOffer>

/** The stored part of a quote as JSON text. */
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
    paid: [...serviceFees],
    deadline,
  }
  return JSON.stringify(stored)
}

const parsed = new WeakMap<QuoteRow, StoredOffer>()

/** Parses the stored part of a quote, once for each row. */
function parseStoredOffer(row: QuoteRow): StoredOffer {
  const known = parsed.get(row) ?? readStored(() => StoredOffer.parse(JSON.parse(row.offer)))
  parsed.set(row, known)
  return known
}

/**
 * Reads stored data of a quote; QUOTE_EXPIRED for data that this version does not understand, because another version of the program stored
 * it.
 */
export function readStored<value>(read: () => value): value {
  try {
    return read()
  } catch (error) {
    throw error instanceof AppError ? error : otherVersionError(error)
  }
}

/** The error for a quote that another version of the program stored. */
export const otherVersionError = (cause: unknown): AppError =>
  new AppError('QUOTE_EXPIRED', 'The quote was stored by another version of this program', { cause })

/** Finds a quote of this customer, if its networks are in scope. */
export async function findQuote(context: EngineContext, id: string): Promise<QuoteWithAction | undefined> {
  const row = await context.store.quote(context.customer, id)
  return row && isRouteInScope(context, row) ? row : undefined
}

/** Whether both networks of a quote are in scope. */
export const isRouteInScope = (
  { catalog }: EngineContext,
  { originChain, destinationChain }: Pick<QuoteRow, 'originChain' | 'destinationChain'>,
): boolean =>
  [originChain, destinationChain].every((name) =>
    originNetworks(catalog).some((network) => network.name === name),
  )

/** The networks on which a swap may begin: those of the catalogue, and Bitcoin if there are services for it. */
export const originNetworks = ({ networks, bitcoin }: EngineContext['catalog']): readonly Network[] =>
  bitcoin ? [...networks, bitcoinNetwork] : networks

/** The route of a stored quote. */
export function routeOf({ catalog }: EngineContext, row: QuoteRow): Route {
  const { chainIdIn, chainIdOut, tokenIn, tokenOut } = parseStoredOffer(row)
  return {
    from: networkNamed(originNetworks(catalog), chainIdIn),
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

/** The stored part of a quote with changed provider data. */
export const offerWith = (row: QuoteRow, raw: unknown): string =>
  JSON.stringify({ ...parseStoredOffer(row), raw })

/** The fees of the service for a stored quote, in addition to the offer. */
export const serviceFeesOf = (row: QuoteRow): readonly StatedFee[] => parseStoredOffer(row).paid

/** The deadline of the transactions of a stored quote, the same for each issue, in Unix seconds by the clock of the origin chain. */
export const deadlineOf = (row: QuoteRow): number => parseStoredOffer(row).deadline

/** The recipient named when the quote was requested, if any. */
export const quoteRecipient = (row: QuoteRow): Address | null => parseStoredOffer(row).recipient

/** Refuses a wrong number of decimals: the client's amount would be wrong too. */
export function requireDecimals({ symbol, decimals }: Token, claimed: number | undefined): void {
  if (claimed === undefined || claimed === decimals) return
  throw fieldError('decimalsIn', `is ${decimals} for ${symbol}`, {
    code: 'QUOTE_VALIDATION_ERROR',
    text: `${symbol} has ${decimals} decimals, not ${claimed}`,
  })
}

/** Finds a provider by name. */
export function providerNamed({ providers }: EngineContext, name: string): SwapProvider {
  const found = providers.find((provider) => provider.name === name)
  if (found) return found
  throw new AppError('PROVIDER_NOT_FOUND', `There is no provider "${name}"`, { details: { provider: name } })
}
