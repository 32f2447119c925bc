import type { Service } from '../api/service.ts'
import type { ChainClient } from '../chain/client.ts'
import type { Catalog } from '../protocols/catalog.ts'
import type { EngineStore } from '../store/engine/store.ts'
import { everything, type Sees } from './access-scope.ts'
import { actionOf } from './actions/action.ts'
import { ingest } from './actions/ingest.ts'
import { strategyBytecode } from './bytecode/bytecode.ts'
import { transferBytecode } from './bytecode/transfer.ts'
import { groundOf } from './chain-services.ts'
import type { Context, Ground, Missed, Unread } from './context.ts'
import { chargesOf } from './fees/charges.ts'
import { customerOf, feesOf, setFees } from './fees/customer-fees.ts'
import { withCharges } from './fees/strategies-with-fees.ts'
import { historyOf } from './history/history.ts'
import { refuseNoCode } from './history/logs/missing-contract.ts'
import { walletOf } from './positions/wallet.ts'
import type { OutsidePrices } from './prices/external-prices.ts'
import { swapBytecodeOf } from './quotes/accept-quote.ts'
import { quotesOf } from './quotes/list.ts'
import { quoteFor } from './quotes/quotes.ts'
import { swapStatus } from './quotes/swap-status.ts'
import type { Crowd } from './shared-answers.ts'
import { recommend } from './strategies/recommend.ts'
import { oneStrategy } from './strategies/strategies.ts'

/** What an engine stands on: what it knows, the chains, where it remembers, whose requests it answers, the time and new ids. */
export type EngineNeeds = {
  catalog: Catalog
  rpc: (chainId: number) => ChainClient
  store: EngineStore
  customer: string
  /** Who asks, for the record of changes: the id of an API key; without it, whoever has the database. */
  by?: string
  /** What this customer may see; without it, everything. */
  sees?: Sees
  /** Who is told when a chain does not answer and its rows are left out. */
  missed?: Missed
  /** Who is told of a stored quote that cannot be read and is left out of a list. */
  unread?: Unread
  /** Who prices what the chains do not, for display; without it, nobody outside is asked. */
  outside?: OutsidePrices | undefined
  now: () => number
  newId: () => string
}

/** The whole service in this process, over real chains. */
export const createEngine = (needs: EngineNeeds): Service => serviceOf(contextOf(needs))

/** What the parts of an engine work with. */
export const contextOf = ({
  catalog,
  rpc,
  missed,
  outside,
  sees = everything,
  by = 'operator',
  ...own
}: EngineNeeds): Context => ({
  ...groundOf({ catalog, rpc, sees, missed, outside, store: own.store, now: own.now }),
  ...own,
  by,
})

/**
 * Engines for many customers over the same chains: those who see the same share what was read. Without a `crowd` nobody is shown how
 * markets stood before he asked.
 */
export function enginesOver(
  needs: Omit<EngineNeeds, 'customer' | 'by' | 'sees'> & { crowd?: Crowd },
): (who: { customer: string; by: string; sees: Sees }) => Service {
  const { catalog, rpc, missed, outside, crowd, ...own } = needs
  const grounds = new Map<string, Ground>()
  return ({ customer, by, sees }) => {
    const seen = JSON.stringify(sees)
    const { store, now } = own
    const ground = grounds.get(seen) ?? groundOf({ catalog, rpc, sees, missed, outside, crowd, store, now })
    grounds.set(seen, ground)
    return serviceOf({ ...ground, ...own, customer, by })
  }
}

function serviceOf(context: Context): Service {
  return {
    ...withCharges(context, {
      recommend: (input) => recommend(context, input),
      listStrategies: async (input) => (await context.kept.listing()).page(input),
      analytics: () => context.kept.totals(),
      getStrategy: ({ id }) => oneStrategy(context, id),
      getWallet: ({ address }) => walletOf(context, address),
    }),
    strategyBytecode: (input) => strategyBytecode(context, input),
    walletHistory: async (input) => {
      const history = await historyOf(context, input)
      if (history.total === 0) await refuseNoCode(context, input.strategyId)
      return history
    },
    getAction: ({ id }) => actionOf(context, id),
    ingest: (input) => ingest(context, input),
    listQuotes: (input) => quotesOf(context, input),
    quote: async (input) => ({ quote: await quoteFor(context, input, (await chargesOf(context)).swap) }),
    swapBytecode: (input) => swapBytecodeOf(context, input),
    swapStatus: (input) => swapStatus(context, input),
    transferBytecode: (input) => transferBytecode(context, input),
    customer: () => customerOf(context),
    getFees: () => feesOf(context),
    setFees: (input) => setFees(context, input),
  }
}
