import { parseAbi } from 'viem/utils'
import { z } from 'zod'
import { CatalogAddress, type Hex, HexData, nativeAddress, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { addSlippage, subtractSlippage } from '../../domain/slippage.ts'
import type { CowConstants } from '../../protocols/catalog-types.ts'
import { firstTransaction } from '../find-first-transaction.ts'
import type { SwapProvider } from '../provider.ts'
import { badAnswer, type ProviderApi, providerApi } from '../provider-api.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { settlementAbi as abi, orderWindow } from './abi.ts'
import { preSign } from './encode.ts'
import { boughtIn, fillQuery, signedIn } from './fill.ts'
import { appDocument, appHash, isSameUid, orderEnd, orderOf, partsOfUid, uidOf } from './order.ts'

/** The name of CoW Protocol among the providers. */
export const provider = 'cow'
const label = 'CoW Protocol'

/** A chain whose order book is known. */
type CowEnd = CowConstants & { api: string }

/** What an offer keeps for its transaction; it is stored as JSON. `shift` keeps orders of the same second apart. */
type Raw = { exact: 'in' | 'out'; shift: number; fromBlock: string }

const Amount = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt)

/** What is used of an answer of `/quote` (`OrderQuoteResponse` of `@cowprotocol/sdk-order-book` 4.1.0). */
const Quoted = z.object({
  quote: z.object({
    sellToken: CatalogAddress,
    buyToken: CatalogAddress,
    sellAmount: Amount,
    buyAmount: Amount,
    feeAmount: Amount,
    kind: z.enum(['sell', 'buy']),
    partiallyFillable: z.literal(false),
  }),
  id: z.int().nonnegative().nullish(),
})
const Refusal = z.object({ errorType: z.string() })

/** The words of an answer without a quote: no liquidity, tokens that are not traded. */
const noQuote = ['NoLiquidity', 'UnsupportedToken', 'UnsupportedOrderType', 'ZeroAmount']

/** What the order book does not take, in our words, by its own (`OrderPostError` of the same package). */
const refusals: Readonly<Record<string, string>> = {
  InsufficientBalance: 'the wallet has less than it sells',
  InsufficientValidTo: 'it could be filled for too short a time',
  ExcessiveValidTo: 'it could be filled for too long a time',
  TransferSimulationFailed: 'the token cannot be moved',
  TooManyLimitOrders: 'the wallet has too many open orders',
  UnsupportedToken: 'one of its tokens is not traded',
}

/** What a pre-signature uses, in units of gas, as measured on the contract. */
const preSignatureGas = 60_000n

/** The clock of a chain (source: Multicall3). */
const functionName = 'getCurrentBlockTimestamp'
const clockAbi = parseAbi(['function getCurrentBlockTimestamp() view returns (uint256)'])

/** The least time beyond the deadline of the quote for which an order of ours can be filled, in seconds; clocks differ. */
const leastWindow = orderWindow / 3

/** How many orders of the same second are kept apart by the second until which they are good. */
const shifts = 300

/**
 * Swaps by orders of CoW Protocol that the wallet signs on the chain: solvers fill them whole, for no less than they say, or nobody does
 * and nothing was taken. The order book has quotes, and must know an order before solvers see it.
 */
export function cow(
  chains: readonly CowEnd[],
  {
    exchangeJson,
    read,
    head,
    log,
    mined,
  }: Pick<SwapDependencies, 'exchangeJson' | 'read' | 'head' | 'log' | 'mined'>,
): SwapProvider {
  const on = (chainId: number) => chains.find((one) => one.chainId === chainId)
  const bookOf = ({ api }: CowEnd): ProviderApi =>
    providerApi({ provider, label, base: `${api}/api/v1`, headers: {} }, exchangeJson)
  return {
    name: provider,
    asksService: true,
    supports: ({ from, to, tokenIn, tokenOut }) =>
      from.chainId === to.chainId &&
      on(from.chainId) !== undefined &&
      !sameAddress(tokenIn.address, tokenOut.address) &&
      [tokenIn, tokenOut].every(({ address }) => !sameAddress(address, nativeAddress)),

    async quote({ from, tokenIn, tokenOut, exact, amount, slippage, refund }, signal) {
      const here = on(from.chainId)!
      const { status, body } = await bookOf(here).post(
        '/quote',
        {
          sellToken: tokenIn.address,
          buyToken: tokenOut.address,
          // The wallet is not known before the quote is taken.
          from: refund ?? nativeAddress,
          appData: appDocument,
          appDataHash: appHash,
          partiallyFillable: false,
          sellTokenBalance: 'erc20',
          buyTokenBalance: 'erc20',
          signingScheme: 'presign',
          onchainOrder: true,
          validFor: orderWindow,
          kind: exact === 'in' ? 'sell' : 'buy',
          [exact === 'in' ? 'sellAmountBeforeFee' : 'buyAmountAfterFee']: String(amount),
        },
        signal,
      )
      const found = status === 200 ? Quoted.safeParse(body).data : undefined
      if (!found) {
        const refused = Refusal.safeParse(body).data?.errorType ?? ''
        if (noQuote.includes(refused)) return undefined
        if (refused === 'SellAmountDoesNotCoverFee')
          throw new AppError(
            'QUOTE_GENERATION_FAILED',
            'This amount does not cover what its fill by CoW Protocol costs',
            { details: { provider }, hint: 'Try a larger amount.' },
          )
        throw badAnswer(provider, `${label} did not answer with a quote`, status)
      }
      const { sellToken, buyToken, sellAmount, buyAmount, feeAmount, kind } = found.quote
      const amountIn = sellAmount + feeAmount
      const isAsked =
        sameAddress(sellToken, tokenIn.address) &&
        sameAddress(buyToken, tokenOut.address) &&
        kind === (exact === 'in' ? 'sell' : 'buy') &&
        (exact === 'in' ? amountIn : buyAmount) === amount
      if (!isAsked)
        throw badAnswer(provider, `${label} answered with another swap than was asked for`, status)
      if (sellAmount === 0n || buyAmount === 0n) return undefined
      const raw: Raw = {
        exact,
        shift: (found.id ?? 0) % shifts,
        fromBlock: String(await head(from.chainId)),
      }
      return {
        amountIn,
        amountOut: buyAmount,
        maxAmountIn: exact === 'in' ? amount : addSlippage(amountIn, slippage),
        minAmountOut: exact === 'in' ? subtractSlippage(buyAmount, slippage) : amount,
        // The order names no fee: a solver keeps what its fill costs of the amounts.
        fees:
          feeAmount === 0n
            ? []
            : [{ kind: 'network', token: tokenIn.address, chainId: from.chainId, amount: String(feeAmount) }],
        raw,
        gas: preSignatureGas,
        // Nobody knows which auction an order wins.
        seconds: null,
      }
    },

    async build(
      { from, tokenIn, tokenOut },
      { maxAmountIn, minAmountOut, raw },
      { wallet, recipient, deadline },
    ) {
      const here = on(from.chainId)!
      const { exact, shift } = raw as Raw
      const order = orderOf(
        { tokenIn, tokenOut },
        { exact, amountIn: maxAmountIn, amountOut: minAmountOut },
        { recipient, validTo: deadline + leastWindow + shift },
      )
      const uid = uidOf(here, order, wallet)
      const { status, body } = await bookOf(here).post('/orders', {
        ...order,
        sellAmount: String(order.sellAmount),
        buyAmount: String(order.buyAmount),
        feeAmount: '0',
        partiallyFillable: false,
        sellTokenBalance: 'erc20',
        buyTokenBalance: 'erc20',
        appData: appDocument,
        appDataHash: appHash,
        from: wallet,
        signingScheme: 'presign',
        signature: wallet,
      })
      const named = HexData.safeParse(body).data
      const refusal = named === undefined ? Refusal.safeParse(body).data?.errorType : undefined
      if (refusal !== undefined && Object.hasOwn(refusals, refusal))
        throw new AppError(
          'PROVIDER_API_ERROR',
          `The order book of ${label} does not take the order: ${refusals[refusal]}`,
          { details: { provider, status } },
        )
      // The same quote is built again with the same order, which it then has already.
      if (refusal !== 'DuplicatedOrder' && (named === undefined || !isSameUid(named, uid)))
        throw badAnswer(
          provider,
          named === undefined
            ? `${label} did not take the order`
            : `${label} took another order than was made here`,
          status,
        )
      return {
        transaction: preSign({ chainId: from.chainId, settlement: here.settlement, uid }),
        needs: { token: tokenIn.address, spender: here.vaultRelayer, amount: maxAmountIn },
      }
    },

    async status({ from }, { raw }, origin) {
      const { settlement, chainId } = on(from.chainId)!
      const placed = await mined(chainId, origin)
      const uid = placed?.ok ? signedIn(placed.logs, settlement) : undefined
      if (!placed || !uid) return { status: 'confirmed' }
      const end = await endOf(uid)
      if (end === undefined || end === 'open') return { status: 'processing' }
      if (end !== 'filled') {
        // An end without a fill counts once it was so as many blocks ago as make it final: a node that is behind does not know the order yet.
        const old = (await head(chainId)) - BigInt(from.depth - 1)
        const then = old < placed.blockNumber ? undefined : await endOf(uid, old)
        return { status: then === 'expired' || then === 'cancelled' ? 'failed' : 'processing' }
      }
      const destination = await fillOf(uid, BigInt((raw as Raw).fromBlock))
      // A node that shows no event of it now may do so later.
      return destination ? { status: 'fulfilled', destination } : { status: 'processing' }

      /** The state of an order, at the newest block or the given one; `undefined` if the settlement does not answer. */
      async function endOf(order: Hex, at?: bigint): Promise<ReturnType<typeof orderEnd> | undefined> {
        const of = (functionName: string) => ({ address: settlement, abi, functionName, args: [order] })
        const clock = from.multicall3 && { address: from.multicall3, abi: clockAbi, functionName }
        const [filled, signed, time] = await read(
          chainId,
          {
            reads: [of('filledAmount'), of('preSignature'), ...(clock ? [clock] : [])],
            parse: ([first, second, third]) => [first, second, third] as const,
          },
          at,
        )
        if (typeof filled !== 'bigint' || typeof signed !== 'bigint') return undefined
        const isPast = typeof time === 'bigint' && time > BigInt(partsOfUid(order)!.validTo)
        return orderEnd(filled, signed, isPast)
      }

      function fillOf(order: Hex, fromBlock: bigint): Promise<Hex | undefined> {
        return firstTransaction(
          { log, mined },
          chainId,
          fillQuery(settlement, order),
          fromBlock,
          ({ logs }) => boughtIn(logs, settlement, order) !== undefined,
        )
      }
    },
  }
}
