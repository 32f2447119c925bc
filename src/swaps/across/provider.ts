import { z } from 'zod'
import { type Address, EvmAddress, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { numbersAsText } from '../../http/strict-json.ts'
import type { Offer, OfferRequest, Route, SwapProvider } from '../provider.ts'
import { providerApi, unusableResponseError } from '../provider-api.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { differingFields } from '../service-answers/asked-fields.ts'
import { exclusivityFault, fillWindow } from './abi.ts'
import type { AcrossConstants } from './constants-schema.ts'
import { depositProgress } from './deposit-status.ts'
import { depositAcross } from './encode.ts'
import { refusals } from './refusals.ts'

/** The provider name of Across. */
export const provider = 'across'

/** A chain with its Across service. */
type AcrossEnd = AcrossConstants & { api: string }

/**
 * The provider data of an offer; it is stored as JSON. `fillDeadline` is the service's suggestion, in Unix seconds. `exclusivity` is the
 * suggested duration or end of the right of one relayer.
 */
type Raw = {
  quoteTimestamp: number
  fillDeadline: number
  exclusivity?: { relayer: Address; parameter: number } | undefined
  originFromBlock: string
  destinationFromBlock: string
}

const Digits = z
  .string()
  .regex(/^[0-9]{1,60}$/)
  .transform(BigInt)
const Seconds = z
  .string()
  .regex(/^[0-9]{1,10}$/)
  .transform(Number)

/** The used fields of a `/suggested-fees` response: amounts in the smallest unit, times in Unix seconds. */
const Suggested = z.object({
  outputAmount: Digits,
  timestamp: Seconds,
  fillDeadline: Seconds,
  exclusiveRelayer: EvmAddress.default(nativeAddress),
  exclusivityDeadline: Seconds.default(0),
  spokePoolAddress: EvmAddress,
  destinationSpokePoolAddress: EvmAddress,
  isAmountTooLow: z.boolean(),
  estimatedFillTimeSec: Seconds.optional(),
  limits: z.object({ minDeposit: Digits, maxDeposit: Digits }),
})
type Suggested = z.output<typeof Suggested>

const invalidResponseError = (message: string, status: number) =>
  unusableResponseError(provider, message, status)

/** The error for an amount that no relayer accepts. */
const amountLimitError = (message: string, isLow: boolean, details: Record<string, string> = {}) =>
  new AppError('QUOTE_GENERATION_FAILED', message, {
    details: { provider, ...details },
    hint: isLow ? 'Try a larger amount.' : 'Try a smaller amount.',
  })

/** The gas of a deposit, in units, measured on the contract. */
const depositGas = 110_000n

/** How long our deposits may be filled after the deadline of their quote, in seconds: half of the guard's limit, because clocks differ. */
const usualWindow = fillWindow / 2

/**
 * A provider of transfers: a relayer pays out on the destination chain from its own funds. The deposit fixes the output, and an unfilled
 * deposit is refunded on the origin chain. `isSupportedPair` says which routes are supported.
 */
export function across(
  ends: readonly AcrossEnd[],
  isSupportedPair: (route: Route) => boolean,
  network: Pick<SwapDependencies, 'exchangeJson' | 'head' | 'log' | 'logs' | 'read' | 'mined'>,
): SwapProvider {
  const on = (chainId: number) => ends.find((end) => end.chainId === chainId)
  const endsOf = ({ from, to }: Pick<Route, 'from' | 'to'>) => [on(from.chainId)!, on(to.chainId)!] as const

  /** Requests the service's suggestion for an input. */
  const suggested = async (route: Route, amount: bigint, signal: AbortSignal): Promise<Suggested> => {
    const [here, there] = endsOf(route)
    const query = new URLSearchParams({
      originChainId: String(route.from.chainId),
      destinationChainId: String(route.to.chainId),
      inputToken: route.tokenIn.address,
      outputToken: route.tokenOut.address,
      amount: String(amount),
    })
    const api = providerApi(
      {
        provider,
        label: 'Across',
        service: route.from.testnet ? 'across-testnet' : 'across',
        base: here.api,
        headers: {},
        refusals,
      },
      network.exchangeJson,
    )
    const response = await api.get(`/suggested-fees?${query}`, signal)
    const { status, body, text } = response
    const answer =
      status === 200 && body !== undefined ? Suggested.safeParse(numbersAsText(text)).data : undefined
    if (!answer) throw api.refused(response, 'did not return its fees')
    const other = differingFields({
      spokePoolAddress: [here.spokePool, answer.spokePoolAddress],
      destinationSpokePoolAddress: [there.spokePool, answer.destinationSpokePoolAddress],
    })
    if (other)
      throw invalidResponseError(
        `The service of Across returns other contracts than the catalogue: ${other}`,
        status,
      )
    // A relayer never pays out more than the deposit.
    if (answer.outputAmount > amount)
      throw invalidResponseError('The service of Across returns an output above the input', status)
    const { exclusiveRelayer, exclusivityDeadline: exclusivityParameter, timestamp: quoteTimestamp } = answer
    const fault = exclusivityFault({ exclusiveRelayer, exclusivityParameter, quoteTimestamp })
    if (fault) throw invalidResponseError(`The service of Across suggests a deposit that ${fault}`, status)
    return answer
  }

  return {
    name: provider,
    asksService: true,
    // Across has one speed. A request for a speed needs a bridge with several.
    supports: (route) => (route.speed ?? null) === null && isSupportedPair(route),

    async quote(ask, signal) {
      const first = await suggested(ask, ask.amount, signal)
      const costOf = (answer: Suggested, of: bigint) => of - answer.outputAmount
      // The fee depends on the input. For an exact output, request it again with the resulting input.
      const roughInput = ask.amount + costOf(first, ask.amount)
      const answer = ask.exact === 'in' ? first : await suggested(ask, roughInput, signal)
      const amountIn = ask.exact === 'in' ? ask.amount : ask.amount + costOf(answer, roughInput)
      refuseAmount(ask, answer, amountIn)
      const amountOut = ask.exact === 'in' ? answer.outputAmount : ask.amount
      if (amountOut === 0n) return undefined
      const [originHead, destinationHead] = await Promise.all(
        [ask.from, ask.to].map(({ chainId }) => network.head(chainId)),
      )
      return offer(ask, { amountIn, amountOut }, answer, {
        quoteTimestamp: answer.timestamp,
        fillDeadline: answer.fillDeadline,
        exclusivity: exclusivityOf(answer),
        originFromBlock: String(originHead),
        destinationFromBlock: String(destinationHead),
      })
    },

    async build({ from, to, tokenIn, tokenOut }, { amountIn, minAmountOut, raw }, order) {
      const [here] = endsOf({ from, to })
      const { quoteTimestamp, fillDeadline: latest, exclusivity } = raw as Raw
      const fillDeadline = Math.min(latest, order.deadline + usualWindow)
      if (fillDeadline <= order.deadline)
        throw invalidResponseError(
          'The fill deadline from the service of Across is before the end of the quote',
          200,
        )
      return {
        transaction: depositAcross({
          chainId: from.chainId,
          spokePool: here.spokePool,
          depositor: order.wallet,
          recipient: order.recipient,
          inputToken: tokenIn.address,
          outputToken: tokenOut.address,
          amountIn,
          amountOut: minAmountOut,
          destinationChainId: to.chainId,
          quoteTimestamp,
          fillDeadline,
          exclusiveRelayer: exclusivity?.relayer,
          exclusivityParameter: exclusivity?.parameter,
        }),
        needs: { token: tokenIn.address, spender: here.spokePool, amount: amountIn },
      }
    },

    status: async (route, { raw, minAmountOut }, origin) =>
      depositProgress(network)(endsOf(route), origin, { ...(raw as Raw), minAmountOut }),
  }
}

/** The right of one relayer to fill the deposit alone at first; none without a relayer or a time. */
const exclusivityOf = ({
  exclusiveRelayer: relayer,
  exclusivityDeadline: parameter,
}: Suggested): Raw['exclusivity'] =>
  parameter === 0 || sameAddress(relayer, nativeAddress) ? undefined : { relayer, parameter }

/** Refuses an input outside the service's limits. */
function refuseAmount(
  { tokenIn }: OfferRequest,
  { isAmountTooLow, limits }: Suggested,
  amountIn: bigint,
): void {
  const [least, most] = [limits.minDeposit, limits.maxDeposit].map((limit) => formatAmount(limit, tokenIn))
  const details = { minDeposit: String(limits.minDeposit), maxDeposit: String(limits.maxDeposit) }
  if (isAmountTooLow || amountIn < limits.minDeposit)
    throw amountLimitError(`The minimum for Across is ${least}`, true, details)
  if (amountIn > limits.maxDeposit)
    throw amountLimitError(`The current maximum for Across is ${most}`, false, details)
}

function offer(
  { tokenIn, from }: OfferRequest,
  { amountIn, amountOut }: { amountIn: bigint; amountOut: bigint },
  { estimatedFillTimeSec }: Suggested,
  raw: Raw,
): Offer {
  const fee = amountIn - amountOut
  return {
    amountIn,
    amountOut,
    maxAmountIn: amountIn,
    // The deposit fixes the output, so there is no slippage.
    minAmountOut: amountOut,
    fees:
      fee === 0n
        ? []
        : [{ kind: 'bridge', token: tokenIn.address, chainId: from.chainId, amount: String(fee) }],
    raw,
    gas: depositGas,
    seconds: estimatedFillTimeSec ?? null,
  }
}
