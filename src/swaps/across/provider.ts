import { z } from 'zod'
import { EvmAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { numbersAsText } from '../../http/strict-json.ts'
import type { AcrossConstants } from '../../protocols/catalog-types.ts'
import type { Ask, Offer, Route, SwapProvider } from '../provider.ts'
import { badAnswer, providerApi } from '../provider-api.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { fillWindow } from './abi.ts'
import { depositProgress } from './deposit-status.ts'
import { depositAcross } from './encode.ts'

/** The name of Across among the providers. */
export const provider = 'across'

/** An end of Across whose service is known. */
type AcrossEnd = AcrossConstants & { api: string }

/** What an offer keeps for its transaction and its status; it is stored as JSON. `fillDeadline` is what the service suggests, in Unix seconds. */
type Raw = {
  quoteTimestamp: number
  fillDeadline: number
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

/** What is used of an answer of `/suggested-fees`: amounts in the smallest unit, times in Unix seconds. */
const Suggested = z.object({
  outputAmount: Digits,
  timestamp: Seconds,
  fillDeadline: Seconds,
  spokePoolAddress: EvmAddress,
  destinationSpokePoolAddress: EvmAddress,
  isAmountTooLow: z.boolean(),
  estimatedFillTimeSec: Seconds.optional(),
  limits: z.object({ minDeposit: Digits, maxDeposit: Digits }),
})
type Suggested = z.output<typeof Suggested>

/** An answer with the status 400 whose cause is the amount. Its text is not shown, and names no limit in a field of its own. */
const Refused = z.object({ code: z.enum(['AMOUNT_TOO_LOW', 'AMOUNT_TOO_HIGH']) })

const wrong = (message: string, status: number) => badAnswer(provider, message, status)

/** The error for an amount that no relayer takes. */
const refusedAmount = (message: string, isLow: boolean, details: Record<string, string> = {}) =>
  new AppError('QUOTE_GENERATION_FAILED', message, {
    details: { provider, ...details },
    hint: isLow ? 'Try a larger amount.' : 'Try a smaller amount.',
  })

/** What a deposit uses, in units of gas, as measured on the contract. */
const depositGas = 110_000n

/** For how long after the deadline of its quote a deposit of ours may be filled, in seconds: half of what the guard allows, as clocks differ. */
const usualWindow = fillWindow / 2

/**
 * Deposits on one chain, which a relayer pays out on the other out of its own funds. What arrives is named in the deposit, so that no less
 * can come; what nobody fills in time is paid back on the first chain. `isCarried` says between which tokens.
 */
export function across(
  ends: readonly AcrossEnd[],
  isCarried: (route: Route) => boolean,
  network: Pick<SwapDependencies, 'exchangeJson' | 'head' | 'log' | 'logs' | 'read' | 'mined'>,
): SwapProvider {
  const on = (chainId: number) => ends.find((end) => end.chainId === chainId)
  const endsOf = ({ from, to }: Pick<Route, 'from' | 'to'>) => [on(from.chainId)!, on(to.chainId)!] as const

  /** What the service suggests for an input. */
  const suggested = async (route: Route, amount: bigint, signal: AbortSignal): Promise<Suggested> => {
    const [here, there] = endsOf(route)
    const query = new URLSearchParams({
      originChainId: String(route.from.chainId),
      destinationChainId: String(route.to.chainId),
      inputToken: route.tokenIn.address,
      outputToken: route.tokenOut.address,
      amount: String(amount),
    })
    const api = providerApi({ provider, label: 'Across', base: here.api, headers: {} }, network.exchangeJson)
    const { status, body, text } = await api.get(`/suggested-fees?${query}`, signal)
    const refused = status === 400 ? Refused.safeParse(body).data?.code : undefined
    if (refused === 'AMOUNT_TOO_LOW') throw refusedAmount('This amount is too little for Across', true)
    if (refused) throw refusedAmount('This amount is more than Across carries now', false)
    if (status === 400) throw wrong('The service of Across has no route for this amount', status)
    const answer =
      status === 200 && body !== undefined ? Suggested.safeParse(numbersAsText(text)).data : undefined
    if (!answer) throw wrong('The service of Across did not name its fees', status)
    const isOurs =
      sameAddress(answer.spokePoolAddress, here.spokePool) &&
      sameAddress(answer.destinationSpokePoolAddress, there.spokePool)
    if (!isOurs) throw wrong('The service of Across names other contracts than the catalogue', status)
    // Nobody pays out more than was deposited.
    if (answer.outputAmount > amount)
      throw wrong('The service of Across names an output above the input', status)
    return answer
  }

  return {
    name: provider,
    asksService: true,
    // It has one speed only; who names one asks for a bridge that has several.
    supports: (route) => (route.speed ?? null) === null && isCarried(route),

    async quote(ask, signal) {
      const first = await suggested(ask, ask.amount, signal)
      const costOf = (answer: Suggested, of: bigint) => of - answer.outputAmount
      // The fee of an exact output is that of the input that it takes, so it is asked for twice.
      const about = ask.amount + costOf(first, ask.amount)
      const answer = ask.exact === 'in' ? first : await suggested(ask, about, signal)
      const amountIn = ask.exact === 'in' ? ask.amount : ask.amount + costOf(answer, about)
      refuseAmount(ask, answer, amountIn)
      const amountOut = ask.exact === 'in' ? answer.outputAmount : ask.amount
      if (amountOut === 0n) return undefined
      const [originHead, destinationHead] = await Promise.all(
        [ask.from, ask.to].map(({ chainId }) => network.head(chainId)),
      )
      return offer(ask, { amountIn, amountOut }, answer, {
        quoteTimestamp: answer.timestamp,
        fillDeadline: answer.fillDeadline,
        originFromBlock: String(originHead),
        destinationFromBlock: String(destinationHead),
      })
    },

    async build({ from, to, tokenIn, tokenOut }, { amountIn, minAmountOut, raw }, order) {
      const [here] = endsOf({ from, to })
      const { quoteTimestamp, fillDeadline: latest } = raw as Raw
      const fillDeadline = Math.min(latest, order.deadline + usualWindow)
      if (fillDeadline <= order.deadline)
        throw wrong('The service of Across gives relayers less time than the quote has', 200)
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
        }),
        needs: { token: tokenIn.address, spender: here.spokePool, amount: amountIn },
      }
    },

    status: async (route, { raw, minAmountOut }, origin) =>
      depositProgress(network)(endsOf(route), origin, { ...(raw as Raw), minAmountOut }),
  }
}

/** Refuses an input that no relayer would take. */
function refuseAmount({ tokenIn }: Ask, { isAmountTooLow, limits }: Suggested, amountIn: bigint): void {
  const [least, most] = [limits.minDeposit, limits.maxDeposit].map((limit) => formatAmount(limit, tokenIn))
  const told = { minDeposit: String(limits.minDeposit), maxDeposit: String(limits.maxDeposit) }
  if (isAmountTooLow || amountIn < limits.minDeposit)
    throw refusedAmount(`Across carries ${least} or more, and this is too little`, true, told)
  if (amountIn > limits.maxDeposit)
    throw refusedAmount(`Across carries at most ${most} now, and this is more`, false, told)
}

function offer(
  { tokenIn, from }: Ask,
  { amountIn, amountOut }: { amountIn: bigint; amountOut: bigint },
  { estimatedFillTimeSec }: Suggested,
  raw: Raw,
): Offer {
  const fee = amountIn - amountOut
  return {
    amountIn,
    amountOut,
    maxAmountIn: amountIn,
    // What is paid out is named in the deposit: it does not slip.
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
