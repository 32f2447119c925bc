import { z } from 'zod'
import { CatalogAddress, HexData, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { subtractSlippage } from '../../domain/slippage.ts'
import { type FeePayment, sumOf } from '../../protocols/fee-payments.ts'
import { routerToken } from '../aggregator-calldata-check.ts'
import { aggregatorProvider, aggregatorStep } from '../aggregator-step.ts'
import type { SwapProvider } from '../provider.ts'
import { Amount, type ProviderApi, providerApi, unusableResponseError } from '../provider-api.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { requestedSlippageBps } from '../slippage-for-service.ts'
import { decodeKyberSwap, feesOfKyberSwap } from './calldata-check.ts'
import type { KyberSwapConstants } from './constants-schema.ts'

/**
 * The query parameters that make the router pay fees from the input, in its smallest unit (docs.kyberswap.com, EVM swaps; commas separate
 * several fees).
 */
const charging = (fees: readonly FeePayment[]) =>
  fees.length > 0 && {
    chargeFeeBy: 'currency_in',
    isInBps: 'false',
    feeAmount: fees.map(({ amount }) => amount).join(','),
    feeReceiver: fees.map(({ to }) => to).join(','),
  }

/** A fee as text, for comparisons. */
const asText = ({ to, amount }: FeePayment): string => `${amount} to ${to.toLowerCase()}`

const provider = 'kyberswap'
const label = 'KyberSwap'

/** This program's client name, which the service asks for (docs.kyberswap.com, EVM swaps, `x-client-id` and `source`). */
const client = 'sluice'

/**
 * How long a transaction may execute after its quote's deadline, in seconds. The guard simulates at the quote's deadline, rounded up, and
 * does not check the executor's own deadline.
 */
const graceSeconds = 60

const Summary = z.looseObject({
  tokenIn: CatalogAddress,
  tokenOut: CatalogAddress,
  amountIn: Amount,
  amountOut: Amount,
  gas: Amount,
})
const Routes = z.object({
  code: z.literal(0),
  data: z.object({ routeSummary: Summary, routerAddress: CatalogAddress }),
})
const Built = z.object({
  code: z.literal(0),
  data: z.object({ routerAddress: CatalogAddress, data: HexData }),
})
const Refusal = z.object({ code: z.int() })

/** The error codes for no route: none found, amount too large, no pools, unknown token (docs.kyberswap.com, EVM swaps). */
const noRoute = [4008, 4009, 4010, 4011]

/** The error codes of a build for an expired route: no route any more, or a worse price than quoted. */
const routeGone = [...noRoute, 4222, 4227]

/** The longest stored route, in characters of JSON; usual routes take a few thousand. */
const longestSummary = 65_536

/** The maximum slippage of the service, in basis points. */
const mostSlippageBps = 2_000

/** The provider data of an offer; it is stored as JSON. `slippageBps` is the slippage requested from the service. */
type Raw = { routeSummary: z.output<typeof Summary>; slippageBps: number }

/**
 * A provider of same-chain swaps by KyberSwap's aggregator, exact input only. Its service finds the route and encodes the call; the call
 * contains recipient and minimum. `api` is the service's URL for the chain.
 */
export function kyberSwap(
  chains: readonly (KyberSwapConstants & { api: string })[],
  exchangeJson: SwapDependencies['exchangeJson'],
): SwapProvider {
  const on = (chainId: number) => chains.find((one) => one.chainId === chainId)
  const apiOf = ({ api }: { api: string }): ProviderApi =>
    providerApi({ provider, label, base: api, headers: { 'x-client-id': client } }, exchangeJson)
  return {
    ...aggregatorProvider(provider, (chainId) => on(chainId) !== undefined),

    async quote({ from, tokenIn, tokenOut, exact, amount, slippage, fees = [] }, signal) {
      if (exact === 'out') return undefined
      const here = on(from.chainId)!
      const asked = {
        tokenIn: routerToken(tokenIn),
        tokenOut: routerToken(tokenOut),
        amountIn: String(amount + sumOf(fees)),
      }
      const query = new URLSearchParams({ ...asked, ...charging(fees), gasInclude: 'true' })
      const { status, body } = await apiOf(here).get(`/routes?${query}`, signal)
      const found = Routes.safeParse(body).data?.data
      if (!found) {
        const code = Refusal.safeParse(body).data?.code
        if (code !== undefined && noRoute.includes(code)) return undefined
        throw unusableResponseError(provider, `${label} did not return a route`, status)
      }
      const { routeSummary, routerAddress } = found
      const isAsked =
        sameAddress(routerAddress, here.router) &&
        sameAddress(routeSummary.tokenIn, asked.tokenIn) &&
        sameAddress(routeSummary.tokenOut, asked.tokenOut) &&
        routeSummary.amountIn === asked.amountIn
      if (!isAsked)
        throw unusableResponseError(provider, `${label} returned another swap than requested`, status)
      if (JSON.stringify(routeSummary).length > longestSummary)
        throw unusableResponseError(provider, `${label} returned a route that is too long to store`, status)
      const amountOut = BigInt(routeSummary.amountOut)
      if (amountOut === 0n) return undefined
      const slippageBps = Math.min(requestedSlippageBps(slippage), mostSlippageBps)
      const raw: Raw = { routeSummary, slippageBps }
      return {
        amountIn: amount,
        amountOut,
        maxAmountIn: amount,
        minAmountOut: subtractSlippage(amountOut, slippage),
        fees: [],
        raw,
        gas: BigInt(routeSummary.gas),
        seconds: 0,
        paysFees: true,
      }
    },

    async build(route, offer, { wallet, recipient, deadline, fees = [] }) {
      const here = on(route.from.chainId)!
      const { routeSummary, slippageBps: slippageTolerance } = offer.raw as Raw
      const { status, body } = await apiOf(here).post('/route/build', {
        routeSummary,
        sender: wallet,
        recipient,
        slippageTolerance,
        deadline: deadline + graceSeconds,
        source: client,
      })
      const built = Built.safeParse(body).data?.data
      if (!built)
        throw routeGone.includes(Refusal.safeParse(body).data?.code ?? 0)
          ? new AppError('QUOTE_EXPIRED', `${label} no longer has the route that it quoted`)
          : unusableResponseError(provider, `${label} did not return a transaction`, status)
      const { data, routerAddress: to } = built
      const swap = decodeKyberSwap(data)
      const paid = swap && feesOfKyberSwap(swap)
      if (paid?.map(asText).join() !== fees.map(asText).join())
        throw unusableResponseError(provider, `${label} returned other fees than requested`, status)
      // The router takes the fees from the amount of its call.
      const whole = { ...offer, amountIn: offer.amountIn + sumOf(fees) }
      const written = { data, swap, to, status }
      return aggregatorStep(route, whole, written, { provider, label, router: here.router })
    },
  }
}
