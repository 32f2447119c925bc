import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Offer, OfferRequest, Route, SwapProvider } from '../provider.ts'
import { unusableResponseError } from '../provider-api.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { fillWindow } from './abi.ts'
import { acrossContracts } from './constants-schema.ts'
import { depositProgress } from './deposit-status.ts'
import { depositAcross } from './encode.ts'
import { type AcrossEnd, acrossService, type SuggestedTerms } from './service.ts'

const { name: provider } = acrossContracts

/**
 * The provider data of an offer; it is stored as JSON. `fillDeadline` is the service's suggestion, in Unix seconds. `exclusivity` is the
 * suggested duration or end of the right of one relayer. `isV1`: version 1 of the service gave the terms,
 * and `orderId` is the number of its quote for the wallet.
 */
type Raw = {
  isV1?: true | undefined
  orderId?: Hex | undefined
  quoteTimestamp: number
  fillDeadline: number
  exclusivity?: { relayer: Address; parameter: number } | undefined
  originFromBlock: string
  destinationFromBlock: string
}

/** The error for an amount that no relayer accepts. */
const amountLimitError = (message: string, isLow: boolean, details: Record<string, string> = {}) =>
  new AppError('QUOTE_GENERATION_FAILED', message, {
    details: { provider, ...details },
    next: isLow ? 'Try a larger amount.' : 'Try a smaller amount.',
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
  const service = acrossService(endsOf, network)

  return {
    name: provider,
    asksService: true,
    // Across has one speed. A request for a speed needs a bridge with several.
    supports: (route) => (route.speed ?? null) === null && isSupportedPair(route),

    async quote(ask, signal) {
      let isV1 = true
      const termsFor = async (amount: bigint): Promise<SuggestedTerms> => {
        const quoted = isV1
          ? await service.quotedByV1(ask, { amount, wallet: ask.refund }, signal)
          : undefined
        isV1 = quoted !== undefined
        return quoted ?? service.suggested(ask, amount, signal)
      }
      const first = await termsFor(ask.amount)
      const costOf = (answer: SuggestedTerms, of: bigint) => of - answer.outputAmount
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
        ...timesOf(answer),
        originFromBlock: String(originHead),
        destinationFromBlock: String(destinationHead),
      })
    },

    async build({ from, to, tokenIn, tokenOut }, { amountIn, minAmountOut, raw }, order) {
      const [here] = endsOf({ from, to })
      const kept = raw as Raw
      // A quote of version 1 is for one wallet: ask for one of this wallet, whose transfer the service then knows. The quoted terms hold
      // without it.
      const asked = kept.isV1 && { amount: amountIn, wallet: order.wallet }
      const again = asked
        ? await service.quotedByV1({ from, to, tokenIn, tokenOut }, asked).catch(() => undefined)
        : undefined
      const used: Raw = again && again.outputAmount >= minAmountOut ? { ...kept, ...timesOf(again) } : kept
      const { quoteTimestamp, fillDeadline: latest, exclusivity } = used
      const fillDeadline = Math.min(latest, order.deadline + usualWindow)
      if (fillDeadline <= order.deadline)
        throw unusableResponseError(
          provider,
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
        ...(used !== kept && { raw: used }),
      }
    },

    async status(route, { raw, minAmountOut }, origin) {
      const { orderId } = raw as Raw
      const progress = await depositProgress(network)(endsOf(route), origin, {
        ...(raw as Raw),
        minAmountOut,
      })
      if (progress.status !== 'processing' || orderId === undefined) return progress
      // Only the chains show an outcome; until then the service's words are shown as its own.
      const said = await service.saidOfTransfer(route, orderId)
      return said === undefined ? progress : { ...progress, said }
    },
  }
}

/** The provider data of some terms, without the blocks from which they are followed. */
const timesOf = (terms: SuggestedTerms): Omit<Raw, 'originFromBlock' | 'destinationFromBlock'> => ({
  isV1: terms.isV1,
  orderId: terms.orderId,
  quoteTimestamp: terms.timestamp,
  fillDeadline: terms.fillDeadline,
  exclusivity: exclusivityOf(terms),
})

/** The right of one relayer to fill the deposit alone at first; none without a relayer or a time. */
const exclusivityOf = ({
  exclusiveRelayer: relayer,
  exclusivityDeadline: parameter,
}: SuggestedTerms): Raw['exclusivity'] =>
  parameter === 0 || sameAddress(relayer, nativeAddress) ? undefined : { relayer, parameter }

/** Refuses an input outside the service's limits. */
function refuseAmount(
  { tokenIn }: OfferRequest,
  { isAmountTooLow, limits }: SuggestedTerms,
  amountIn: bigint,
): void {
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
  { estimatedFillTimeSec }: SuggestedTerms,
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
