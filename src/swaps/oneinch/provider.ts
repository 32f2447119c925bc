import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { CatalogAddress, HexData } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { subtractSlippage } from '../../domain/slippage.ts'
import { routerToken } from '../aggregator-calldata-check.ts'
import { aggregatorProvider, aggregatorStep } from '../aggregator-step.ts'
import type { SwapProvider } from '../provider.ts'
import { providerApi, ServiceAmount, unusableResponseError } from '../provider-api.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { keyRefusals } from '../service-answers/service-refusals.ts'
import { decodeOneInchSwap } from './calldata-check.ts'
import { type OneInchConstants, oneInchContracts } from './constants-schema.ts'
import { refusals } from './refusals.ts'

/** The provider name of 1inch. */
export const provider = oneInchContracts.name
const label = '1inch'

/** A chain with its service URL and API key file. */
type Served = { [name in keyof OneInchConstants]-?: NonNullable<OneInchConstants[name]> }

const Key = z
  .string()
  .trim()
  .regex(/^[!-~]{1,200}$/)

/** The used fields of the responses (source: the OpenAPI description of the Classic Swap API v6.1). */
const Quoted = z.object({ dstAmount: ServiceAmount, gas: z.int().nonnegative().optional() })
const Swapped = z.object({ dstAmount: ServiceAmount, tx: z.object({ to: CatalogAddress, data: HexData }) })
/** The smallest plan allows one request per second (source: as above), and a swap's call is often requested right after its quote. */
const pauseMs = 1_100

/** Whether the service's rate limit asks for a wait of at most one second, or does not state a wait. */
const wantsPause = (error: unknown): boolean =>
  error instanceof AppError && error.details?.status === 429 && Number(error.details.retryAfterSeconds) <= 1

/**
 * A provider of same-chain swaps by 1inch's aggregator, exact input only, with the user's API key. Its service finds the route and encodes
 * the call, which contains recipient and minimum. Errors never reveal the key.
 */
export function oneInch(
  known: readonly OneInchConstants[],
  { exchangeJson, secretAt }: Pick<SwapDependencies, 'exchangeJson' | 'secretAt'>,
): SwapProvider {
  const chains = known.filter((one): one is Served => one.api !== null && Boolean(one.keyFile))
  const on = (chainId: number) => chains.find((one) => one.chainId === chainId)
  const ask = async ({ api: base, keyFile }: Served, path: string, query: object, signal?: AbortSignal) => {
    const key = Key.safeParse(await secretAt(keyFile)).data
    if (!key)
      throw new AppError(
        'CONFIG_INVALID',
        `${keyFile} does not contain an API key of ${label} as its only line`,
        {
          next: 'For its format: docs/profiles.md',
        },
      )
    const headers = { authorization: `Bearer ${key}` }
    const statuses = keyRefusals(`rejects the API key in ${keyFile}`)
    const api = providerApi(
      { provider, label, service: 'oneinch', base, headers, refusals: { ...refusals, statuses } },
      exchangeJson,
    )
    return { api, answer: await api.get(`${path}?${new URLSearchParams({ ...query })}`, signal) }
  }
  return {
    ...aggregatorProvider(provider, (chainId) => on(chainId) !== undefined),
    ...(chains.length === 0 && {
      setupProblem: 'SLUICE_ONEINCH_FILE, the file with your 1inch API key, is not set (docs/profiles.md)',
    }),

    async quote({ from, tokenIn, tokenOut, exact, amount, slippage }, signal) {
      if (exact === 'out') return undefined
      const [src, dst] = [routerToken(tokenIn), routerToken(tokenOut)]
      const query = { src, dst, amount: String(amount), includeGas: 'true' }
      const { api, answer } = await ask(on(from.chainId)!, '/quote', query, signal)
      const found = Quoted.safeParse(answer.body).data
      if (!found) throw api.refused(answer, 'did not return a quote')
      const amountOut = BigInt(found.dstAmount)
      if (amountOut === 0n) return undefined
      return {
        amountIn: amount,
        amountOut,
        maxAmountIn: amount,
        minAmountOut: subtractSlippage(amountOut, slippage),
        fees: [],
        raw: null,
        ...(found.gas && { gas: BigInt(found.gas) }),
        seconds: 0,
      }
    },

    async build(route, offer, { wallet, recipient }) {
      const { from, tokenIn, tokenOut } = route
      const here = on(from.chainId)!
      const query = {
        src: routerToken(tokenIn),
        dst: routerToken(tokenOut),
        amount: String(offer.amountIn),
        from: wallet,
        origin: wallet,
        receiver: recipient,
        minReturn: String(offer.minAmountOut),
        // The program simulates by itself. Of the router's functions, only `swap` contains all terms.
        disableEstimate: 'true',
        compatibility: 'true',
        allowPartialFill: 'false',
      }
      const { api, answer } = await ask(here, '/swap', query).catch(async (error: unknown) => {
        if (!wantsPause(error)) throw error
        await sleep(pauseMs)
        return ask(here, '/swap', query)
      })
      const { status } = answer
      const made = Swapped.safeParse(answer.body).data
      if (!made) throw api.refusedCall(answer, 'did not return a transaction')
      if (BigInt(made.dstAmount) < offer.minAmountOut)
        throw new AppError('QUOTE_EXPIRED', `${label} no longer swaps at its quote`)
      const { data, to } = made.tx
      const swap = decodeOneInchSwap(data)
      if (!swap)
        throw unusableResponseError(
          provider,
          `${label} returned a call of another function than swap`,
          status,
        )
      return aggregatorStep(
        route,
        offer,
        { data, swap, to, status },
        { provider, label, router: here.router },
      )
    },
  }
}
