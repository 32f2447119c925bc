import { z } from 'zod'
import { EvmAddress, Hash } from '../domain/address.ts'
import { actionStatuses } from '../domain/swap-outcome.ts'
import { Action } from './action.ts'
import { Customer, Fees, FeesInput } from './customer-and-fees.ts'
import { PageOf, QuickstartPageOf } from './page.ts'
import { History } from './position-history.ts'
import { Quote, QuoteAnswer, QuoteInput } from './quote.ts'
import { Recommendation, RecommendationInput } from './recommendation.ts'
import { StrategyComposite, StrategyDetail } from './strategy.ts'
import { Analytics } from './strategy-totals.ts'
import { SwapStatus } from './swap-status.ts'
import { ChainId } from './transaction.ts'
import { TransferBytecode, TransferInput } from './transfer.ts'
import {
  StrategyBytecode,
  StrategyBytecodeInput,
  SwapBytecode,
  SwapBytecodeInput,
} from './unsigned-transactions.ts'
import { QuickstartWallet, Wallet } from './wallet-positions.ts'
import { eventRoutes } from './webhooks.ts'
import { Name, pagingFields } from './wire-fields.ts'

/**
 * A row of the HTTP contract. Path parameters come from `input`; the other fields are the query of a GET, or the body of a POST or PUT.
 * `quickstart` is the shape of the answer if a GET asks for it with `?shape=quickstart`; `output` is the default (`reference`).
 */
export type HttpRoute = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  input: z.ZodType
  output: z.ZodType
  quickstart?: z.ZodType
  doc: string
}

/** The shapes that a request may ask for, the default first, where a route has two. */
export const answerShapes = ['reference', 'quickstart'] as const

const nothing = z.object({})
const BitcoinHash = z.string().regex(/^[0-9a-fA-F]{64}$/, 'expected the hash of a Bitcoin transaction')

/** The whole HTTP contract. The type `Service`, the client, the server and the OpenAPI document are derived from this table. */
export const routes = {
  recommend: {
    method: 'GET',
    path: '/yield/{identifier}',
    input: RecommendationInput,
    output: Recommendation,
    doc: 'The strategy with the highest APY for an asset or a category, and its transactions when wallet and amount are sent. Extension: `compared` counts the compared strategies for each kind of rate (paid now, or growth of the last week), and names the best of each kind.',
  },
  listStrategies: {
    method: 'GET',
    path: '/strategies',
    input: z.object(pagingFields),
    output: PageOf(StrategyDetail),
    quickstart: QuickstartPageOf(StrategyComposite),
    doc: 'The active strategies of this customer, in pages. With `shape=quickstart` they are in the id-composite form (APY as a fraction), in the envelope `data` and `pagination` (`page`, `limit`, `total`, `totalPages`, `hasMore`).',
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
    doc: 'The ordered transactions that deposit into (lend) or withdraw from a strategy. An amount of 2^256 - 1 withdraws all. `from` applies to `lend` if the funds are on another network; `slippage` applies to strategies with a moving price and has no effect elsewhere. Extensions: `claim` is the second step of a queued withdrawal and takes all that can be claimed (its amount is 2^256 - 1); `queued` marks a queued withdrawal.',
  },
  getWallet: {
    method: 'GET',
    path: '/wallets/{address}',
    input: z.object({ address: EvmAddress }),
    output: Wallet,
    quickstart: QuickstartWallet,
    doc: 'The positions of a wallet with principal, profit and USD value. `earned` is after the fee of the service (`performanceFee`), and `totalValueUSD` after the debt (`debtUSD`). With `shape=quickstart`: `spotPosition` of each position, and `summary`, the sum of the positions. Extensions: `pending` and `claimable` of a position are queued withdrawals, which count neither in its balance nor in the total; `stats` is collateral and debt, `null` without either; `unread` lists the strategies whose contracts did not give a balance or its value: their `balance` is `null` and not in the total.',
  },
  walletHistory: {
    method: 'GET',
    path: '/wallets/{address}/history/{strategyId}',
    input: z.object({ address: EvmAddress, strategyId: Name, ...pagingFields }),
    output: History,
    doc: 'The history of a wallet in a strategy, newest first. Extension: `whole` is `false` if the events do not account for the whole balance, because logs do not name the owner of a part of it, or the node omits logs.',
  },
  listActions: {
    method: 'GET',
    path: '/actions',
    input: z.object({
      wallet: EvmAddress.optional(),
      status: z.enum(actionStatuses).optional(),
      id: Name.optional(),
      ...pagingFields,
    }),
    output: PageOf(Action),
    doc: 'Extension: the actions of this customer, newest first, without those of dry runs. `wallet` is the wallet that sends them. `status` selects by the status that was last seen; the answer has the status of now, except for actions whose chain does not answer. `id` is the beginning of an id, or the hash of a transaction.',
  },
  getAction: {
    method: 'GET',
    path: '/actions/{id}',
    input: z.object({ id: Name }),
    output: Action,
    doc: 'One action: a tracked deposit, withdrawal, swap or transfer.',
  },
  ingest: {
    method: 'POST',
    path: '/actions/ingest/wallet',
    input: z.object({
      actionId: Name,
      event: z.enum(['SIGNED', 'TX_FAILED', 'CANCELLED']),
      txHash: Hash.optional(),
      chainId: ChainId.optional(),
    }),
    output: Action,
    doc: 'Extension, optional: reports the hash of a transaction that the client signed for an action. Without a report the transaction is found on chain. A hash that no node knows is accepted, because a node may see it later. Only the chain decides the outcome, also after TX_FAILED. CANCELLED says that the client sends no more of the action: it ends as FAILED once its chains show none of its transactions pending, and a transaction that is reported later counts. SIGNED without `txHash` lists the action of a dry run.',
  },
  listQuotes: {
    method: 'GET',
    path: '/quotes',
    input: z.object({
      originChain: Name.optional(),
      destinationChain: Name.optional(),
      provider: Name.optional(),
      id: Name.optional(),
      ...pagingFields,
    }),
    output: PageOf(Quote),
    doc: 'The quotes given to this customer, newest first, without rawQuote. `id` (extension) asks for the quotes whose id it is or begins, listed or not. Networks are names or chain ids; an unknown network or provider is refused. `status` is the one that the status endpoint of the swap returns, read again while the swap may change. Quotes that were requested for a comparison or a dry run (extension: request header `x-sluice-draft`, any value) are listed once a swap is executed with them.',
  },
  quote: {
    method: 'GET',
    path: '/v2/swap/quote',
    input: QuoteInput,
    output: QuoteAnswer,
    doc: 'The quote with the best expected output, or the lowest input of an exact output, of all providers or of the preferred one; valid for 5 minutes. A provider whose minimum nothing proves, or that needs two approvals, is taken only if no other has a quote. Extensions: `alternatives` has the offers of the other providers, the better first, and the faster speed of this one; `estimatedGas` is the gas of all transactions, with the approvals of a wallet that has given none (of the refund address, if it is named); `netAmountOut` and `netAmountIn` are the amounts after gas; `priceImpact` is the loss against the spot price, service fees aside. An output more than 3 % above spot is no quote.',
  },
  swapBytecode: {
    method: 'POST',
    path: '/v2/swap/bytecode',
    input: SwapBytecodeInput,
    output: SwapBytecode,
    doc: 'The transactions of a quote. The quote must be sent unchanged. `transactionData` is the swap; `approveData` must be sent before it, and `feeData` (extension) after it, unless the swap pays the fee itself (`paidBy` of a fee is then `action`, not `step`); `order` (extension) lists them. `gasLimit` is `null` if it cannot be estimated, and `gasLimitReason` (extension) says why. The specification leaves the contents of `swapDetails` and `rawSwapData` open.',
  },
  swapStatus: {
    method: 'GET',
    path: '/v2/swap/status/{id}',
    input: z.object({ id: Name, btcTxHash: BitcoinHash.optional() }),
    output: SwapStatus,
    doc: 'The status of a swap, with the hashes of origin and destination. `btcTxHash` is the deposit of a swap from Bitcoin; without it, the deposit is looked up at its address.',
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
    doc: 'The customer of the API key. The specification leaves the shape open.',
  },
  getFees: {
    method: 'GET',
    path: '/fees',
    input: nothing,
    output: Fees,
    doc: 'The fees of this customer: those of the operator and its own markup. Path and shape are an extension.',
  },
  setFees: {
    method: 'PUT',
    path: '/fees',
    input: FeesInput,
    output: Fees,
    doc: 'Changes the markup of this customer (up to the limit of the operator) and its collector; `null` removes the collector. The fees of the operator can be set only on the server. Path and shape are an extension.',
  },
  ...eventRoutes,
} as const satisfies Record<string, HttpRoute>
