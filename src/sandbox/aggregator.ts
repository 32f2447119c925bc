import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem/utils'
import { z } from 'zod'
import { openChain, read } from '../chain/chain.ts'
import type { ChainClient } from '../chain/client.ts'
import { type Address, At, nativeAddress, sameAddress } from '../domain/address.ts'
import type { Network } from '../domain/networks.ts'
import type { Token } from '../domain/token.ts'
import type { Catalog } from '../protocols/catalog.ts'
import { wrappedOn } from '../protocols/prices.ts'
import { metaAggregationRouterAbi, nativeMark } from '../swaps/kyberswap/abi.ts'
import type { Offer, Route, SwapProvider } from '../swaps/provider.ts'
import { openExchanges } from './exchanges.ts'
import type { Answer } from './loopback-server.ts'

/** A chain as the aggregator sees it. */
type Chain = { network: Network; rpc: ChainClient }

/** In how many equal shares the aggregator divides what it swaps between two exchanges. */
const shares = 8n

const Units = z.string().regex(/^[1-9]\d{0,76}$/)
const Part = z.object({ exchange: z.string(), swapAmount: Units, amountOut: Units, extra: z.unknown() })
const Summary = z.object({
  tokenIn: At,
  tokenOut: At,
  amountIn: Units,
  amountOut: Units,
  gas: z.string(),
  route: z.tuple([z.array(Part).min(1)]),
})
type Summary = z.output<typeof Summary>
const Build = z.object({
  routeSummary: Summary,
  recipient: At,
  slippageTolerance: z.int().min(0).max(2_000),
  deadline: z.int().positive(),
})

/** Where the service of a chain is below the base URL of the sandbox's services. */
export const aggregatorPath = (network: string): string => `/kyberswap/${network}/api/v1`

const refusal = (code: number, message: string): Answer => ({
  status: 400,
  body: { code, message, data: null },
})

/**
 * Stands in for the service of KyberSwap, with the shapes of its API: it divides a swap between the exchanges of the chain, and writes
 * the call of the router.
 */
export function aggregatorAnswer(
  catalog: Catalog,
  chains: readonly Chain[],
): (request: { url: URL; body: unknown }) => Promise<Answer | undefined> {
  const opened = new Map(chains.map((chain) => [chain.network.name, openAggregator(catalog, chain)]))
  return async ({ url, body }) => {
    const [, name = '', action = ''] =
      /^\/kyberswap\/([\w-]+)\/api\/v1\/(routes|route\/build)$/.exec(url.pathname) ?? []
    const here = opened.get(name)
    if (!here) return undefined
    if (action === 'routes') {
      const asked = ['tokenIn', 'tokenOut', 'amountIn'].map((one) => url.searchParams.get(one))
      const [tokenIn, tokenOut, amountIn] = z.tuple([At, At, Units]).safeParse(asked).data ?? []
      if (!tokenIn || !tokenOut || !amountIn) return refusal(4000, 'bad request')
      return here.routes(tokenIn, tokenOut, BigInt(amountIn))
    }
    const build = Build.safeParse(body).data
    return build ? here.build(build) : refusal(4002, 'request body is malformed')
  }
}

const executorOf = parseAbi(['function executor() view returns (address)'])

function openAggregator(catalog: Catalog, { network, rpc }: Chain) {
  const { chainId } = network
  const wrapped = wrappedOn(catalog, chainId)
  const chain = openChain(network, rpc, wrapped)
  const router = catalog.kyberSwap.find((one) => one.chainId === chainId)?.router
  const exchanges = openExchanges(catalog, chain)
  /** Nothing but its address is asked of a token here. */
  const tokenOf = (address: Address): Token => ({
    chainId,
    address: sameAddress(address, nativeMark) ? nativeAddress : address,
    symbol: '',
    name: '',
    decimals: 0,
  })
  const routeOf = (tokenIn: Address, tokenOut: Address): Route => ({
    from: network,
    to: network,
    tokenIn: tokenOf(tokenIn),
    tokenOut: tokenOf(tokenOut),
  })
  /** The best division of each swap that was asked for since the newest block. */
  const known = new Map<string, Promise<readonly Priced[] | undefined>>()
  let knownAt = ''
  const divided = async (route: Route, amountIn: bigint): Promise<readonly Priced[] | undefined> => {
    const { hash } = await rpc.request<{ hash: string }>('eth_getBlockByNumber', ['latest', false])
    if (hash !== knownAt) known.clear()
    knownAt = hash
    const key = `${route.tokenIn.address} ${route.tokenOut.address} ${amountIn}`.toLowerCase()
    const able = router ? exchanges.filter((one) => one.supports(route)) : []
    const found = known.get(key) ?? pricedShares(able, route, amountIn).then(bestDivision)
    known.set(key, found)
    return found
  }
  return {
    routes: async (tokenIn: Address, tokenOut: Address, amountIn: bigint): Promise<Answer> => {
      const best = await divided(routeOf(tokenIn, tokenOut), amountIn)
      if (!best) return refusal(4008, 'route not found')
      const routeSummary: Summary = {
        tokenIn,
        tokenOut,
        amountIn: String(amountIn),
        amountOut: String(best.reduce((sum, { offer }) => sum + offer.amountOut, 0n)),
        gas: String(best.reduce((sum, { offer }) => sum + (offer.gas ?? 0n), routerGas)),
        route: [
          best.map(({ exchange, offer }, at) => ({
            exchange: exchange.name,
            // The last part takes what the division leaves.
            swapAmount: String(at < best.length - 1 ? offer.amountIn : amountIn - paidBefore(best)),
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
    }: z.output<typeof Build>): Promise<Answer> => {
      const { tokenIn, tokenOut, amountIn, amountOut } = routeSummary
      const route = routeOf(tokenIn, tokenOut)
      const callTarget = await read(chain, {
        reads: [{ address: router!, abi: executorOf, functionName: 'executor' }],
        parse: ([executor]) => executor as Address,
      })
      const isNative = sameAddress(tokenIn, nativeMark)
      const parts = await Promise.all(
        routeSummary.route[0].map(async ({ exchange, swapAmount, extra }) => {
          const amount = BigInt(swapAmount)
          const offer = {
            amountIn: amount,
            amountOut: 0n,
            maxAmountIn: amount,
            minAmountOut: 0n,
            fees: [],
            raw: extra,
          }
          const provider = exchanges.find(({ name }) => name === exchange)!
          const { transaction } = await provider.build(route, offer, {
            wallet: callTarget,
            recipient,
            deadline,
          })
          return { router: transaction.to, amount, call: transaction.data }
        }),
      )
      const data = encodeFunctionData({
        abi: metaAggregationRouterAbi,
        functionName: 'swap',
        args: [
          {
            callTarget,
            approveTarget: nativeAddress,
            targetData: encodeAbiParameters(executorData, [isNative ? nativeAddress : tokenIn, parts]),
            desc: {
              srcToken: tokenIn,
              dstToken: tokenOut,
              srcReceivers: isNative ? [] : [callTarget],
              srcAmounts: isNative ? [] : [BigInt(amountIn)],
              feeReceivers: [],
              feeAmounts: [],
              dstReceiver: recipient,
              amount: BigInt(amountIn),
              minReturnAmount: (BigInt(amountOut) * BigInt(10_000 - slippageTolerance)) / 10_000n,
              flags: 0n,
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

/** What all parts but the last swap. */
const paidBefore = (parts: readonly Priced[]): bigint =>
  parts.slice(0, -1).reduce((sum, { offer }) => sum + offer.amountIn, 0n)

const executorData = parseAbiParameters([
  'address token, Part[] parts',
  'struct Part { address router; uint256 amount; bytes call; }',
])

/** What the router and its executor use, in units of gas, as measured on the contracts. */
const routerGas = 60_000n

/** What an exchange offers for some shares of a swap. */
type Priced = { exchange: SwapProvider; share: bigint; offer: Offer }

/** What each exchange offers for one share of an amount, for two, and so on up to all. */
async function pricedShares(
  exchanges: readonly SwapProvider[],
  route: Route,
  amountIn: bigint,
): Promise<readonly Priced[]> {
  const asked = exchanges.flatMap((exchange) =>
    Array.from({ length: Number(shares) }, (_, at) => BigInt(at + 1)).map((share) => ({ exchange, share })),
  )
  const priced = await Promise.all(
    asked.map(async ({ exchange, share }) => {
      const amount = (amountIn * share) / shares
      if (amount === 0n) return []
      const terms = { exact: 'in', amount, slippage: 0, speed: null, refund: null, isSpent: false } as const
      const offer = await exchange.quote({ ...route, ...terms }, AbortSignal.timeout(5_000))
      return offer ? [{ exchange, share, offer }] : []
    }),
  )
  return priced.flat()
}

/** The division among one exchange or two that brings most, with no unit of the input left over; `undefined` without a route. */
function bestDivision(priced: readonly Priced[]): readonly Priced[] | undefined {
  const brings = (parts: readonly Priced[]) => parts.reduce((sum, { offer }) => sum + offer.amountOut, 0n)
  const whole = priced.filter(({ share }) => share === shares).map((one) => [one])
  const halves = priced.flatMap((one) =>
    priced
      .filter(({ exchange, share }) => exchange !== one.exchange && share === shares - one.share)
      .map((other) => [one, other]),
  )
  return [...whole, ...halves].reduce<readonly Priced[] | undefined>(
    (best, parts) => (best && brings(best) >= brings(parts) ? best : parts),
    undefined,
  )
}
