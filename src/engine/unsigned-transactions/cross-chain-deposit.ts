import type { Quote } from '../../api/quote.ts'
import type { StrategyBytecodeInput } from '../../api/unsigned-transactions.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Network } from '../../domain/networks.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { Market, MarketState } from '../../protocols/market-adapter.ts'
import type { QuoteRow } from '../../store/engine/action-tables.ts'
import { cctpV2Contracts } from '../../swaps/cctp-v2/constants-schema.ts'
import { contractsOn } from '../../swaps/swap-contracts.ts'
import type { EngineContext } from '../engine.ts'
import { newQuote } from '../quotes/create-quote.ts'
import { offerOf, providerNamed, routeOf } from '../quotes/stored-quote.ts'
import { kindsOf, withApprovals } from './approvals.ts'
import { requireDepositOpen } from './deposit.ts'

/** The token on another network that a bridge converts to the asset of a market; `undefined` if no bridge does. */
export function bridgedTokenOn(
  { catalog }: EngineContext,
  { entry }: Market,
  chainId: number,
): Address | undefined {
  const end = (wanted: number) => contractsOn(catalog, cctpV2Contracts, wanted)
  const [here, there] = [end(chainId), end(entry.chainId)]
  if (!here || !there || !sameAddress(there.token, entry.asset.address)) return undefined
  return here.attestation !== null && here.attestation === there.attestation ? here.token : undefined
}

/** Whether bridged funds can be deposited. They arrive later, so a market with a moving price cannot be quoted for them now. */
export const acceptsBridgedFunds = ({ exchange }: Market): boolean => exchange === undefined

/**
 * Builds a deposit of funds on another chain: the transfer with the highest minimum first, then the deposit of that minimum. Deposits are
 * not charged. The quote, in `row`, is not stored yet.
 */
export async function crossChainDeposit(
  context: EngineContext,
  { amount, wallet }: StrategyBytecodeInput,
  market: Market,
  state: MarketState,
  from: Network,
  to: Network,
): Promise<{
  type: string
  bytecode: Transaction[]
  kinds: string[]
  chainIdIn: number
  quote: Quote
  queued: null
  row: QuoteRow
}> {
  const { asset, slug } = market.entry
  if (!acceptsBridgedFunds(market))
    throw new AppError(
      'NO_ROUTE_FOUND',
      `The price of ${slug} may change during a bridge transfer: bridge ${asset.symbol} to ${to.name} first`,
    )
  const token = bridgedTokenOn(context, market, from.chainId)
  if (token === undefined)
    throw new AppError('NO_ROUTE_FOUND', `No bridge carries ${asset.symbol} from ${from.name} to ${to.name}`)
  // Only transfers whose minimum is proved are used, because the deposit spends it.
  const proved = { ...context, providers: context.providers.filter(({ isUnproven }) => !isUnproven) }
  const { quote, row } = await newQuote(
    proved,
    {
      chainIdIn: from.chainId,
      chainIdOut: to.chainId,
      tokenIn: token,
      tokenOut: asset.address,
      amountIn: amount,
      destinationAddress: wallet,
    },
    [],
    { isSpent: true, choice: 'output' },
  )
  const offer = offerOf(row)
  requireDepositOpen(market, state, offer.minAmountOut)
  const route = routeOf(context, row)
  const transfer = await providerNamed(context, quote.provider).build(route, offer, {
    wallet,
    recipient: wallet,
    deadline: Math.floor(row.expiresAt / 1000),
  })
  const away = await withApprovals(context.chain(from.chainId), wallet, transfer, route.tokenIn)
  const home = await withApprovals(
    context.chain(to.chainId),
    wallet,
    market.deposit({ amount: offer.minAmountOut, owner: wallet }),
  )
  return {
    type: 'CROSSCHAIN_INVESTMENT_DEPOSIT',
    bytecode: [...away, ...home],
    kinds: [...kindsOf(away, 'bridge'), ...kindsOf(home, 'deposit')],
    chainIdIn: from.chainId,
    quote,
    queued: null,
    row,
  }
}
