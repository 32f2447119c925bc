import { z } from 'zod'
import { type Address, EvmAddress, type Hex, nativeAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { numbersAsText } from '../../http/strict-json.ts'
import { keyedBaseOf } from '../../protocols/public-services.ts'
import type { Route } from '../provider.ts'
import { type ProviderApi, providerApi, unusableResponseError } from '../provider-api.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { differingFields } from '../service-answers/asked-fields.ts'
import { exclusivityFault } from './abi.ts'
import { type AcrossConstants, acrossContracts } from './constants-schema.ts'
import { accountOf } from './deposit-and-payout-events.ts'
import { refusals } from './refusals.ts'
import {
  capabilitiesPath,
  placeholderDepositor,
  quoteRequest,
  quotesPath,
  readV1Quote,
  transferPath,
  transferWords,
} from './v1-api.ts'

const { name: provider } = acrossContracts

/** A chain with its Across service. */
export type AcrossEnd = AcrossConstants & { api: string }

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
export type SuggestedTerms = Pick<
  Suggested,
  'outputAmount' | 'timestamp' | 'fillDeadline' | 'exclusiveRelayer' | 'exclusivityDeadline'
> &
  Partial<Pick<Suggested, 'isAmountTooLow' | 'estimatedFillTimeSec' | 'limits'>> & {
    isV1?: true
    orderId?: Hex
  }

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

/** Asks version 1 what can move from a chain to another, the documented first call with a key; throws what it refuses. */
export async function checkAcrossKey(
  [{ chainId: from, api: base }, { chainId: to }]: readonly [AcrossEnd, AcrossEnd],
  { exchangeJson }: Pick<SwapDependencies, 'exchangeJson'>,
  signal: AbortSignal,
): Promise<void> {
  const of = { provider, label: 'Across', service: provider, headers: {}, refusals }
  const api = providerApi({ ...of, base: keyedBaseOf(provider, base) }, exchangeJson)
  const answer = await api.get(capabilitiesPath({ from, to }), signal)
  if (answer.status >= 300) throw api.refused(answer, 'did not return its routes')
}

/** The service of Across: version 1 with a key, and the older paths. */
export type AcrossService = {
  /** Requests a quote of version 1 for an input; `undefined` without a key, or if it is not used, which `--debug` tells. */
  quotedByV1: (
    route: Route,
    asked: { amount: bigint; wallet: Address | null },
    signal?: AbortSignal,
  ) => Promise<SuggestedTerms | undefined>
  /** Requests the suggestion of the older path for an input. */
  suggested: (route: Route, amount: bigint, signal: AbortSignal) => Promise<Suggested>
  /** The words of version 1 for the state of a transfer; `undefined` without a key or an answer. They are no outcome. */
  saidOfTransfer: (route: Route, orderId: Hex) => Promise<string | undefined>
}

/** Opens the service of Across for the ends of routes. */
export function acrossService(
  endsOf: (route: Route) => readonly [AcrossEnd, AcrossEnd],
  network: Pick<SwapDependencies, 'exchangeJson' | 'hasKey' | 'passedOver'>,
): AcrossService {
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

  const quotedByV1: AcrossService['quotedByV1'] = async (route, { amount, wallet }, signal) => {
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
        if (isFinalRefusal(error) || signal?.aborted) throw error
        return `is a refusal: ${(error as AppError).message}`
      })
    if (typeof read === 'string') {
      network.passedOver(`${v1.host} ${quotesPath} ${read}; /suggested-fees is asked`)
      return undefined
    }
    const { orderId, terms } = read
    return {
      isV1: true,
      outputAmount: terms.outputAmount,
      timestamp: terms.quoteTimestamp,
      fillDeadline: terms.fillDeadline,
      exclusiveRelayer: accountOf(terms.exclusiveRelayer),
      exclusivityDeadline: terms.exclusivityParameter,
      // The number follows the transfer of the wallet for which it was given.
      ...(wallet !== null && { orderId }),
    }
  }

  const suggested: AcrossService['suggested'] = async (route, amount, signal) => {
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
    quotedByV1,
    suggested,
    saidOfTransfer: async (route, orderId) =>
      v1Of(route)
        ?.api.get(transferPath(orderId))
        .then(({ body }) => transferWords(body, orderId))
        .catch(() => undefined),
  }
}
