import { z } from 'zod'
import { CatalogAddress, HexData } from '../../domain/address.ts'
import { subtractSlippage } from '../../domain/slippage.ts'
import { type FeePayment, sumOf } from '../../protocols/fee-payments.ts'
import { routerToken } from '../aggregator-calldata-check.ts'
import { aggregatorProvider, aggregatorStep } from '../aggregator-step.ts'
import type { SwapProvider } from '../provider.ts'
import { type ProviderApi, providerApi, ServiceAmount, unusableResponseError } from '../provider-api.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { differingFields } from '../service-answers/asked-fields.ts'
import { requestedSlippageBps } from '../slippage-for-service.ts'
import { decodeKyberSwap, feesOfKyberSwap } from './calldata-check.ts'
import type { KyberSwapConstants } from './constants-schema.ts'
import { refusals } from './refusals.ts'

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
  amountIn: ServiceAmount,
  amountOut: ServiceAmount,
  gas: ServiceAmount,
})
const Routes = z.object({
  code: z.literal(0),
  data: z.object({ routeSummary: Summary, routerAddress: CatalogAddress }),
})
const Built = z.object({
  code: z.literal(0),
  data: z.object({ routerAddress: CatalogAddress, data: HexData }),
})
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
    providerApi(
      { provider, label, service: 'kyberswap', base: api, headers: { 'x-client-id': client }, refusals },
      exchangeJson,
    )
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
      const api = apiOf(here)
      const answer = await api.get(`/routes?${query}`, signal)
      const { status } = answer
      const found = Routes.safeParse(answer.body).data?.data
      if (!found) throw api.refused(answer, 'did not return a route')
      const { routeSummary, routerAddress } = found
      const other = differingFields({
        routerAddress: [here.router, routerAddress],
        tokenIn: [asked.tokenIn, routeSummary.tokenIn],
        tokenOut: [asked.tokenOut, routeSummary.tokenOut],
        amountIn: [asked.amountIn, routeSummary.amountIn],
      })
      if (other)
        throw unusableResponseError(
          provider,
          `${label} returned another swap than requested: ${other}`,
          status,
        )
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
      const api = apiOf(here)
      const answer = await api.post('/route/build', {
        routeSummary,
        sender: wallet,
        recipient,
        slippageTolerance,
        deadline: deadline + graceSeconds,
        source: client,
      })
      const { status } = answer
      const built = Built.safeParse(answer.body).data?.data
      if (!built) throw api.refusedCall(answer, 'did not return a transaction')
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
