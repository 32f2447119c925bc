import { parseAbi } from 'viem/utils'
import { z } from 'zod'
import { contract } from '../../chain/call.ts'
import { CatalogAddress, type Hex, HexData, nativeAddress, sameAddress } from '../../domain/address.ts'
import { addSlippage, subtractSlippage } from '../../domain/slippage.ts'
import { firstTransaction } from '../find-first-transaction.ts'
import type { SwapProvider } from '../provider.ts'
import { type ProviderApi, providerApi, unusableResponseError } from '../provider-api.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { differingFields } from '../service-answers/asked-fields.ts'
import { settlementAbi as abi, orderWindow } from './abi.ts'
import type { CowConstants } from './constants-schema.ts'
import { preSign } from './encode.ts'
import { boughtAmount, fillQuery, preSignedUid } from './fill.ts'
import { appDocument, appHash, isSameUid, orderEnd, orderOf, partsOfUid, uidOf } from './order.ts'
import { refusals } from './refusals.ts'

/** The provider name of CoW Protocol. */
export const provider = 'cow'
const label = 'CoW Protocol'

/** A chain with its order book. */
type CowEnd = CowConstants & { api: string }

/** The provider data of an offer; it is stored as JSON. `shift` separates orders of the same second. */
type Raw = { exact: 'in' | 'out'; shift: number; fromBlock: string }

const Amount = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt)

/** The used fields of a `/quote` response (`OrderQuoteResponse` of `@cowprotocol/sdk-order-book` 4.1.0). */
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
/** The refusal of an order that the order book already has. */
const Duplicate = z.object({ errorType: z.literal('DuplicatedOrder') })

/** The gas of a pre-signature, in units, measured on the contract. */
const preSignatureGas = 52_000n

/** The clock of a chain (source: Multicall3). */
const functionName = 'getCurrentBlockTimestamp'
const clockAbi = parseAbi(['function getCurrentBlockTimestamp() view returns (uint256)'])

/** The minimum time that our orders can be filled after the quote's deadline, in seconds; clocks differ. */
const leastWindow = orderWindow / 3

/** The number of orders of one second that different expiry times keep apart. */
const shifts = 300

/**
 * A provider of swaps by orders of CoW Protocol that the wallet signs on chain. Solvers fill an order whole and within its bounds; an
 * unfilled order takes nothing. The order book quotes, and must accept an order before solvers see it.
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
    providerApi(
      { provider, label, service: 'cow', base: `${api}/api/v1`, headers: {}, refusals },
      exchangeJson,
    )
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
      const book = bookOf(here)
      const answer = await book.post(
        '/quote',
        {
          sellToken: tokenIn.address,
          buyToken: tokenOut.address,
          // The wallet may still be unknown at the time of the quote.
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
      const { status } = answer
      const found = status === 200 ? Quoted.safeParse(answer.body).data : undefined
      if (!found) throw book.refused(answer, 'did not return a quote')
      const { sellToken, buyToken, sellAmount, buyAmount, feeAmount, kind } = found.quote
      const amountIn = sellAmount + feeAmount
      const other = differingFields({
        sellToken: [tokenIn.address, sellToken],
        buyToken: [tokenOut.address, buyToken],
        kind: [exact === 'in' ? 'sell' : 'buy', kind],
        ...(exact === 'in'
          ? { 'sellAmount with feeAmount': [amount, amountIn] }
          : { buyAmount: [amount, buyAmount] }),
      })
      if (other)
        throw unusableResponseError(
          provider,
          `${label} returned another swap than requested: ${other}`,
          status,
        )
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
        // The order has no fee field: solvers take their costs from the amounts.
        fees:
          feeAmount === 0n
            ? []
            : [{ kind: 'network', token: tokenIn.address, chainId: from.chainId, amount: String(feeAmount) }],
        raw,
        gas: preSignatureGas,
        // The auction that fills an order cannot be predicted.
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
      const book = bookOf(here)
      const answer = await book.post('/orders', {
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
      const named = HexData.safeParse(answer.body).data
      const { data: refused } = Duplicate.safeParse(answer.body)
      // Building the same quote again makes the same order, which the order book already has.
      if (named === undefined && !refused) throw book.refusedCall(answer, 'did not accept the order')
      const other =
        named === undefined || isSameUid(named, uid) ? undefined : differingFields({ uid: [uid, named] })
      if (other)
        throw unusableResponseError(
          provider,
          `${label} accepted another order than was sent: ${other}`,
          answer.status,
        )
      return {
        transaction: preSign({ chainId: from.chainId, settlement: here.settlement, uid }),
        needs: { token: tokenIn.address, spender: here.vaultRelayer, amount: maxAmountIn },
      }
    },

    async status({ from }, { raw }, origin) {
      const { settlement, chainId } = on(from.chainId)!
      const placed = await mined(chainId, origin)
      const uid = placed?.ok ? preSignedUid(placed.logs, settlement) : undefined
      if (!placed || !uid) return { status: 'confirmed' }
      const end = await endOf(uid)
      if (end === undefined || end === 'open') return { status: 'processing' }
      if (end !== 'filled') {
        // An expiry or cancellation is final once it also holds at the final depth; a node that is behind does not know the order yet.
        const old = (await head(chainId)) - BigInt(from.depth - 1)
        const then = old < placed.blockNumber ? undefined : await endOf(uid, old)
        return { status: then === 'expired' || then === 'cancelled' ? 'failed' : 'processing' }
      }
      // A fill before the signature was for an earlier signature.
      const since = Math.max(Number((raw as Raw).fromBlock), placed.blockNumber)
      const destination = await fillOf(uid, BigInt(since))
      // The node may show the event later.
      return destination ? { status: 'fulfilled', destination } : { status: 'processing' }

      /** The state of an order at a block, by default the newest; `undefined` if the settlement does not answer. */
      async function endOf(order: Hex, at?: bigint): Promise<ReturnType<typeof orderEnd> | undefined> {
        const of = (functionName: string) => contract(settlement, abi)(functionName, order)
        const clock = from.multicall3 && contract(from.multicall3, clockAbi)(functionName)
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
          ({ logs }) => boughtAmount(logs, settlement, order) !== undefined,
        )
      }
    },
  }
}
