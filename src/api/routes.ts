import { z } from 'zod'
import { EvmAddress, Hash } from '../domain/address.ts'
import { Action } from './action.ts'
import { Analytics } from './analytics.ts'
import { Customer, Fees, FeesInput } from './customer-and-fees.ts'
import { PageOf } from './page.ts'
import { History } from './position-history.ts'
import { Quote, QuoteAnswer, QuoteInput } from './quote.ts'
import { Recommendation, RecommendationInput } from './recommendation.ts'
import { StrategyDetail } from './strategy.ts'
import { SwapStatus } from './swap-status.ts'
import { ChainId } from './transaction.ts'
import { TransferBytecode, TransferInput } from './transfer.ts'
import {
  StrategyBytecode,
  StrategyBytecodeInput,
  SwapBytecode,
  SwapBytecodeInput,
} from './unsigned-transactions.ts'
import { Wallet } from './wallet-positions.ts'
import { Name, pagingFields } from './wire-fields.ts'

/** A row of the HTTP contract. Path parameters come from `input`; the other fields are the query of a GET, or the body of a POST or PUT. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  input: z.ZodType
  output: z.ZodType
  doc: string
}

const nothing = z.object({})
const BitcoinHash = z.string().regex(/^[0-9a-fA-F]{64}$/, 'expected the hash of a Bitcoin transaction')

/** The whole HTTP contract. The type `Service`, the client, the server and the OpenAPI document are derived from this table. */
export const routes = {
  recommend: {
    method: 'GET',
    path: '/yield/{identifier}',
    input: RecommendationInput,
    output: Recommendation,
    doc: 'The strategy with the highest APY for an asset or a category, and its transactions when wallet and amount are sent. Ours: `compared` says how many of the rates beside it are paid now, how many are growth of the last week, and which is the best of each kind.',
  },
  listStrategies: {
    method: 'GET',
    path: '/strategies',
    input: z.object(pagingFields),
    output: PageOf(StrategyDetail),
    doc: 'The strategies that are active for this customer, a page at a time.',
  },
  analytics: {
    method: 'GET',
    path: '/strategies/analytics',
    input: nothing,
    output: Analytics,
    doc: 'Total value locked, average APY, count, and the best strategies.',
  },
  getStrategy: {
    method: 'GET',
    path: '/strategies/{id}',
    input: z.object({ id: Name }),
    output: StrategyDetail,
    doc: 'One strategy, by id or slug.',
  },
  strategyBytecode: {
    method: 'GET',
    path: '/strategies/{id}/bytecode',
    input: StrategyBytecodeInput,
    output: StrategyBytecode,
    doc: 'The ordered transactions that deposit into (lend) or withdraw from a strategy. An amount of 2^256 - 1 withdraws all. `from` is for `lend`, where the funds are on another network; `slippage` counts where a strategy is bought and sold at a price that moves, and has no effect elsewhere. Ours: `claim`, the second step of a withdrawal that is queued, takes all that can be claimed (its amount is 2^256 - 1), and `queued` says that a withdrawal is one.',
  },
  getWallet: {
    method: 'GET',
    path: '/wallets/{address}',
    input: z.object({ address: EvmAddress }),
    output: Wallet,
    doc: 'The positions of a wallet with principal, profit and USD value. Ours: `pending` and `claimable` of a position are withdrawals that are queued: parts of neither balance nor total; `stats`, what it has lent and borrowed as collateral and debt, `null` where there is neither; and `unread`, the strategies whose contracts do not say what it holds there or what that is worth: then `balance` is `null`, and the total is without it.',
  },
  walletHistory: {
    method: 'GET',
    path: '/wallets/{address}/history/{strategyId}',
    input: z.object({ address: EvmAddress, strategyId: Name, ...pagingFields }),
    output: History,
    doc: 'What a wallet did in a strategy, newest first. Ours: `whole` is `false` where that does not account for all that it holds there, as some of it came by ways of which no log says whose it is, or as the node leaves logs out.',
  },
  getAction: {
    method: 'GET',
    path: '/actions/{id}',
    input: z.object({ id: Name }),
    output: Action,
    doc: 'A tracked operation.',
  },
  ingest: {
    method: 'POST',
    path: '/actions/ingest/wallet',
    input: z.object({
      actionId: Name,
      event: z.enum(['SIGNED', 'TX_FAILED']),
      txHash: Hash.optional(),
      chainId: ChainId.optional(),
    }),
    output: Action,
    doc: 'Ours, optional: a client tells the hash of a transaction that it signed for an action. Without it the transaction is found on chain. One that no node has seen is taken without an error, as it may be seen later; how it went, also after TX_FAILED, only the chain says, and a word without `txHash` changes nothing.',
  },
  listQuotes: {
    method: 'GET',
    path: '/quotes',
    input: z.object({
      originChain: Name.optional(),
      destinationChain: Name.optional(),
      provider: Name.optional(),
      ...pagingFields,
    }),
    output: PageOf(Quote),
    doc: 'The quotes given to this customer, newest first, without rawQuote. Networks are names or chain ids; one that is none, and a provider that is none, is refused. `status` is as it was last looked at; the status of a swap looks anew.',
  },
  quote: {
    method: 'GET',
    path: '/v2/swap/quote',
    input: QuoteInput,
    output: QuoteAnswer,
    doc: 'The best quote for a swap; it lives for 5 minutes.',
  },
  swapBytecode: {
    method: 'POST',
    path: '/v2/swap/bytecode',
    input: SwapBytecodeInput,
    output: SwapBytecode,
    doc: 'The transactions of a quote, which is sent back exactly as it was given. `transactionData` is one object, `approveData` what must be sent before it and `feeData` (ours) what pays a fee after it, if the transaction does not pay it itself (`paidBy` of a fee of the quote is `action`, not `step`); `order` (ours) says so. `gasLimit` is `null` where none can be estimated, and `gasLimitReason` (ours) says why. Inside `swapDetails` and `rawSwapData` the shape is ours.',
  },
  swapStatus: {
    method: 'GET',
    path: '/v2/swap/status/{id}',
    input: z.object({ id: Name, btcTxHash: BitcoinHash.optional() }),
    output: SwapStatus,
    doc: 'Where a swap stands, with the hashes of origin and destination. `btcTxHash` is the deposit of a swap that begins on Bitcoin; without it, the deposit is looked for at its address.',
  },
  transferBytecode: {
    method: 'POST',
    path: '/transfer/bytecode',
    input: TransferInput,
    output: TransferBytecode,
    doc: 'The transaction of a plain transfer of a token or the native coin (zero address).',
  },
  customer: {
    method: 'GET',
    path: '/customers/by-api-key',
    input: nothing,
    output: Customer,
    doc: 'Whose API key it is. The shape is ours.',
  },
  getFees: {
    method: 'GET',
    path: '/fees',
    input: nothing,
    output: Fees,
    doc: 'What is charged for this customer: the fees of the operator, and its own markup. Path and shape are ours.',
  },
  setFees: {
    method: 'PUT',
    path: '/fees',
    input: FeesInput,
    output: Fees,
    doc: 'Changes the markup of this customer, within what the operator allows, and who collects it; a collector of `null` takes it away. The fees of the operator are set on the server alone. Path and shape are ours.',
  },
} as const satisfies Record<string, Route>
