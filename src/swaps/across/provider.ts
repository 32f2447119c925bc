import { z } from 'zod'
import { type Address, EvmAddress, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { numbersAsText } from '../../http/strict-json.ts'
import { keyedBaseOf } from '../../protocols/public-services.ts'
import type { Offer, OfferRequest, Route, SwapProvider } from '../provider.ts'
import { type ProviderApi, providerApi, unusableResponseError } from '../provider-api.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { differingFields } from '../service-answers/asked-fields.ts'
import { exclusivityFault, fillWindow } from './abi.ts'
import type { AcrossConstants } from './constants-schema.ts'
import { accountOf } from './deposit-and-payout-events.ts'
import { depositProgress } from './deposit-status.ts'
import { depositAcross } from './encode.ts'
import { refusals } from './refusals.ts'
import {
  placeholderDepositor,
  quoteRequest,
  quotesPath,
  readV1Quote,
  transferPath,
  transferWords,
} from './v1-api.ts'

/** The provider name of Across. */
export const provider = 'across'

/** A chain with its Across service. */
type AcrossEnd = AcrossConstants & { api: string }

/**
 * The provider data of an offer; it is stored as JSON. `fillDeadline` is the service's suggestion, in Unix seconds. `exclusivity` is the
 * suggested duration or end of the right of one relayer. `orderId` is the number of the quote in version 1 of the service.
 */
type Raw = {
  orderId?: Hex | undefined
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

/** The terms of a deposit that a service suggests for an input; `limits` are those of the older paths. */
type Terms = Pick<
  Suggested,
  'outputAmount' | 'timestamp' | 'fillDeadline' | 'exclusiveRelayer' | 'exclusivityDeadline'
> &
  Partial<Pick<Suggested, 'isAmountTooLow' | 'estimatedFillTimeSec' | 'limits'>> & { orderId?: Hex }

const invalidResponseError = (message: string, status: number) =>
  unusableResponseError(provider, message, status)

/**
 * Whether a failed request to version 1 ends the quote: what the service refuses for a known reason, the key and the limit. Anything else,
 * such as a code of its own or a fault, may be answered by the older paths.
 */
function isFinalRefusal(error: unknown): boolean {
  if (!(error instanceof AppError) || error.details?.provider !== provider) return true
  const passing: readonly unknown[] = ['request', 'fault', 'maintenance', undefined]
  return !passing.includes(error.details.refusal)
}

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
  network: Pick<
    SwapDependencies,
    'exchangeJson' | 'hasKey' | 'passedOver' | 'head' | 'log' | 'logs' | 'read' | 'mined'
  >,
): SwapProvider {
  const on = (chainId: number) => ends.find((end) => end.chainId === chainId)
  const endsOf = ({ from, to }: Pick<Route, 'from' | 'to'>) => [on(from.chainId)!, on(to.chainId)!] as const

  const service = ({ from }: Pick<Route, 'from'>) => (from.testnet ? 'across-testnet' : 'across')
  const apiAt = (route: Pick<Route, 'from'>, base: string): ProviderApi =>
    providerApi(
      { provider, label: 'Across', service: service(route), base, headers: {}, refusals },
      network.exchangeJson,
    )
  /** Version 1 of the service, which wants a key and serves no test network; `undefined` without a key. */
  const v1Of = (route: Route): { api: ProviderApi; host: string } | undefined => {
    if (!network.hasKey(service(route))) return undefined
    const base = keyedBaseOf(service(route), endsOf(route)[0].api)
    return { api: apiAt(route, base), host: new URL(base).host }
  }

  /** Requests a quote of version 1 for an input; `undefined` if it is not used, which `--debug` tells. */
  const quotedByV1 = async (
    route: Route,
    { amount, wallet }: { amount: bigint; wallet: Address | null },
    signal: AbortSignal,
  ): Promise<Terms | undefined> => {
    const v1 = v1Of(route)
    if (!v1) return undefined
    const depositor = wallet ?? placeholderDepositor
    const [here] = endsOf(route)
    const read = await v1.api
      .post(quotesPath, quoteRequest(route, { amount, depositor }), signal)
      .then((answer) => {
        if (answer.status >= 300) throw v1.api.refused(answer, 'did not return a quote')
        return readV1Quote(answer.body, { route, amount, depositor, here })
      })
      .catch((error: unknown) => {
        if (isFinalRefusal(error) || signal.aborted) throw error
        return `is a refusal: ${(error as AppError).message}`
      })
    if (typeof read === 'string') {
      network.passedOver(`${v1.host} ${quotesPath} ${read}; /suggested-fees is asked`)
      return undefined
    }
    const { orderId, terms } = read
    return {
      outputAmount: terms.outputAmount,
      timestamp: terms.quoteTimestamp,
      fillDeadline: terms.fillDeadline,
      exclusiveRelayer: accountOf(terms.exclusiveRelayer),
      exclusivityDeadline: terms.exclusivityParameter,
      // The number follows the transfer of the wallet for which it was given.
      ...(wallet !== null && { orderId }),
    }
  }

  /** Requests the suggestion of the older path for an input. */
  const suggested = async (route: Route, amount: bigint, signal: AbortSignal): Promise<Suggested> => {
    const [here, there] = endsOf(route)
    const query = new URLSearchParams({
      originChainId: String(route.from.chainId),
      destinationChainId: String(route.to.chainId),
      inputToken: route.tokenIn.address,
      outputToken: route.tokenOut.address,
      amount: String(amount),
    })
    const api = apiAt(route, here.api)
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
      let isV1 = true
      const termsFor = async (amount: bigint): Promise<Terms> => {
        const quoted = isV1 ? await quotedByV1(ask, { amount, wallet: ask.refund }, signal) : undefined
        isV1 = quoted !== undefined
        return quoted ?? suggested(ask, amount, signal)
      }
      const first = await termsFor(ask.amount)
      const costOf = (answer: Terms, of: bigint) => of - answer.outputAmount
      // The fee depends on the input. For an exact output, request it again with the resulting input.
      const roughInput = ask.amount + costOf(first, ask.amount)
      const answer = ask.exact === 'in' ? first : await termsFor(roughInput)
      const amountIn = ask.exact === 'in' ? ask.amount : ask.amount + costOf(answer, roughInput)
      refuseAmount(ask, answer, amountIn)
      const amountOut = ask.exact === 'in' ? answer.outputAmount : ask.amount
      if (amountOut === 0n) return undefined
      const [originHead, destinationHead] = await Promise.all(
        [ask.from, ask.to].map(({ chainId }) => network.head(chainId)),
      )
      return offer(ask, { amountIn, amountOut }, answer, {
        orderId: answer.orderId,
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

    async status(route, { raw, minAmountOut }, origin) {
      const { orderId, ...since } = raw as Raw
      const progress = await depositProgress(network)(endsOf(route), origin, { ...since, minAmountOut })
      const v1 = v1Of(route)
      if (progress.status !== 'processing' || orderId === undefined || !v1) return progress
      // Only the chains show an outcome; until then the service's words are shown as its own.
      const said = await v1.api
        .get(transferPath(orderId))
        .then(({ body }) => transferWords(body, orderId))
        .catch(() => undefined)
      return said === undefined ? progress : { ...progress, said }
    },
  }
}

/** The right of one relayer to fill the deposit alone at first; none without a relayer or a time. */
const exclusivityOf = ({
  exclusiveRelayer: relayer,
  exclusivityDeadline: parameter,
}: Terms): Raw['exclusivity'] =>
  parameter === 0 || sameAddress(relayer, nativeAddress) ? undefined : { relayer, parameter }

/** Refuses an input outside the service's limits. */
function refuseAmount({ tokenIn }: OfferRequest, { isAmountTooLow, limits }: Terms, amountIn: bigint): void {
  if (!limits) return
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
  { estimatedFillTimeSec }: Terms,
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
