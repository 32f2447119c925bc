import { randomBytes } from 'node:crypto'
import { bytesToHex, concatHex, decodeEventLog, numberToHex, padHex } from 'viem/utils'
import { transfer } from '../chain/erc20.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../domain/address.ts'
import { type Token, tokenAt, wrappedOn } from '../domain/token.ts'
import { depositoryEvents } from '../swaps/relay/abi.ts'
import {
  orderIdOf,
  type RelayEnds,
  type RelayRefund,
  type RelayTerms,
  relayOn,
} from '../swaps/relay/order.ts'
import type { ServiceFault } from './faults/world-faults.ts'
import { type Asset, assetFacts } from './genesis/parameters.ts'
import type { LoopbackAnswer } from './loopback-server.ts'
import { sendMined } from './mined-transactions.ts'
import { newestBlock, readBalance, readBlockTime } from './node-reads.ts'
import { bestOf, chainOfNode, openExchanges, quotesOf } from './pool-quotes.ts'
import { flat, quoteBody, RelayQuoteRequest } from './relay-quote-answers.ts'
import type { StandInOptions } from './stand-in-option-types.ts'

/** Faults of the Relay solver. */
export const relayFaults = [
  'relay-stuck',
  'relay-slow',
  'relay-refund',
  'relay-refund-origin',
  'relay-failed',
  'relay-lies',
] as const

/** Path of the service below the base URL of the sandbox services. */
export const relayPath = '/relay'

/**
 * What the solver keeps of an order: its service fee in basis points, and the cost of its own transfer, in USD with 8
 * decimals. It is never the best offer where another bridge carries the token.
 */
const [serviceFee, gasUsd] = [10n, 50_000_000n]
/** What it keeps of a refunded deposit, in percent. A refund on the other chain is below any minimum output. */
const refundFeePercent = { origin: 1n, destination: 10n }
/** Delay of a payout, and lifetime of an order without a deposit, in ms. */
const [usualDelayMs, undepositedMs] = [200, 600_000]
/** Time in which an order can be filled, in seconds. */
const fillSeconds = 604_800

type Log = { data: Hex; topics: [Hex, ...Hex[]]; transactionHash: Hex }
/**
 * A quoted order. `back` holds the refund amounts: on the origin chain to the wallet, on the destination chain in
 * USDC to the recipient.
 */
type Order = {
  asked: RelayQuoteRequest
  terms: RelayTerms
  back: { origin: bigint; destination: bigint }
  madeAt: number
  since: Hex
  deposit?: { hash: Hex; seenAt: number }
  word: string
  hashes: Hex[]
  isOver?: true
}

/** Inputs of the stand-in. The nodes hold the key of the solver. */
type RelayOptions = StandInOptions & { fault: () => ServiceFault<(typeof relayFaults)[number]> | undefined }

const refused = (status: number, errorCode: string): LoopbackAnswer => ({
  status,
  body: { message: `the sandbox says ${errorCode}`, errorCode },
})

/**
 * Stands in for Relay, with the shapes of its API: quotes with their orders, and a solver that pays deposits out on
 * the other chain from its own funds, with the order id appended to the call. Orders are kept in memory and end with
 * the daemon.
 */
export function openRelay({ catalog, chains, now, fault, makesBlocks }: RelayOptions): {
  answer: (request: {
    url: URL
    body: unknown
    headers: Readonly<Record<string, unknown>>
  }) => Promise<LoopbackAnswer | undefined>
  /** Pays what is due; returns whether a deposit is unpaid. */
  solve: () => Promise<boolean>
} {
  const orders = new Map<Hex, Order>()
  const seen = new Map<number, Hex>()
  const opened = new Map(
    chains.map((chain) => [chain.network.chainId, openExchanges(catalog, chainOfNode(catalog, chain))]),
  )
  const chainOf = (chainId: number) => chains.find(({ network }) => network.chainId === chainId)!
  const endsOf = (asked: RelayQuoteRequest): RelayEnds | undefined => {
    const [here, there] = [asked.originChainId, asked.destinationChainId].map((id) => relayOn(catalog, id))
    return here && there && here !== there ? [here, there] : undefined
  }

  /** Converts an amount into another token of the same chain at the best exchange's quote. */
  const priced = async (tokenIn: Token, tokenOut: Token, amount: bigint): Promise<bigint> => {
    if (sameAddress(tokenIn.address, tokenOut.address)) return amount
    const { network } = chainOf(tokenIn.chainId)
    const route = { from: network, to: network, tokenIn, tokenOut }
    const best = bestOf(await quotesOf(opened.get(tokenIn.chainId)!, route, amount))
    return best?.offer.amountOut ?? 0n
  }

  async function quote(body: unknown): Promise<LoopbackAnswer> {
    const asked = RelayQuoteRequest.safeParse(body).data
    if (!asked) return refused(400, 'INVALID_ADDRESS')
    const ends = endsOf(asked)
    if (!ends) return refused(400, 'UNSUPPORTED_ROUTE')
    const [here, there] = ends
    const isCoin = sameAddress(asked.originCurrency, nativeAddress)
    const paid = isCoin ? wrappedOn(catalog, here.chainId)! : asked.originCurrency
    const tokenIn = tokenAt(catalog.tokens, here.chainId, paid)
    const tokenOut = tokenAt(catalog.tokens, there.chainId, asked.destinationCurrency)
    const onOther = (symbol: string | undefined) =>
      catalog.tokens.find((one) => one.chainId === there.chainId && one.symbol === symbol)
    const [twin, usdc] = [onOther(tokenIn?.symbol), onOther('USDC')]
    if (!tokenIn || !tokenOut || !twin || !usdc) return refused(400, 'NO_SWAP_ROUTES_FOUND')
    const amount = BigInt(asked.amount)
    const service = (amount * serviceFee + 9_999n) / 10_000n
    const gas = (gasUsd * 10n ** BigInt(tokenIn.decimals)) / usdOf(tokenIn)
    const left = amount - service - gas
    if (left <= 0n) return refused(400, 'AMOUNT_TOO_LOW')
    const expected = await priced(twin, tokenOut, left)
    if (expected === 0n) return refused(400, 'NO_SWAP_ROUTES_FOUND')
    const node = chainOf(there.chainId).rpc
    if ((await readBalance(node, tokenOut.address, there.solver)) < expected)
      return refused(400, 'INSUFFICIENT_LIQUIDITY')
    const deadline = (await readBlockTime(node, 'pending')) + fillSeconds
    const extraData = padHex(there.router, { size: 32 })
    const back = { minimum: 0n, deadline, extraData }
    const refunds: RelayRefund[] = [
      { ...back, chainId: BigInt(here.chainId), recipient: asked.refundTo, currency: asked.originCurrency },
      { ...back, chainId: BigInt(there.chainId), recipient: asked.recipient, currency: usdc.address },
    ]
    const minimum = (expected * (10_000n - BigInt(asked.slippageTolerance))) / 10_000n
    const terms: RelayTerms = {
      requestId: bytesToHex(randomBytes(32)),
      salt: BigInt(bytesToHex(randomBytes(32))),
      minimum,
      expected,
      deadline,
      extraData,
      refunds,
    }
    const route = {
      tokenIn: { chainId: here.chainId, address: asked.originCurrency },
      tokenOut,
      amountIn: amount,
      recipient: asked.recipient,
    }
    const id = orderIdOf(ends, route, terms)!
    orders.set(id, {
      asked,
      terms,
      back: {
        origin: amount - (amount * refundFeePercent.origin) / 100n,
        destination: ((await priced(twin, usdc, left)) * (100n - refundFeePercent.destination)) / 100n,
      },
      madeAt: now(),
      since: await chainOf(here.chainId).rpc.request<Hex>('eth_blockNumber'),
      word: 'waiting',
      hashes: [],
    })
    return { status: 200, body: quoteBody(asked, ends, { id, terms, fees: { service, gas } }) }
  }

  const status = (requestId: string | null): LoopbackAnswer => {
    const order = [...orders.values()].find(({ terms }) => terms.requestId === requestId)
    if (!order) return { status: 404, body: { message: 'Request not found' } }
    const { asked, deposit, word, hashes } = order
    return {
      status: 200,
      body: {
        status: word,
        inTxHashes: deposit ? [deposit.hash] : [],
        txHashes: hashes,
        originChainId: asked.originChainId,
        destinationChainId: asked.destinationChainId,
        failReason: word === 'failure' ? 'EXECUTION_REVERTED' : 'N/A',
        refundFailReason: word === 'failure' ? 'AMOUNT_TOO_LOW_TO_REFUND' : 'N/A',
      },
    }
  }

  /** The requests with an id, or those whose deposit has a hash. */
  const requests = ({ searchParams: of }: URL): LoopbackAnswer => {
    const [requestId, hash] = [of.get('id'), of.get('hash')]
    const found = [...orders].filter(([, { terms, deposit }]) =>
      hash === null ? terms.requestId === requestId : deposit?.hash === hash.toLowerCase(),
    )
    return {
      status: 200,
      body: {
        requests: found.map(([orderId, { terms, asked, word }]) => ({
          id: terms.requestId,
          status: word,
          user: asked.user,
          recipient: asked.recipient,
          protocol: { orderId },
          data: {
            metadata: {
              recipient: asked.recipient,
              currencyOut: {
                currency: { chainId: asked.destinationChainId, address: asked.destinationCurrency },
              },
            },
          },
        })),
      },
    }
  }

  /** Reads the deposits of open orders on a chain, if it has a new block. */
  async function look(chainId: number): Promise<void> {
    const open = [...orders].filter(([, order]) => order.asked.originChainId === chainId && !order.isOver)
    for (const [id, { deposit, madeAt }] of open)
      if (!deposit && now() - madeAt > undepositedMs) orders.delete(id)
    if (open.length === 0) return
    const { rpc } = chainOf(chainId)
    const { hash } = await newestBlock(rpc)
    if (hash === seen.get(chainId)) return
    const fromBlock = numberToHex(
      open.map(([, { since }]) => BigInt(since)).reduce((a, b) => (a < b ? a : b)),
    )
    const { depository } = relayOn(catalog, chainId)!
    const logs = await rpc.request<Log[]>('eth_getLogs', [{ address: depository, fromBlock }])
    const made = logs.map((log) => ({ ...depositOf(log), hash: log.transactionHash }))
    for (const [id, order] of open) {
      const { originCurrency: token, amount } = order.asked
      const found = made.find(
        (one) => one.id === id && sameAddress(one.token, token) && one.amount === amount,
      )
      if (found) order.deposit ??= { hash: found.hash, seenAt: now() }
      else delete order.deposit
    }
    seen.set(chainId, hash)
  }

  /** Pays from the solver's funds, with the order id appended to the call. */
  async function pay(chainId: number, token: Address, to: Address, amount: bigint, id: Hex): Promise<Hex> {
    const { rpc } = chainOf(chainId)
    const { solver: from } = relayOn(catalog, chainId)!
    const paid = transfer({ chainId, token, to, amount })
    const { hash, isDone } = await sendMined(rpc, from, { ...paid, data: concatHex([paid.data, id]) })
    if (!isDone) throw new Error('the payment reverted')
    return hash
  }

  async function go(id: Hex, order: Order): Promise<void> {
    const { asked, terms, back, deposit } = order
    const { kind, amount = 0 } = fault() ?? {}
    if (!deposit) return
    const isSlow = now() - deposit.seenAt < (kind === 'relay-slow' ? amount : usualDelayMs)
    order.word = kind === 'relay-failed' ? 'failure' : kind === 'relay-lies' ? 'success' : 'pending'
    order.hashes = kind === 'relay-lies' ? [deposit.hash] : []
    if (isSlow || (kind && /-(stuck|failed|lies)$/.test(kind))) return
    const [origin, destination] = terms.refunds as [RelayRefund, RelayRefund]
    const isBack = kind === 'relay-refund' || kind === 'relay-refund-origin'
    const [where, token, to, units] = !isBack
      ? [asked.destinationChainId, asked.destinationCurrency, asked.recipient, terms.expected]
      : kind === 'relay-refund'
        ? [asked.destinationChainId, destination.currency, destination.recipient, back.destination]
        : [asked.originChainId, origin.currency, origin.recipient, back.origin]
    if (!makesBlocks(where)) return
    order.hashes = [await pay(where, token, to, units, id)]
    order.word = isBack ? 'refund' : 'success'
    order.isOver = true
  }

  return {
    answer: async ({ url, body, headers }) => {
      const isKeyed = Boolean(headers['x-api-key'])
      if (url.pathname === `${relayPath}/quote/v2`) return quote(body)
      if (url.pathname === `${relayPath}/quote/v3`)
        return isKeyed ? flat(await quote(body)) : refused(401, 'UNAUTHORIZED_QUOTE')
      if (url.pathname === `${relayPath}/intents/status/v3`) return status(url.searchParams.get('requestId'))
      if (url.pathname === `${relayPath}/requests/v3` && !isKeyed) return refused(401, 'UNAUTHORIZED')
      if ([`${relayPath}/requests/v2`, `${relayPath}/requests/v3`].includes(url.pathname))
        return requests(url)
      return undefined
    },
    solve: async () => {
      for (const { network } of chains) await look(network.chainId)
      // A payment that fails, for example because the token is paused, is retried in the next round.
      for (const [id, order] of orders) if (!order.isOver) await go(id, order).catch(() => undefined)
      return [...orders.values()].some(({ deposit, isOver }) => deposit && !isOver)
    },
  }
}

/** The USD price of a sandbox token, with 8 decimals; one dollar for a token without a price. */
const usdOf = ({ symbol }: Token): bigint =>
  Object.hasOwn(assetFacts, symbol) ? assetFacts[symbol as Asset].usd : 100_000_000n

/** The order id and the deposit of an event of the depository. */
function depositOf(log: Log): { id: Hex; token: Address; amount: string } {
  const { eventName, args } = decodeEventLog({ abi: depositoryEvents, data: log.data, topics: log.topics })
  const token = eventName === 'RelayErc20Deposit' ? args.token : nativeAddress
  return { id: args.id, token, amount: String(args.amount) }
}
