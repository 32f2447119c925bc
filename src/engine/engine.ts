import type { Service } from '../api/service.ts'
import type { Catalog } from '../domain/catalog.ts'
import { networkNamed } from '../domain/network.ts'
import { getJson } from '../net/http.ts'
import type { Rpc } from '../net/rpc.ts'
import type { EngineStore } from '../store/engine.ts'
import { ingest } from './actions/ingest.ts'
import { actionOf } from './actions/show.ts'
import { strategyBytecode } from './bytecode.ts'
import { type Chain, headOf, openChain, read } from './chain.ts'
import type { Context } from './context.ts'
import { customerOf, feesOf, setFees } from './customer.ts'
import { keptMarkets } from './kept.ts'
import { lendingOf } from './lending.ts'
import { marketsOf } from './markets/catalog.ts'
import { historyOf, walletOf } from './positions.ts'
import { quoteFor, quotesOf } from './quotes.ts'
import { recommend } from './recommend.ts'
import { oneStrategy } from './strategies.ts'
import { swapStatus } from './swap-status.ts'
import { cctp } from './swaps/cctp.ts'
import type { SwapProvider } from './swaps/provider.ts'
import { uniswapV3 } from './swaps/uniswap-v3.ts'
import { swapBytecodeOf } from './take-quote.ts'
import { transferBytecode } from './transfers.ts'
import { everything, type Sees, visible } from './visible.ts'

/** What an engine stands on: what it knows, the chains, where it remembers, whose requests it answers, the time and new ids. */
export type EngineNeeds = {
  catalog: Catalog
  rpc: (chainId: number) => Rpc
  store: EngineStore
  customer: string
  /** What this customer may see; without it, everything. */
  sees?: Sees
  now: () => number
  newId: () => string
}

/** The whole service in this process, over real chains. */
export function createEngine(needs: EngineNeeds): Service {
  const context = contextOf(needs)
  return {
    recommend: (input) => recommend(context, input),
    listStrategies: async (input) => (await context.kept.listing()).page(input),
    analytics: async () => (await context.kept.listing()).analytics,
    getStrategy: ({ id }) => oneStrategy(context, id),
    strategyBytecode: (input) => strategyBytecode(context, input),
    getWallet: ({ address }) => walletOf(context, address),
    walletHistory: (input) => historyOf(context, input),
    getAction: ({ id }) => actionOf(context, id),
    ingest: (input) => ingest(context, input),
    listQuotes: (input) => quotesOf(context, input),
    quote: async (input) => ({ quote: await quoteFor(context, input) }),
    swapBytecode: (input) => swapBytecodeOf(context, input),
    swapStatus: (input) => swapStatus(context, input),
    transferBytecode: (input) => transferBytecode(context, input),
    customer: () => customerOf(context),
    getFees: () => feesOf(context),
    setFees: (input) => setFees(context, input),
  }
}

/** What the parts of an engine work with. */
export function contextOf({
  sees = everything,
  rpc,
  store,
  customer,
  now,
  newId,
  ...needs
}: EngineNeeds): Context {
  const catalog = visible(needs.catalog, sees)
  const markets = marketsOf(catalog)
  const open = new Map<number, Chain>()
  const chain = (chainId: number): Chain => {
    const known = open.get(chainId) ?? openChain(networkNamed(catalog.networks, chainId), rpc(chainId))
    open.set(chainId, known)
    return known
  }
  return {
    catalog,
    markets,
    kept: keptMarkets(catalog, markets, chain),
    providers: providersOf(catalog, chain),
    chain,
    lending: lendingOf(catalog, chain),
    store,
    customer,
    sees,
    now,
    newId,
  }
}

/** Every swap provider that the catalogue has contracts for. */
function providersOf(
  { uniswapV3: pools, cctpV2, attestation }: Catalog,
  chain: (chainId: number) => Chain,
): SwapProvider[] {
  const bridge =
    attestation === null
      ? []
      : [
          cctp(cctpV2, {
            attestation: (path, signal) => getJson(attestation + path, signal ? { signal } : {}),
            head: async (chainId) => (await headOf(chain(chainId))).number,
            logs: (chainId, { address, topics, fromBlock }) =>
              chain(chainId).rpc.request('eth_getLogs', [
                { address, topics, fromBlock: `0x${fromBlock.toString(16)}`, toBlock: 'latest' },
              ]),
          }),
        ]
  return [uniswapV3(pools, (chainId, reading) => read(chain(chainId), reading)), ...bridge]
}
