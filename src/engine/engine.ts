import type { CallOptions, Service } from '../api/service-type.ts'
import type { ChainClient } from '../chain/chain-client.ts'
import { eventService } from '../events/event-service.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { EngineStore } from '../store/engine/store.ts'
import type { Choice } from '../swaps/offers/offer-comparison.ts'
import type { SwapProvider } from '../swaps/provider.ts'
import { type AccessScope, fullAccess } from './access-scope.ts'
import { actionOf, listIssuedActions } from './actions/get-action.ts'
import { ingest } from './actions/ingest-report.ts'
import { type ChainServices, createChainServices, type SwapSettings } from './chain-services.ts'
import { customerFees, customerOf, setCustomerFees } from './fees/fee-settings.ts'
import { chargesOf, withFees } from './fees/service-fee-charges.ts'
import { historyOf } from './history/position-history.ts'
import type { OnMissingNetwork } from './market-cache.ts'
import { walletOf } from './positions/read-wallet-positions.ts'
import type { ExternalPriceSource } from './prices/external-prices.ts'
import { swapBytecode } from './quotes/build-quote-transactions.ts'
import { quoteFor } from './quotes/create-quote.ts'
import { listQuotes } from './quotes/list-issued-quotes.ts'
import { swapStatus } from './quotes/swap-status.ts'
import type { AnswerReuse } from './request-coalescing.ts'
import { recommend } from './strategies/recommend.ts'
import { strategyWithDetails } from './strategies/strategy-answer.ts'
import { strategyBytecode } from './unsigned-transactions/strategy-transactions.ts'
import { transferBytecode } from './unsigned-transactions/transfer.ts'

/** Called when a stored quote cannot be read and is left out of a list. */
type OnUnreadableQuote = (quoteId: string, fault: unknown) => void

/** The dependencies of every part of the engine. `now` returns epoch milliseconds; `newId` creates UUIDs. */
export type EngineContext = ChainServices & {
  store: EngineStore
  customer: string
  /** The author of setting changes, for the record: the id of an API key, or `operator`. */
  changedBy: string
  onUnreadableQuote?: OnUnreadableQuote
  /** How the best of several swap offers is chosen: by its expected output, unless set. */
  choice?: Choice | undefined
  /** Whether endpoints of webhooks may be on this machine, also over HTTP. */
  allowLoopback?: boolean
  /** Whether the engine answers over HTTP, where an answer holds at most one approval. */
  isServed?: boolean
  /** Whether this call is for a comparison or a dry run, which are not listed. */
  isDraft?: boolean
  now: () => number
  newId: () => string
}

/** The inputs of an engine: catalogue, chains, store, customer, clock and ids. */
export type EngineInputs = {
  catalog: Catalog
  rpc: (chainId: number) => ChainClient
  store: EngineStore
  customer: string
  /** The author of setting changes, for the record: the id of an API key. The default is `operator`. */
  changedBy?: string
  /** The access scope of this customer; the default is everything. */
  scope?: AccessScope
  /** Called when a chain does not answer and its rows are left out. */
  onMissingNetwork?: OnMissingNetwork
  /** Called when a stored quote cannot be read and is left out of a list. */
  onUnreadableQuote?: OnUnreadableQuote
  /** Prices tokens that no chain prices, for display. By default no external source is used. */
  externalPrices?: ExternalPriceSource | undefined
  /** The swap providers and their time limit; the default is all of them, with 4 s. */
  swaps?: SwapSettings | undefined
  /** How the best of several swap offers is chosen; the default is by its expected output. */
  choice?: Choice | undefined
  /** Whether endpoints of webhooks may be on this machine, also over HTTP. */
  allowLoopback?: boolean
  now: () => number
  newId: () => string
}

/** Creates the whole service in this process, over real chains. */
export const createEngineService = (options: EngineInputs): Service => serviceOf(createEngineContext(options))

/** Creates the context that the parts of an engine share. */
export const createEngineContext = ({
  scope = fullAccess,
  changedBy = 'operator',
  ...options
}: EngineInputs): EngineContext => ({
  ...options,
  ...createChainServices({ ...options, scope }),
  changedBy,
})

/**
 * Creates engines for many customers over the same chains. Customers with the same scope share the market cache.
 * Without `answerReuse`, no customer gets market states read before the request.
 */
export function createCustomerEngines(
  options: Omit<EngineInputs, 'customer' | 'changedBy' | 'scope'> & { answerReuse?: AnswerReuse },
): (customer: { customer: string; changedBy: string; scope: AccessScope }) => Service {
  const perScope = new Map<string, ChainServices>()
  return ({ customer, changedBy, scope }) => {
    const key = JSON.stringify(scope)
    const services = perScope.get(key) ?? createChainServices({ ...options, scope })
    perScope.set(key, services)
    const providers = services.providers.map(withoutSetup)
    return serviceOf({ ...options, ...services, providers, customer, changedBy, isServed: true })
  }
}

/** A provider as customers see it: the settings that it lacks are the operator's. */
const withoutSetup = (provider: SwapProvider): SwapProvider =>
  provider.setupProblem === undefined
    ? provider
    : { ...provider, setupProblem: 'the operator of this service has not set it up' }

function serviceOf(context: EngineContext): Service {
  const drafted = (options?: CallOptions): EngineContext =>
    options?.isDraft ? { ...context, isDraft: true } : context
  return {
    ...withFees(context, {
      recommend: (input) => recommend(context, input),
      listStrategies: async (input) => (await context.marketCache.listing()).page(input),
      analytics: () => context.marketCache.totals(),
      getStrategy: ({ id }) => strategyWithDetails(context, id),
      getWallet: ({ address }) => walletOf(context, address),
    }),
    strategyBytecode: (input, options) => strategyBytecode(drafted(options), input),
    walletHistory: (input) => historyOf(context, input),
    getAction: ({ id }) => actionOf(context, id),
    listActions: (input) => listIssuedActions(context, input),
    ingest: (input) => ingest(context, input),
    listQuotes: (input) => listQuotes(context, input),
    quote: async (input, options) => ({
      quote: await quoteFor(drafted(options), input, (await chargesOf(context)).swap),
    }),
    swapBytecode: (input, options) => swapBytecode(drafted(options), input),
    swapStatus: (input) => swapStatus(context, input),
    transferBytecode: (input, options) => transferBytecode(drafted(options), input, options),
    ...eventService(context),
    customer: () => customerOf(context),
    getFees: () => customerFees(context),
    setFees: (input) => setCustomerFees(context, input),
  }
}
