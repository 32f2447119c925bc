import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem/utils'
import { z } from 'zod'
import { ask } from '../chain/ask.ts'
import { contract } from '../chain/call.ts'
import { type Address, CatalogAddress, type Hex, nativeAddress, sameAddress } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import { nativeMark } from '../swaps/aggregator-calldata-check.ts'
import { metaAggregationRouterAbi } from '../swaps/kyberswap/abi.ts'
import { kyberSwapContracts } from '../swaps/kyberswap/constants-schema.ts'
import { aggregationRouterAbi } from '../swaps/oneinch/abi.ts'
import { oneInchContracts } from '../swaps/oneinch/constants-schema.ts'
import type { Route, SwapProvider } from '../swaps/provider.ts'
import { contractsOn } from '../swaps/swap-contracts.ts'
import type { LoopbackAnswer } from './loopback-server.ts'
import { newestBlock, readBlockTime } from './node-reads.ts'
import { chainOfNode, type ExchangeQuote, openExchanges, quotesOf, tokenOf } from './pool-quotes.ts'
import { secretFile } from './secret-files.ts'
import type { SandboxNode } from './stand-in-option-types.ts'

/** Number of equal shares in which the aggregator splits a swap between two exchanges. */
const shares = 8n

const Units = z.string().regex(/^[1-9]\d{0,76}$/)
const Part = z.object({ exchange: z.string(), swapAmount: Units, amountOut: Units, extra: z.unknown() })
/** Fees of a route, in units of its input, separated by commas. Without fees every field is empty. */
const Fees = z.discriminatedUnion('chargeFeeBy', [
  z.object({
    chargeFeeBy: z.literal('currency_in'),
    isInBps: z.literal(false),
    feeAmount: z.string().regex(/^\d+(,\d+)*$/),
    feeReceiver: z.string(),
  }),
  z.object({
    chargeFeeBy: z.literal(''),
    isInBps: z.literal(false),
    feeAmount: z.literal(''),
    feeReceiver: z.literal(''),
  }),
])
const feeAmountsOf = ({ feeAmount }: z.output<typeof Fees>): bigint[] =>
  feeAmount === '' ? [] : feeAmount.split(',').map(BigInt)
const feeReceiversOf = ({ feeReceiver }: z.output<typeof Fees>): Address[] =>
  feeReceiver === '' ? [] : feeReceiver.split(',').map((one) => CatalogAddress.parse(one))
const Summary = z.object({
  tokenIn: CatalogAddress,
  tokenOut: CatalogAddress,
  amountIn: Units,
  amountOut: Units,
  gas: z.string(),
  extraFee: Fees,
  route: z.tuple([z.array(Part).min(1)]),
})
type Summary = z.output<typeof Summary>
const Build = z.object({
  routeSummary: Summary,
  recipient: CatalogAddress,
  slippageTolerance: z.int().min(0).max(2_000),
  deadline: z.int().positive(),
})

const Swap = z.object({ src: CatalogAddress, dst: CatalogAddress, amount: Units })
const Call = Swap.extend({
  from: CatalogAddress,
  origin: CatalogAddress,
  receiver: CatalogAddress,
  minReturn: Units,
  disableEstimate: z.literal('true'),
  compatibility: z.literal('true'),
})

/** Returns the path of a chain's KyberSwap stand-in below the base URL of the sandbox services. */
export const aggregatorPath = (network: string): string => `/kyberswap/${network}/api/v1`

/** Returns the path of a chain's 1inch stand-in below the base URL of the sandbox services. */
export const oneInchPath = (network: string): string => `/1inch/${network}`

const oneInchKey = 'key-of-the-sandbox'

/** Returns the path of the file with the API key of the 1inch stand-in. */
export const sandboxKeyFile = (cacheDir: string): string =>
  secretFile(cacheDir, '1inch.key', () => oneInchKey)

const refusal = (code: number, message: string): LoopbackAnswer => ({
  status: 400,
  body: { code, message, data: null },
})

/** An error answer with the shape of 1inch. */
const oneInchRefusal = (description: string, status = 400): LoopbackAnswer => ({
  status,
  body: {
    error: status === 400 ? 'Bad Request' : 'Unauthorized',
    description,
    statusCode: status,
    requestId: '',
    meta: [],
  },
})

/** The output that the 1inch stand-in quotes: slightly below that of KyberSwap, so that KyberSwap is the best offer. */
const oneInchOutput = (amountOut: bigint): bigint => (amountOut * 9_999n) / 10_000n

/**
 * Answers as the APIs of KyberSwap and 1inch: splits a swap between the exchanges of the chain and builds the call of
 * the router.
 */
export function aggregatorAnswer(
  catalog: Catalog,
  chains: readonly SandboxNode[],
): (request: {
  url: URL
  body: unknown
  headers: { authorization?: string | undefined }
}) => Promise<LoopbackAnswer | undefined> {
  const opened = new Map(chains.map((chain) => [chain.network.name, openAggregator(catalog, chain)]))
  return async ({ url, body, headers }) => {
    const [, where = '', what = ''] = /^\/1inch\/([\w-]+)\/(quote|swap)$/.exec(url.pathname) ?? []
    const there = opened.get(where)
    if (there) {
      if (headers.authorization !== `Bearer ${oneInchKey}`) return oneInchRefusal('Unauthorized', 401)
      const query = Object.fromEntries(url.searchParams)
      const [priced, called] = [Swap.safeParse(query).data, Call.safeParse(query).data]
      if (what === 'quote' && priced) return there.quote(priced)
      return called ? there.swap(called) : oneInchRefusal('bad request')
    }
    const [, name = '', action = ''] =
      /^\/kyberswap\/([\w-]+)\/api\/v1\/(routes|route\/build)$/.exec(url.pathname) ?? []
    const here = opened.get(name)
    if (!here) return undefined
    if (action === 'routes') {
      const asked = ['tokenIn', 'tokenOut', 'amountIn'].map((one) => url.searchParams.get(one))
      const [tokenIn, tokenOut, amountIn] =
        z.tuple([CatalogAddress, CatalogAddress, Units]).safeParse(asked).data ?? []
      const said = (name: string) => url.searchParams.get(name) ?? ''
      const fees = Fees.safeParse({
        chargeFeeBy: said('chargeFeeBy'),
        isInBps: said('isInBps') === 'true',
        feeAmount: said('feeAmount'),
        feeReceiver: said('feeReceiver'),
      }).data
      if (!tokenIn || !tokenOut || !amountIn || !fees) return refusal(4000, 'bad request')
      return here.routes(tokenIn, tokenOut, BigInt(amountIn), fees)
    }
    const build = Build.safeParse(body).data
    return build ? here.build(build) : refusal(4002, 'request body is malformed')
  }
}

const executorOf = parseAbi(['function executor() view returns (address)'])

function openAggregator(catalog: Catalog, node: SandboxNode) {
  const { network, rpc } = node
  const { chainId } = network
  const chain = chainOfNode(catalog, node)
  const router = contractsOn(catalog, kyberSwapContracts, chainId)?.router
  const oneInchRouter = contractsOn(catalog, oneInchContracts, chainId)?.router
  const exchanges = openExchanges(catalog, chain)
  const named = (address: Address): Token =>
    tokenOf(chainId, sameAddress(address, nativeMark) ? nativeAddress : address)
  const routeOf = (tokenIn: Address, tokenOut: Address): Route => ({
    from: network,
    to: network,
    tokenIn: named(tokenIn),
    tokenOut: named(tokenOut),
  })
  /** The best split of each swap requested since the newest block. */
  const known = new Map<string, Promise<readonly ShareQuote[] | undefined>>()
  let knownAt = ''
  const divided = async (route: Route, amountIn: bigint): Promise<readonly ShareQuote[] | undefined> => {
    const { hash } = await newestBlock(rpc)
    if (hash !== knownAt) known.clear()
    knownAt = hash
    const key = `${route.tokenIn.address} ${route.tokenOut.address} ${amountIn}`.toLowerCase()
    const found = known.get(key) ?? pricedShares(router ? exchanges : [], route, amountIn).then(bestDivision)
    known.set(key, found)
    return found
  }
  const executorAt = (address: Address): Promise<Address> =>
    ask(chain, {
      reads: [contract(address, executorOf)('executor')],
      parse: ([executor]) => executor as Address,
    })
  /** Encodes the executor's data: which exchange swaps which part of the input, and who receives the output. */
  const partsFor = async (
    route: Route,
    parts: readonly { exchange: string; swapAmount: bigint; extra?: unknown }[],
    order: Parameters<SwapProvider['build']>[2],
  ): Promise<Hex> => {
    const built = parts.map(async ({ exchange, swapAmount: amount, extra: raw }) => {
      const offer = { amountIn: amount, amountOut: 0n, maxAmountIn: amount, minAmountOut: 0n, fees: [], raw }
      const provider = exchanges.find(({ name }) => name === exchange)!
      const { transaction } = await provider.build(route, offer, order)
      return { router: transaction.to, amount, call: transaction.data }
    })
    return encodeAbiParameters(executorData, [route.tokenIn.address, await Promise.all(built)])
  }
  return {
    quote: async ({ src, dst, amount }: z.output<typeof Swap>): Promise<LoopbackAnswer> => {
      const best = await divided(routeOf(src, dst), BigInt(amount))
      if (!best) return oneInchRefusal('insufficient liquidity')
      return {
        status: 200,
        body: { dstAmount: String(oneInchOutput(totalOutput(best))), gas: Number(gasOf(best)) },
      }
    },
    swap: async ({
      src,
      dst,
      amount,
      from,
      receiver,
      minReturn,
    }: z.output<typeof Call>): Promise<LoopbackAnswer> => {
      const route = routeOf(src, dst)
      const [best, executor, time] = await Promise.all([
        divided(route, BigInt(amount)),
        executorAt(oneInchRouter!),
        readBlockTime(rpc, 'latest'),
      ])
      if (!best) return oneInchRefusal('insufficient liquidity')
      const parts = best.map(({ exchange: { name }, offer }, at) => ({
        exchange: name,
        swapAmount: partOf(best, at, BigInt(amount)),
        extra: offer.raw,
      }))
      const order = { wallet: executor, recipient: oneInchRouter!, deadline: time + 86_400 }
      const desc = {
        srcToken: src,
        dstToken: dst,
        srcReceiver: executor,
        dstReceiver: receiver,
        amount: BigInt(amount),
        minReturnAmount: BigInt(minReturn),
        flags: 0n,
      }
      const call = encodeFunctionData({
        abi: aggregationRouterAbi,
        functionName: 'swap',
        args: [executor, desc, await partsFor(route, parts, order)],
      })
      const value = sameAddress(src, nativeMark) ? amount : '0'
      // 1inch appends four bytes to its calls.
      const tx = { from, to: oneInchRouter, data: `${call}5a5a5a5a`, value, gas: 0, gasPrice: '0' }
      return { status: 200, body: { dstAmount: String(oneInchOutput(totalOutput(best))), tx } }
    },
    routes: async (
      tokenIn: Address,
      tokenOut: Address,
      amountIn: bigint,
      extraFee: z.output<typeof Fees>,
    ): Promise<LoopbackAnswer> => {
      const left = afterFees(amountIn, extraFee)
      const best = await divided(routeOf(tokenIn, tokenOut), left)
      if (!best) return refusal(4008, 'route not found')
      const routeSummary: Summary = {
        tokenIn,
        tokenOut,
        amountIn: String(amountIn),
        amountOut: String(totalOutput(best)),
        gas: String(gasOf(best)),
        extraFee,
        route: [
          best.map(({ exchange, offer }, at) => ({
            exchange: exchange.name,
            swapAmount: String(partOf(best, at, left)),
            amountOut: String(offer.amountOut),
            extra: offer.raw,
          })),
        ],
      }
      return {
        status: 200,
        body: { code: 0, message: 'successfully', data: { routeSummary, routerAddress: router } },
      }
    },
    build: async ({
      routeSummary,
      recipient,
      slippageTolerance,
      deadline,
    }: z.output<typeof Build>): Promise<LoopbackAnswer> => {
      const { tokenIn, tokenOut, amountIn, amountOut, extraFee } = routeSummary
      const route = routeOf(tokenIn, tokenOut)
      const callTarget = await executorAt(router!)
      const isNative = sameAddress(tokenIn, nativeMark)
      const parts = routeSummary.route[0].map((one) => ({ ...one, swapAmount: BigInt(one.swapAmount) }))
      const targetData = await partsFor(route, parts, { wallet: callTarget, recipient, deadline })
      const data = encodeFunctionData({
        abi: metaAggregationRouterAbi,
        functionName: 'swap',
        args: [
          {
            callTarget,
            approveTarget: nativeAddress,
            targetData,
            desc: {
              srcToken: tokenIn,
              dstToken: tokenOut,
              srcReceivers: isNative ? [] : [callTarget],
              srcAmounts: isNative ? [] : [afterFees(BigInt(amountIn), extraFee)],
              feeReceivers: feeReceiversOf(extraFee),
              feeAmounts: feeAmountsOf(extraFee),
              dstReceiver: recipient,
              amount: BigInt(amountIn),
              minReturnAmount: (BigInt(amountOut) * BigInt(10_000 - slippageTolerance)) / 10_000n,
              // KyberSwap sets this flag for its executor.
              flags: 0x200n,
              permit: '0x',
            },
            clientData: '0x',
          },
        ],
      })
      return {
        status: 200,
        body: {
          code: 0,
          message: 'successfully',
          data: {
            amountIn,
            amountOut,
            gas: routeSummary.gas,
            data,
            routerAddress: router,
            transactionValue: isNative ? amountIn : '0',
          },
        },
      }
    },
  }
}

/** The input amount of a swap after fees. */
const afterFees = (amountIn: bigint, fees: z.output<typeof Fees>): bigint =>
  feeAmountsOf(fees).reduce((rest, amount) => rest - amount, amountIn)

/** The input of one part; the last part takes the remainder. */
function partOf(parts: readonly ShareQuote[], at: number, amountIn: bigint): bigint {
  if (at < parts.length - 1) return parts[at]!.offer.amountIn
  return amountIn - parts.slice(0, -1).reduce((sum, { offer }) => sum + offer.amountIn, 0n)
}

const totalOutput = (parts: readonly ShareQuote[]): bigint =>
  parts.reduce((sum, { offer }) => sum + offer.amountOut, 0n)

const gasOf = (parts: readonly ShareQuote[]): bigint =>
  parts.reduce((sum, { offer }) => sum + (offer.gas ?? 0n), routerGas)

const executorData = parseAbiParameters([
  'address token, Part[] parts',
  'struct Part { address router; uint256 amount; bytes call; }',
])

/** Gas used by the router and its executor, as measured on the contracts. */
const routerGas = 60_000n

/** An exchange's offer for some shares of a swap. */
type ShareQuote = ExchangeQuote & { share: bigint }

/** Returns each exchange's offer for one share of an amount, for two, and so on up to all shares. */
async function pricedShares(
  exchanges: readonly SwapProvider[],
  route: Route,
  amountIn: bigint,
): Promise<readonly ShareQuote[]> {
  const each = Array.from({ length: Number(shares) }, (_, at) => BigInt(at + 1))
  const asked = exchanges.flatMap((exchange) => each.map((share) => ({ exchange, share })))
  const priced = await Promise.all(
    asked.map(async ({ exchange, share }) => {
      const amount = (amountIn * share) / shares
      const quotes = amount === 0n ? [] : await quotesOf([exchange], route, amount)
      return quotes.map((quoted) => ({ ...quoted, share }))
    }),
  )
  return priced.flat()
}

/**
 * Returns the split over one or two exchanges with the highest output, with no input left over; `undefined` without a
 * route.
 */
function bestDivision(priced: readonly ShareQuote[]): readonly ShareQuote[] | undefined {
  const whole = priced.filter(({ share }) => share === shares).map((one) => [one])
  const halves = priced.flatMap((one) =>
    priced
      .filter(({ exchange, share }) => exchange !== one.exchange && share === shares - one.share)
      .map((other) => [one, other]),
  )
  return [...whole, ...halves].reduce<readonly ShareQuote[] | undefined>(
    (best, parts) => (best && totalOutput(best) >= totalOutput(parts) ? best : parts),
    undefined,
  )
}
