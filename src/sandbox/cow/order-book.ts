import { encodeFunctionData, parseAbi } from 'viem/utils'
import { z } from 'zod'
import { callAt } from '../../chain/eth-call.ts'
import { type Address, CatalogAddress, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { wrappedOn } from '../../domain/token.ts'
import { settlementAbi } from '../../swaps/cow/abi.ts'
import { cowContracts } from '../../swaps/cow/constants-schema.ts'
import { appHash, type CowOrder, uidOf } from '../../swaps/cow/order.ts'
import { contractsOn } from '../../swaps/swap-contracts.ts'
import { publishedAbi } from '../genesis/artifacts.ts'
import type { LoopbackAnswer } from '../loopback-server.ts'
import { sendMined } from '../mined-transactions.ts'
import { bestOf, chainOfNode, openExchanges, quotesOf, tokenOf } from '../pool-quotes.ts'
import type { SandboxNode, StandInOptions } from '../stand-in-option-types.ts'

/** Returns the path of a chain's order book below the base URL of the sandbox services. */
export const orderBookPath = (network: string): string => `/cow/${network}`

const Units = z
  .string()
  .regex(/^\d{1,77}$/)
  .transform(BigInt)
const Tokens = z.object({ sellToken: CatalogAddress, buyToken: CatalogAddress })
const QuoteRequest = z.union([
  Tokens.extend({ kind: z.literal('sell'), sellAmountBeforeFee: Units }),
  Tokens.extend({ kind: z.literal('buy'), buyAmountAfterFee: Units }),
])
const OrderRequest = Tokens.extend({
  kind: z.enum(['sell', 'buy']),
  receiver: CatalogAddress,
  sellAmount: Units,
  buyAmount: Units,
  validTo: z.int().positive(),
  feeAmount: z.literal('0'),
  partiallyFillable: z.literal(false),
  appDataHash: z.literal(appHash),
  from: CatalogAddress,
  signingScheme: z.literal('presign'),
  signature: CatalogAddress,
})

const refused = (errorType: string): LoopbackAnswer => ({
  status: 400,
  body: { errorType, description: `the sandbox says ${errorType}` },
})

/**
 * Gas of a fill, and the solver's share of an order in parts per thousand. It is never the best offer in the sandbox.
 */
const [fillGas, keptParts] = [400_000n, 2n]
const retryAfterMs = 2_000

type OpenOrder = { order: CowOrder; owner: Address; failedAt: number }

/** Inputs of the order books and their solver. The node holds the key of `solver`. */
type BookOptions = StandInOptions & {
  solver: Address
  /** Whether the solver fills nothing. */
  isIdle: () => boolean
}

/**
 * Stands in for the order book of CoW Protocol, with the shapes of its API, and for a solver that fills pre-signed
 * orders from its own funds through the real settlement contract. Orders are kept in memory and end with the daemon.
 */
export function openOrderBooks(options: BookOptions): {
  answer: (request: { url: URL; body: unknown }) => Promise<LoopbackAnswer | undefined>
  /** Fills what can be filled; returns whether an order is open. */
  solve: () => Promise<boolean>
} {
  const books = new Map(options.chains.map((chain) => [chain.network.name, openBook(options, chain)]))
  return {
    answer: async ({ url, body }) => {
      const [, name = '', action = ''] = /^\/cow\/([\w-]+)\/api\/v1\/(quote|orders)$/.exec(url.pathname) ?? []
      const book = books.get(name)
      if (!book) return undefined
      return action === 'quote' ? book.quote(body) : book.place(body)
    },
    solve: async () => {
      let isOpen = false
      for (const book of books.values()) isOpen = (await book.solve()) || isOpen
      return isOpen
    },
  }
}

function openBook({ catalog, solver, now, isIdle, makesBlocks }: BookOptions, node: SandboxNode) {
  const { network, rpc } = node
  const { chainId } = network
  const here = contractsOn(catalog, cowContracts, chainId)
  const wrapped = wrappedOn(catalog, chainId)
  const exchanges = openExchanges(catalog, chainOfNode(catalog, node))
  const open = new Map<Hex, OpenOrder>()
  let ids = 0

  /** The other amount of a swap at the best exchange's quote. */
  const priced = async (
    exact: 'in' | 'out',
    sell: Address,
    buy: Address,
    amount: bigint,
  ): Promise<bigint | undefined> => {
    if (sameAddress(sell, buy)) return amount
    const [tokenIn, tokenOut] = [tokenOf(chainId, sell), tokenOf(chainId, buy)]
    const route = { from: network, to: network, tokenIn, tokenOut }
    const best = bestOf(await quotesOf(exchanges, route, amount, exact), exact)
    return exact === 'in' ? best?.offer.amountOut : best?.offer.amountIn
  }

  /** The cost of filling an order, in units of the sold token. */
  const costOf = async (sell: Address, amount: bigint): Promise<bigint | undefined> => {
    const worth = wrapped && (await priced('in', sell, wrapped, amount))
    if (!worth) return undefined
    const gasPrice = BigInt(await rpc.request<Hex>('eth_gasPrice'))
    return (amount * keptParts) / 1_000n + (amount * fillGas * gasPrice) / worth + 1n
  }

  const call = (to: Address, data: Hex, from?: Address): Promise<Hex> =>
    callAt(rpc, { to, data, ...(from && { from }) })

  async function fill(uid: Hex, one: OpenOrder): Promise<void> {
    const { order, owner } = one
    const { settlement } = here!
    const ask = async (functionName: 'filledAmount' | 'preSignature') =>
      BigInt(await call(settlement, encodeFunctionData({ abi: settlementAbi, functionName, args: [uid] })))
    if ((await ask('filledAmount')) > 0n) return void open.delete(uid)
    if ((await ask('preSignature')) === 0n) return
    const { sellToken, buyToken, kind } = order
    const isSell = kind === 'sell'
    const cost = await costOf(sellToken, order.sellAmount)
    if (cost === undefined || cost >= order.sellAmount) return
    const found = isSell
      ? await priced('in', sellToken, buyToken, order.sellAmount - cost)
      : await priced('out', sellToken, buyToken, order.buyAmount)
    if (found === undefined) return
    const [sold, bought] = isSell ? [order.sellAmount, found] : [found + cost, order.buyAmount]
    if (isSell ? bought < order.buyAmount : sold > order.sellAmount) return
    const move = (functionName: 'transferFrom' | 'transfer', target: Address, args: readonly unknown[]) => ({
      target,
      value: 0n,
      callData: encodeFunctionData({ abi: movesAbi, functionName, args: args as never }),
    })
    const trade = {
      sellTokenIndex: 0n,
      buyTokenIndex: 1n,
      receiver: order.receiver,
      sellAmount: order.sellAmount,
      buyAmount: order.buyAmount,
      validTo: order.validTo,
      appData: appHash,
      feeAmount: 0n,
      // Bit 0 is the fixed side; 0x60 is the pre-signature.
      flags: isSell ? 0x60n : 0x61n,
      executedAmount: 0n,
      signature: owner,
    }
    const data = encodeFunctionData({
      abi: publishedAbi('GPv2Settlement'),
      functionName: 'settle',
      args: [
        [sellToken, buyToken],
        [bought, sold],
        [trade],
        [
          [move('transferFrom', buyToken, [solver, settlement, bought])],
          [],
          [move('transfer', sellToken, [solver, sold])],
        ],
      ],
    })
    try {
      await call(settlement, data, solver)
      await sendMined(rpc, solver, { to: settlement, data }, 1_500_000)
      open.delete(uid)
    } catch {
      // A failed fill, for example for lack of allowance or balance, is retried later.
      one.failedAt = now()
    }
  }

  return {
    quote: async (body: unknown): Promise<LoopbackAnswer> => {
      const asked = QuoteRequest.safeParse(body).data
      if (!asked) return refused('UnsupportedOrderType')
      const { sellToken, buyToken, kind } = asked
      const exactly = kind === 'sell' ? asked.sellAmountBeforeFee : asked.buyAmountAfterFee
      if (!here || exactly === 0n) return refused('NoLiquidity')
      const needed = kind === 'sell' ? exactly : await priced('out', sellToken, buyToken, exactly)
      const cost = needed && (await costOf(sellToken, needed))
      if (!needed || cost === undefined || cost === 0n) return refused('NoLiquidity')
      if (kind === 'sell' && cost >= needed) return refused('SellAmountDoesNotCoverFee')
      const sellAmount = kind === 'sell' ? needed - cost : needed
      const buyAmount = kind === 'sell' ? await priced('in', sellToken, buyToken, sellAmount) : exactly
      if (!buyAmount) return refused('NoLiquidity')
      return {
        status: 200,
        body: {
          quote: {
            sellToken,
            buyToken,
            receiver: null,
            sellAmount: String(sellAmount),
            buyAmount: String(buyAmount),
            validTo: Math.floor(now() / 1_000) + 1_800,
            feeAmount: String(cost),
            kind,
            partiallyFillable: false,
          },
          from: nativeAddress,
          expiration: new Date(now() + 60_000).toISOString(),
          id: ++ids,
          verified: false,
        },
      }
    },
    place: async (body: unknown): Promise<LoopbackAnswer> => {
      const placed = OrderRequest.safeParse(body).data
      if (!placed || !here) return refused('InvalidSignature')
      const { kind, sellToken, buyToken, receiver, sellAmount, buyAmount, validTo, from } = placed
      const order = { kind, sellToken, buyToken, receiver, sellAmount, buyAmount, validTo }
      const uid = uidOf(here, order, from)
      if (open.has(uid)) return refused('DuplicatedOrder')
      open.set(uid, { order, owner: from, failedAt: 0 })
      return { status: 201, body: uid }
    },
    solve: async (): Promise<boolean> => {
      if (isIdle() || !makesBlocks(chainId)) return false
      for (const [uid, one] of open) if (now() - one.failedAt > retryAfterMs) await fill(uid, one)
      return open.size > 0
    },
  }
}

const movesAbi = [
  ...parseAbi(['function transferFrom(address from, address to, uint256 amount) returns (bool)']),
  ...parseAbi(['function transfer(address to, uint256 amount) returns (bool)']),
] as const
