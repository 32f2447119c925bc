import { randomBytes } from 'node:crypto'
import { bytesToHex, encodeEventTopics, padHex } from 'viem/utils'
import { z } from 'zod'
import { ask } from '../../chain/ask.ts'
import { contract } from '../../chain/call.ts'
import { approve } from '../../chain/erc20.ts'
import { CatalogAddress, type Hex, sameAddress } from '../../domain/address.ts'
import { spokePoolAbi } from '../../swaps/across/abi.ts'
import type { AcrossConstants } from '../../swaps/across/constants-schema.ts'
import { type Deposit, depositIn, relayHash } from '../../swaps/across/deposit-and-payout-events.ts'
import { depositAcross } from '../../swaps/across/encode.ts'
import { acrossOn, isSupportedPair } from '../../swaps/across/pairs.ts'
import type { LoopbackAnswer } from '../loopback-server.ts'
import type { StandInOptions } from '../stand-in-option-types.ts'

const TokenAt = z.strictObject({ chainId: z.int(), address: CatalogAddress })

/** The request of a quote with the documented fields; any other is refused, as the service does. */
const QuoteRequest = z.strictObject({
  origin: z.strictObject({
    token: TokenAt,
    amount: z.string().regex(/^[1-9]\d{0,76}$/),
    depositor: CatalogAddress,
  }),
  destination: z.strictObject({ token: TokenAt }),
})
type QuoteRequest = z.output<typeof QuoteRequest>

type Order = { asked: QuoteRequest; outputAmount: bigint; since: Hex }
type Log = Parameters<typeof depositIn>[0][number]

/** How long a quote holds, in ms: the documentation says about 15 minutes. */
const quoteMs = 900_000

const refused = (status: number, code: string): LoopbackAnswer => ({
  status,
  body: { code, message: `the sandbox says ${code}` },
})

/** Inputs of the stand-in: `fees` answers the older path. */
type V1Options = Pick<StandInOptions, 'catalog' | 'chains' | 'now'> & {
  fees: (url: URL) => Promise<LoopbackAnswer | undefined>
}

/**
 * Stands in for version 1 of the Across API, as far as docs.across.to describes it: routes, quotes whose last action is the deposit at the
 * pool, and transfers. The names of an action's fields besides `id`, and the states besides `completed`, are the sandbox's own.
 */
export function openAcrossV1({
  catalog,
  chains,
  now,
  fees,
}: V1Options): (request: {
  url: URL
  body: unknown
  headers: Readonly<Record<string, unknown>>
}) => Promise<LoopbackAnswer | undefined> {
  const orders = new Map<string, Order>()
  const rpcOf = (chainId: number) => chains.find(({ network }) => network.chainId === chainId)!.rpc

  async function quote(body: unknown): Promise<LoopbackAnswer> {
    const asked = QuoteRequest.safeParse(body).data
    if (!asked) return refused(400, 'request.unsupported_param')
    const { origin, destination } = asked
    const query = new URLSearchParams({
      originChainId: String(origin.token.chainId),
      destinationChainId: String(destination.token.chainId),
      inputToken: origin.token.address,
      outputToken: destination.token.address,
      amount: origin.amount,
    })
    const older = await fees(new URL(`http://127.0.0.1/suggested-fees?${query}`))
    if (older?.status !== 200) return older ?? refused(503, 'UNAVAILABLE')
    const said = older.body as Record<
      'outputAmount' | 'timestamp' | 'fillDeadline' | 'exclusiveRelayer',
      string
    > & { isAmountTooLow: boolean; exclusivityDeadline: number; limits: { maxDeposit: string } }
    if (said.isAmountTooLow) return refused(400, 'AMOUNT_TOO_LOW')
    if (BigInt(origin.amount) > BigInt(said.limits.maxDeposit)) return refused(400, 'AMOUNT_TOO_HIGH')
    const { chainId, address: token } = origin.token
    const { spokePool } = acrossOn(catalog, chainId)!
    const { to, data } = depositAcross({
      chainId,
      spokePool,
      depositor: origin.depositor,
      recipient: origin.depositor,
      inputToken: token,
      outputToken: destination.token.address,
      amountIn: BigInt(origin.amount),
      amountOut: BigInt(said.outputAmount),
      destinationChainId: destination.token.chainId,
      quoteTimestamp: Number(said.timestamp),
      fillDeadline: Number(said.fillDeadline),
      exclusiveRelayer: said.exclusiveRelayer as Hex,
      exclusivityParameter: said.exclusivityDeadline,
    })
    const allowed = approve({ chainId, token, spender: spokePool, amount: BigInt(origin.amount) })
    const action = (id: string, call: { to: Hex; data: Hex }) => ({
      id,
      type: 'send_transaction',
      transaction: { chainId, to: call.to, data: call.data, value: '0' },
    })
    const orderId = bytesToHex(randomBytes(32))
    orders.set(orderId, {
      asked,
      outputAmount: BigInt(said.outputAmount),
      since: await rpcOf(chainId).request<Hex>('eth_blockNumber'),
    })
    return {
      status: 200,
      body: {
        orderId,
        expiresAt: new Date(now() + quoteMs).toISOString(),
        origin,
        destination: { ...destination, amount: said.outputAmount, minAmount: said.outputAmount },
        fees: [{ amount: String(BigInt(origin.amount) - BigInt(said.outputAmount)), token: origin.token }],
        nextActions: [action('approve', { ...allowed, to: token }), action('deposit', { to, data })],
      },
    }
  }

  /** The deposit of an order, by its terms; `undefined` before it is made. */
  async function depositOf({ asked, outputAmount, since }: Order): Promise<Deposit | undefined> {
    const pool = acrossOn(catalog, asked.origin.token.chainId)!
    const [made] = encodeEventTopics({ abi: spokePoolAbi, eventName: 'FundsDeposited' })
    const logs = await rpcOf(pool.chainId).request<Log[]>('eth_getLogs', [
      { address: pool.spokePool, topics: [made], fromBlock: since },
    ])
    return logs
      .flatMap((log) => depositIn([log], pool) ?? [])
      .find(
        ({ depositor, inputAmount, outputAmount: out }) =>
          sameAddress(depositor, padHex(asked.origin.depositor, { size: 32 })) &&
          inputAmount === BigInt(asked.origin.amount) &&
          out === outputAmount,
      )
  }

  async function isFilled(deposit: Deposit, { chainId, spokePool }: AcrossConstants): Promise<boolean> {
    const status = contract(spokePool, spokePoolAbi)<bigint>('fillStatuses', relayHash(deposit))
    return (await ask(rpcOf(chainId), status)) === 2n
  }

  async function transfer(orderId: string): Promise<LoopbackAnswer> {
    const order = orders.get(orderId)
    if (!order) return refused(404, 'transfer.not_found')
    const deposit = await depositOf(order)
    const there = acrossOn(catalog, order.asked.destination.token.chainId)!
    const isOver = deposit !== undefined && (await isFilled(deposit, there))
    const state = isOver ? 'completed' : deposit ? 'executing' : 'awaiting_deposit'
    return {
      status: 200,
      body: { orderId, status: { state, isTerminal: isOver, finalized: isOver } },
    }
  }

  /** What can move between the two chains of a query. */
  function capabilities(url: URL): LoopbackAnswer {
    const [from, to] = ['originChainId', 'destinationChainId'].map((name) =>
      Number(url.searchParams.get(name)),
    )
    const on = (chainId?: number) => catalog.tokens.filter((token) => token.chainId === chainId)
    const tokens = on(from).map((token) => ({
      ...token,
      availability: {
        status: on(to).some((other) => isSupportedPair(catalog, token, other)) ? 'available' : 'unavailable',
      },
    }))
    return { status: 200, body: { tokens } }
  }

  return async ({ url, body, headers }) => {
    if (!url.pathname.startsWith('/v1/')) return undefined
    const [, , name, id] = url.pathname.split('/')
    if (!['capabilities', 'quotes', 'transfers'].includes(name!)) return undefined
    if (!/^Bearer ./.test(String(headers.authorization ?? '')))
      return { status: 401, body: { message: 'Unauthorized' } }
    if (name === 'capabilities') return capabilities(url)
    if (name === 'quotes' && id === undefined) return quote(body)
    return name === 'transfers' && id !== undefined ? transfer(id) : undefined
  }
}
