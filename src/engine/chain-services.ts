import { ask } from '../chain/ask.ts'
import type { ChainClient } from '../chain/chain-client.ts'
import { findTransaction, sentCallOf } from '../chain/finality/find-mined-transaction.ts'
import { latestBlock } from '../chain/head.ts'
import { type Chain, openChain } from '../chain/network-client.ts'
import { AppError } from '../domain/errors.ts'
import { networkNamed } from '../domain/networks.ts'
import { wrappedOf } from '../domain/token.ts'
import { getJson } from '../http/client.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { Market } from '../protocols/market-adapter.ts'
import { marketsOf } from '../protocols/registry.ts'
import type { EngineStore } from '../store/engine/store.ts'
import type { BitcoinReader } from '../swaps/bitcoin-reader.ts'
import type { DepositProvider } from '../swaps/deposit-provider.ts'
import { openDepositProviders } from '../swaps/deposit-provider-registry.ts'
import { esplora } from '../swaps/esplora.ts'
import { oneInchContracts } from '../swaps/oneinch/constants-schema.ts'
import type { SwapProvider } from '../swaps/provider.ts'
import type { OnAwaitedLog, SwapDependencies } from '../swaps/provider-dependencies.ts'
import { type ServiceAccess, serviceAccess } from '../swaps/service-access.ts'
import { withContracts } from '../swaps/swap-contracts.ts'
import { openSwapProviders } from '../swaps/swap-provider-registry.ts'
import { type AccessScope, catalogInScope } from './access-scope.ts'
import { findFirstLog, findLogs } from './history/logs/resumable-log-search.ts'
import { createMarketCache, type MarketCache, type OnMissingNetwork } from './market-cache.ts'
import { readOncePerBlock } from './once-per-block.ts'
import { oncePerChain } from './once-per-chain.ts'
import { type LendingAccountReader, lendingAccountReader } from './positions/lending-accounts.ts'
import { type ExternalPriceSource, externalPriceFiller, type PriceFiller } from './prices/external-prices.ts'
import { currentRateReader, type PastRateReader, type RateReader } from './rates/current-rates.ts'
import { fillDaysBriefly } from './rates/daily-rates.ts'
import { pastBlockFinder, pastIndexReader } from './rates/past-indexes.ts'
import { realisedRateReader } from './rates/realised-rates.ts'
import { receiptReader } from './rates/receipt-symbols.ts'
import { rewardReader } from './rates/reward-rates.ts'
import { sharePriceGrowthReader } from './rates/share-price-growth.ts'
import { dailyPointsReader } from './rates/stored-daily-points.ts'
import { type StrategyDetailReader, strategyDetailReader } from './rates/strategy-detail.ts'
import type { AnswerReuse } from './request-coalescing.ts'

/** The services that read the chains in one access scope. Customers with the same scope may share them. */
export type ChainServices = {
  catalog: Catalog
  scope: AccessScope
  markets: readonly Market[]
  /** Fills in prices from an external source, if one is configured. */
  fillPrices: PriceFiller
  /** Cached market states; refreshed when their chain has a new block. */
  marketCache: MarketCache
  /** Reads the rates that the markets of a chain do not state themselves. */
  rateReader: (chainId: number) => RateReader
  /** Reads what the rates of the markets of a chain need of its past. */
  readPastRates: (chainId: number) => PastRateReader
  /** Adds recent rates to a strategy of a chain. */
  strategyDetails: (chainId: number) => StrategyDetailReader
  providers: readonly SwapProvider[]
  /** The providers of swaps that begin on Bitcoin, and its reader; `null` if the catalogue has no services for it. */
  deposits: { providers: readonly DepositProvider[]; bitcoin: BitcoinReader } | null
  /** Time limit of a quote from a swap provider, in ms. */
  quoteDeadlineMs: number
  chain: (chainId: number) => Chain
  /** Reads the loans and debts of a wallet on a chain. */
  lendingAccounts: LendingAccountReader
  /** Called when a chain is left out of an answer. */
  onMissingNetwork: OnMissingNetwork
}

/** The swap providers to use, by name, and the time limit of a quote, in ms. */
export type SwapSettings = {
  providers?: readonly string[]
  quoteDeadlineMs?: number
  /** Reads the file with a provider's keys. */
  secretAt?: SwapDependencies['secretAt'] | undefined
  /** How the services of providers are asked: without keys, unless set. */
  services?: ServiceAccess | undefined
}

/** Default time limit of a quote from a swap provider, in ms. */
const usualQuoteDeadlineMs = 4_000

/**
 * Creates the services that read the chains in a scope: markets, prices, rates, lending accounts and swap
 * providers.
 */
export function createChainServices(options: {
  catalog: Catalog
  rpc: (chainId: number) => ChainClient
  scope: AccessScope
  onMissingNetwork?: OnMissingNetwork | undefined
  store: EngineStore
  now: () => number
  externalPrices?: ExternalPriceSource | undefined
  swaps?: SwapSettings | undefined
  answerReuse?: AnswerReuse | undefined
  onAwaitedLog?: OnAwaitedLog | undefined
}): ChainServices {
  const { rpc, scope, store, onMissingNetwork = () => undefined, now } = options
  const { externalPrices, swaps, answerReuse, onAwaitedLog } = options
  const catalog = catalogInScope(options.catalog, scope)
  const services = swaps?.services ?? serviceAccess()
  const isUsed = ({ name }: { name: string }) => swaps?.providers?.includes(name) ?? true
  const markets = marketsOf(catalog)
  const opened = oncePerChain((chainId) => {
    const network = networkNamed(catalog.networks, chainId)
    const wrapped = wrappedOf(catalog, { chainId, symbol: network.native.symbol })
    return openChain(network, rpc(chainId), wrapped?.address)
  })
  const chain = answerReuse
    ? oncePerChain((chainId) => readOncePerBlock(opened(chainId), answerReuse))
    : opened
  const rates = oncePerChain((chainId) => rateReadersOf(store, () => chain(chainId)))
  const rateReader = (chainId: number) => rates(chainId).read
  const dailyPoints = oncePerChain((chainId) => dailyPointsReader(store, chainId))
  const fillPrices = externalPriceFiller(externalPrices, markets)
  return {
    catalog,
    scope,
    markets,
    fillPrices,
    rateReader,
    readPastRates: (chainId) => rates(chainId).readPast,
    strategyDetails: oncePerChain((chainId) =>
      strategyDetailReader(store, () => chain(chainId), {
        rewards: rewardReader(catalog, () => chain(chainId)),
        receipts: receiptReader(() => chain(chainId)),
      }),
    ),
    marketCache: createMarketCache(catalog, markets, opened, {
      onMissingNetwork,
      now,
      rateReader,
      fillDays: (chainId) => (rows, head) => fillDaysBriefly(store, chain(chainId), rows, head),
      dailyPoints,
      fillPrices,
      answerReuse,
    }),
    providers: swapProvidersOf(catalog, chain, {
      store,
      now,
      services,
      secretAt: swaps?.secretAt,
      awaited: onAwaitedLog,
    }).filter(isUsed),
    deposits: catalog.bitcoin
      ? {
          bitcoin: esplora(catalog.bitcoin.esplora, services.exchangeJson),
          providers: openDepositProviders(catalog.bitcoin, { ...services, now }).filter(isUsed),
        }
      : null,
    quoteDeadlineMs: swaps?.quoteDeadlineMs ?? usualQuoteDeadlineMs,
    chain,
    lendingAccounts: lendingAccountReader(catalog, chain),
    onMissingNetwork,
  }
}

/**
 * The readers of the rates of a chain. `read` adds the current rates, those derived from share-price growth where there are none,
 * and beside them the realised rates. `readPast` reads what they need of the past for all markets, so that it can start earlier.
 */
function rateReadersOf(
  store: EngineStore,
  chain: () => Chain,
): { read: RateReader; readPast: PastRateReader } {
  const current = currentRateReader(chain)
  const blockOf = pastBlockFinder(store, chain)
  const growth = sharePriceGrowthReader(pastIndexReader(store, chain, { period: 'week', blockOf }))
  const realised = realisedRateReader(
    store,
    chain,
    pastIndexReader(store, chain, { period: 'month', blockOf }),
  )
  return {
    read: async (rows, head) => {
      const [rated, averaged] = await Promise.all([
        current(rows, head).then((some) => growth(some, head)),
        realised(rows, head),
      ])
      return rated.map((row, at) => ({ ...averaged[at]!, ...row }))
    },
    readPast: async (rows, head) => {
      await Promise.all([growth(rows, head), realised(rows, head)])
    },
  }
}

/** Opens every swap provider that the catalogue has contracts for. */
const swapProvidersOf = (
  catalog: Catalog,
  chain: (chainId: number) => Chain,
  {
    secretAt,
    services,
    awaited,
    ...logCache
  }: LogCache &
    Pick<SwapSettings, 'secretAt'> &
    Pick<SwapDependencies, 'awaited'> & { services: ServiceAccess },
): SwapProvider[] =>
  openSwapProviders(secretAt ? catalog : withoutKeys(catalog), {
    read: (chainId, reading, at) => ask(chain(chainId), reading, at),
    head: async (chainId) => (await latestBlock(chain(chainId))).number,
    log: (chainId, sought, fromBlock) => findFirstLog(logCache, chain(chainId), sought, fromBlock),
    logs: (chainId, query, fromBlock) => findLogs(logCache.now, chain(chainId), query, fromBlock),
    awaited,
    mined: (chainId, hash) => findTransaction(chain(chainId).rpc, hash),
    callOf: (chainId, hash) => sentCallOf(chain(chainId).rpc, hash),
    getJson: (url, signal) => getJson(url, signal ? { signal } : {}),
    ...services,
    secretAt: secretAt ?? noSecrets,
    now: logCache.now,
  })

type LogCache = { store: EngineStore; now: () => number }

/** A catalogue without key files, so that providers that need a key are not used. */
const withoutKeys = (catalog: Catalog): Catalog =>
  withContracts(catalog, oneInchContracts, (rows) => rows.map((one) => ({ ...one, keyFile: null })))

const noSecrets = async (path: string): Promise<never> => {
  throw new AppError('CONFIG_INVALID', `No data is read from ${path} here`)
}
