import type { Service } from '../api/service.ts'
import type { Catalog } from '../domain/catalog.ts'
import type { Rpc } from '../net/rpc.ts'
import type { EngineStore } from '../store/engine.ts'
import { ingest } from './actions/ingest.ts'
import { actionOf } from './actions/show.ts'
import { strategyBytecode } from './bytecode.ts'
import { withCharges } from './charged-service.ts'
import { chargesOf } from './charges.ts'
import type { Context, Ground, Unread } from './context.ts'
import { customerOf, feesOf, setFees } from './customer.ts'
import type { Crowd } from './fresh.ts'
import { groundOf } from './ground.ts'
import type { Missed } from './kept.ts'
import { quotesOf } from './listed-quotes.ts'
import { refuseNoCode } from './logs/refuse-no-code.ts'
import type { OutsidePrices } from './outside-prices.ts'
import { historyOf } from './past/history.ts'
import { quoteFor } from './quotes.ts'
import { recommend } from './recommend.ts'
import { oneStrategy } from './strategies.ts'
import { swapStatus } from './swap-status.ts'
import { swapBytecodeOf } from './take-quote.ts'
import { transferBytecode } from './transfers.ts'
import { everything, type Sees } from './visible.ts'
import { walletOf } from './wallet.ts'

/** What an engine stands on: what it knows, the chains, where it remembers, whose requests it answers, the time and new ids. */
export type EngineNeeds = {
  catalog: Catalog
  rpc: (chainId: number) => Rpc
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
