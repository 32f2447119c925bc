import { pacedMs } from '../../chain/rpc/pacing.ts'
import { nativeAddress, sameAddress } from '../../domain/address.ts'
import { maxUint256 } from '../../domain/amount.ts'
import { AppError, errorRow } from '../../domain/errors.ts'
import type { Network } from '../../domain/networks.ts'
import { refusalMeanings, refusalOf } from '../../domain/refusal-meanings.ts'
import { nativeToken, type Token } from '../../domain/token.ts'
import type { Offer, OfferRequest, Route, SwapProvider } from '../provider.ts'
import { percentAboveSpot } from './above-spot.ts'
import { type Choice, isBetter, type NetPrices } from './offer-comparison.ts'
import { notAmong } from './preferred-provider.ts'

type ProviderOffer = { provider: SwapProvider; offer: Offer }

/** The maximum number of pairs that an error names. */
const maxPairs = 8

/** Lists the tokens that a route's input can be swapped into, those of its own network first. */
function routesFrom(
  providers: readonly SwapProvider[],
  { from, tokenIn }: Pick<Route, 'from' | 'tokenIn'>,
  { networks, tokens }: { networks: readonly Network[]; tokens: readonly Token[] },
): { network: string; symbol: string; address: Token['address'] }[] {
  const near = networks.toSorted(
    (a, b) => Number(b.chainId === from.chainId) - Number(a.chainId === from.chainId),
  )
  return near.flatMap((to) =>
    [nativeToken(to), ...tokens.filter(({ chainId }) => chainId === to.chainId)]
      .filter((tokenOut) => providers.some((provider) => provider.supports({ from, to, tokenIn, tokenOut })))
      .map(({ symbol, address }) => ({ network: to.name, symbol, address })),
  )
}

/** The error for a route that no provider serves; it names pairs that are served. */
function noRouteError(
  { tokenIn, tokenOut, from, to }: Route,
  served: ReturnType<typeof routesFrom>,
): AppError {
  const pairs = [...new Set(served.map(({ symbol, network }) => `${symbol} on ${network}`))]
  const some = pairs.slice(0, maxPairs)
  const more = pairs.length > maxPairs ? `, and ${pairs.length - maxPairs} more` : ''
  const offered =
    served.length === 0
      ? `, and ${tokenIn.symbol} cannot be swapped here at all`
      : `. It can be swapped into ${some.join(', ')}${more}`
  return new AppError(
    'NO_ROUTE_FOUND',
    `No provider swaps ${tokenIn.symbol} on ${from.name} into ${tokenOut.symbol} on ${to.name}${offered}`,
    { details: { routes: served } },
  )
}

/** The providers that support a route, or only the preferred one. */
function eligibleProviders(
  providers: readonly SwapProvider[],
  route: Pick<OfferRequest, keyof Route | 'exact'>,
  known: Parameters<typeof routesFrom>[2],
  preferred?: string,
): SwapProvider[] {
  const fixes = ({ exact }: SwapProvider) => exact === undefined || exact.includes(route.exact)
  if (preferred !== undefined) {
    const named = providers.find(({ name }) => name === preferred.toLowerCase())
    if (!named)
      throw notAmong(
        preferred,
        providers.map(({ name }) => name),
      )
    if (!named.supports(route))
      throw new AppError(
        'PREFERRED_PROVIDER_NOT_ELIGIBLE',
        `${named.name} does not serve this route${named.setupProblem ? `: ${named.setupProblem}` : ''}`,
      )
    if (!fixes(named))
      throw new AppError(
        'PREFERRED_PROVIDER_NOT_ELIGIBLE',
        `${named.name} swaps an exact ${route.exact === 'out' ? 'input' : 'output'} only`,
      )
    return [named]
  }
  const able = providers.filter((provider) => provider.supports(route) && fixes(provider))
  if (able.length > 0) return able
  throw noRouteError(route, routesFrom(providers, route, known))
}

/** How an offer is chosen: the order of the offers, and the gas of a provider's other transactions, its approvals and fee payments. */
type Rules = { choice?: Choice; gasBeside?: (provider: SwapProvider, offer: Offer) => bigint }

/**
 * Asks all eligible providers in parallel and returns the best offer, with its gas complete, and the others, the better first. The best one
 * has the highest output, or the lowest input; with the choice `after-gas`, after gas. Providers that fail or are late, and outputs above
 * spot, are left out. `known` holds the networks and tokens that an error may name.
 */
export async function bestOffer(
  providers: readonly SwapProvider[],
  ask: OfferRequest,
  preferred: string | undefined,
  deadlineMs: number,
  reading: Promise<NetPrices & Rules>,
  known: Parameters<typeof routesFrom>[2],
): Promise<ProviderOffer & { others: readonly ProviderOffer[] }> {
  const able = eligibleProviders(providers, ask, known, preferred)
  const { answers, faults, late } = await askAll(able, deadlineMs, (provider, signal) =>
    provider.quote(ask, signal),
  )
  const payable = answers.flatMap(({ provider, offer }): ProviderOffer[] =>
    offer && isPayable(offer) ? [{ provider, offer }] : [],
  )
  if (payable.length > 0) {
    const { choice = 'output', gasBeside = () => 0n, ...prices } = await reading
    const payableOffers = payable.map(({ offer }) => offer)
    const offers = payable.flatMap(({ provider, offer }): ProviderOffer[] => {
      const percent = percentAboveSpot(ask, offer, payableOffers, prices)
      if (percent !== undefined) faults.push(aboveSpotError(provider, percent))
      if (percent !== undefined) return []
      const { gas } = offer
      return [
        { provider, offer: gas === undefined ? offer : { ...offer, gas: gas + gasBeside(provider, offer) } },
      ]
    })
    const inOrder = (some: readonly ProviderOffer[], by: Choice) =>
      some.toSorted((one, other) => {
        if (isBetter(by, ask, one.offer, other.offer, prices)) return -1
        return isBetter(by, ask, other.offer, one.offer, prices) ? 1 : 0
      })
    const [best] = inOrder(preferredOffers(ask, offers), choice)
    // The other offers are in one order, whatever chose the best one.
    if (best)
      return {
        ...best,
        others: inOrder(
          offers.filter((one) => one !== best),
          'output',
        ),
      }
  }
  // No route at one provider says nothing about the request at another.
  const [noRoutes, others] = [faults.filter(isNoRoute), faults.filter((fault) => !isNoRoute(fault))]
  throwRequestError(others)
  const named = others.find(
    (fault): fault is AppError =>
      fault instanceof AppError &&
      /^(RPC_|CHAIN_ID_|PROVIDER_API_|KEY_SOURCE|CONFIG_INVALID)/.test(fault.code),
  )
  if (preferred !== undefined) throw preferredQuoteError(able[0]!.name, named ?? noRoutes[0], faults)
  // Pools are read at nodes alone: what they would have answered is not known.
  if (late.some(({ asksService }) => !asksService)) throw quoteTimeoutError(ask, late, deadlineMs, undefined)
  const ofNode = others.find((fault) => fault instanceof AppError && /^(RPC_|CHAIN_ID_)/.test(fault.code))
  if (ofNode) throw ofNode
  const isAll = others.length === able.length
  if (named && isAll) throw named
  if (isAll && others.every(isTimeout)) throw quoteTimeoutError(ask, able, deadlineMs, others[0])
  const reasons = [...noRoutes, ...others.filter(isRefusal)].map(({ message }) => `. ${message}`).join('')
  throw others.length === 0
    ? new AppError(
        'NO_ROUTE_FOUND',
        `No pool or bridge can deliver this amount of ${ask.tokenOut.symbol} for ${ask.tokenIn.symbol}${reasons}`,
      )
    : new AppError(
        'QUOTE_GENERATION_FAILED',
        `No provider returned a quote (asked: ${able.map(({ name }) => name).join(', ')})${reasons}`,
        { cause: others[0] },
      )
}

/** The error for an output that no market pays. */
const aboveSpotError = ({ name }: SwapProvider, percent: string): AppError =>
  new AppError(
    'PROVIDER_API_ERROR',
    `The output that ${name} offers is ${percent} % above the spot price, so it would not be paid`,
    { details: { provider: name } },
  )

/** The error for a preferred provider without a quote; what its service refuses, and whether for good, is kept. */
export const preferredQuoteError = (
  name: string,
  why: AppError | undefined,
  faults: readonly unknown[],
): AppError =>
  new AppError(
    'PREFERRED_PROVIDER_QUOTE_UNAVAILABLE',
    `${name} returned no quote${why ? `: ${why.message}` : faults.some(isTimeout) ? ' in time' : ''}`,
    { cause: faults[0], ...(why && isRefusal(why) && { details: why.details! }) },
  )

/** Whether a fault is a refusal by a provider's service. */
const isRefusal = (fault: unknown): fault is AppError =>
  fault instanceof AppError && refusalOf(fault.details) !== undefined

/** Whether a provider has no route. */
export const isNoRoute = (fault: unknown): fault is AppError =>
  isRefusal(fault) && fault.details?.refusal === 'no-route'

/**
 * The offers to compare. Offers with a proven minimum come first, of these the ones within the requested number of approvals; others only
 * if there are none.
 */
function preferredOffers(
  { allowsOneApproval, tokenIn }: OfferRequest,
  offers: readonly ProviderOffer[],
): readonly ProviderOffer[] {
  const proved = offers.filter(({ provider }) => !provider.isUnproven)
  const isTwice = allowsOneApproval && !sameAddress(tokenIn.address, nativeAddress)
  const taken = proved.filter(({ provider }) => !(isTwice && provider.needsTwoApprovals))
  return [taken, proved].find((some) => some.length > 0) ?? offers
}

const isTimeout = (fault: unknown): boolean => fault instanceof Error && fault.name === 'TimeoutError'

/** The error for providers that all timed out: it names their services, or our nodes if no provider asks a service. */
function quoteTimeoutError(
  { from, to }: OfferRequest,
  able: readonly SwapProvider[],
  deadlineMs: number,
  cause: unknown,
): AppError {
  const asking = able.filter(({ asksService }) => asksService).map(({ name }) => name)
  if (asking.length === able.length)
    return new AppError(
      'PROVIDER_API_ERROR',
      `No quote came within ${deadlineMs / 1000} s: the services of ${asking.join(', ')} did not answer`,
      { cause },
    )
  const nodes = from.chainId === to.chainId ? `node of ${from.name}` : `nodes of ${from.name} and ${to.name}`
  return new AppError(
    'RPC_UNREACHABLE',
    `No quote came within ${deadlineMs / 1000} s: the ${nodes} did not answer all reads in that time`,
    {
      cause,
      next: `Set a faster RPC, or wait longer: SLUICE_QUOTE_DEADLINE=${Math.ceil((3 * deadlineMs) / 1000)}`,
    },
  )
}

/** Whether all amounts fit into 256 bits; larger ones can neither be paid nor encoded. */
const isPayable = ({ amountIn, amountOut, maxAmountIn, minAmountOut }: Offer) =>
  [amountIn, amountOut, maxAmountIn, minAmountOut].every((amount) => amount >= 0n && amount <= maxUint256)

/** The most time that plans of nodes are waited for beyond the deadline, in ms: an answer over HTTP takes less than 13 s in all. */
const mostPacedMs = 8_000

/** Aborts with a TimeoutError after the deadline, to which the time is added in which we waited for the plans of our nodes. */
function quoteDeadline(deadlineMs: number): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController()
  const [end, before] = [performance.now() + deadlineMs, pacedMs()]
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    const left = end + Math.min(pacedMs() - before, mostPacedMs) - performance.now()
    if (left > 0) timer = setTimeout(look, Math.ceil(left))
    else controller.abort(new DOMException('The quote did not come in time', 'TimeoutError'))
  }
  look()
  return { signal: controller.signal, stop: () => clearTimeout(timer) }
}

/** Asks providers in parallel; returns the answers that arrived in time, the errors of the others, and who was late. */
export async function askAll<provider, offer>(
  providers: readonly provider[],
  deadlineMs: number,
  ask: (provider: provider, signal: AbortSignal) => Promise<offer>,
): Promise<{ answers: { provider: provider; offer: offer }[]; faults: unknown[]; late: provider[] }> {
  const { signal, stop } = quoteDeadline(deadlineMs)
  const all = await Promise.allSettled(
    providers.map(async (provider) => ({
      provider,
      offer: await rejectOnAbort(ask(provider, signal), signal),
    })),
  )
  stop()
  return {
    answers: all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    faults: all.flatMap((one) => (one.status === 'rejected' ? [asFinalIfUnusable(one.reason)] : [])),
    late: providers.filter((_, at) => {
      const one = all[at]!
      return one.status === 'rejected' && isTimeout(one.reason)
    }),
  }
}

/** A fault as it is, or as a final one where the status of the answer was no failure: what cannot be used now will come again. */
function asFinalIfUnusable(fault: unknown): unknown {
  if (!(fault instanceof AppError) || fault.code !== 'PROVIDER_API_ERROR') return fault
  const { status } = fault.details ?? {}
  if (typeof status !== 'number' || status >= 400 || refusalOf(fault.details)) return fault
  return fault.with({ details: { refusal: 'unusable' }, next: refusalMeanings.unusable.next })
}

/** Throws the first error that is caused by the request itself (status 400). */
export function throwRequestError(faults: readonly unknown[]): void {
  const ours = faults.find((fault) => fault instanceof AppError && errorRow(fault.code).status === 400)
  if (ours) throw ours
}

/** Rejects at the deadline even if the provider ignores the signal. */
const rejectOnAbort = <value>(work: Promise<value>, signal: AbortSignal): Promise<value> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
