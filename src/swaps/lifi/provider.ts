import { z } from 'zod'
import { type Address, CatalogAddress, HexData, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { subtractSlippage } from '../../domain/slippage.ts'
import type { Token } from '../../domain/token.ts'
import type { AcrossConstants } from '../across/constants-schema.ts'
import { depositProgress } from '../across/deposit-status.ts'
import { payingStep } from '../aggregator-step.ts'
import type { OfferFee, OfferRequest, Route, SwapProvider } from '../provider.ts'
import { type ProviderApi, providerApi, ServiceAmount, unusableResponseError } from '../provider-api.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { differingFields } from '../service-answers/asked-fields.ts'
import { halfSlippage, requestedSlippageBps } from '../slippage-for-service.ts'
import { decodeLifi } from './calldata-check.ts'
import type { LifiConstants } from './constants-schema.ts'
import { refusals } from './refusals.ts'

const provider = 'lifi'
const label = 'LI.FI'

/** The wallet in quotes for an unknown wallet: the account in LI.FI's documentation examples. No transaction contains it. */
const placeholderWallet: Address = '0x552008c0f6870c2f77e5cC1d2eb9bdff03e30Ea0'

/** A fee of a quote. `included` means that the amounts already contain it; otherwise it is paid in addition. */
const FeeCost = z.object({
  name: z.string().optional(),
  token: z.object({ address: CatalogAddress, chainId: z.int().optional() }),
  amount: ServiceAmount.optional(),
  included: z.boolean().default(true),
})

/** The used fields of a `/quote` response; `gasCosts` are in units of gas. */
const Quoted = z.object({
  action: z.object({
    fromChainId: z.int(),
    toChainId: z.int(),
    fromToken: z.object({ address: CatalogAddress }),
    toToken: z.object({ address: CatalogAddress }),
    fromAmount: ServiceAmount,
  }),
  estimate: z.object({
    toAmount: ServiceAmount,
    approvalAddress: CatalogAddress.optional(),
    executionDuration: z.number().min(0).max(1e6).optional(),
    feeCosts: z.array(FeeCost).nullish(),
    gasCosts: z.array(z.object({ type: z.string().optional(), estimate: ServiceAmount.max(9) })).optional(),
  }),
  transactionRequest: z.object({ to: CatalogAddress, data: HexData }),
})
type Quoted = z.output<typeof Quoted>

/** A status that names the delivery. Other statuses are ignored, because the chains show the same. */
const Arrived = z.object({
  status: z.literal('DONE'),
  receiving: z.object({ txHash: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)]) }),
})

/** The provider data of a transfer's offer; it is stored as JSON, and is empty for a same-chain swap. */
type Raw = { originFromBlock: string; destinationFromBlock: string }

/** The pools of Across, which deliver LI.FI's transfers. */
type Pools = {
  on: (chainId: number) => AcrossConstants | undefined
  isSupportedPair: (route: Route) => boolean
}

const isFar = ({ from, to }: Pick<Route, 'from' | 'to'>): boolean => from.chainId !== to.chainId

/**
 * A provider of same-chain swaps along a route from LI.FI's service, and of transfers through Across; exact input only. The service encodes
 * the call; only functions that contain recipient and minimum are accepted, and only the catalogue's contracts are called and approved.
 */
export function lifi(
  chains: readonly (LifiConstants & { api: string })[],
  pools: Pools,
  network: Pick<SwapDependencies, 'exchangeJson' | 'head' | 'log' | 'logs' | 'read' | 'mined'>,
): SwapProvider {
  const on = (chainId: number) => chains.find((one) => one.chainId === chainId)
  const apiOf = (chainId: number): ProviderApi =>
    providerApi(
      { provider, label, service: 'lifi', base: on(chainId)!.api, headers: {}, refusals },
      network.exchangeJson,
    )

  /** Requests a quote, or with `isCall` the call for one that was given, and decodes its call. PROVIDER_API_ERROR for a call without terms. */
  const quoted = async (
    route: Route,
    terms: { amount: bigint; slippage: number; wallet: Address; recipient: Address },
    isCall: boolean,
    signal?: AbortSignal,
  ) => {
    const { from, to, tokenIn, tokenOut } = route
    const query = new URLSearchParams({
      fromChain: String(from.chainId),
      toChain: String(to.chainId),
      fromToken: tokenIn.address,
      toToken: tokenOut.address,
      fromAmount: String(terms.amount),
      fromAddress: terms.wallet,
      toAddress: terms.recipient,
      slippage: String(terms.slippage),
      skipSimulation: 'true',
      // Only Across has all its terms in the call; the only exchange step allowed before it is the fee payment.
      ...(isFar(route) && { allowBridges: 'across', allowExchanges: 'none' }),
    })
    const api = apiOf(from.chainId)
    const response = await api.get(`/quote?${query}`, signal)
    const { status } = response
    const answer = status === 200 ? Quoted.safeParse(response.body).data : undefined
    if (!answer) throw api[isCall ? 'refusedCall' : 'refused'](response, 'did not return a quote')
    const fault = faultIn(answer, route, terms.amount)
    if (fault) throw unusableResponseError(provider, `${label} ${fault}`, status)
    const { data } = answer.transactionRequest
    const call = decodeLifi(data)
    if (!call || (call.kind === 'deposit') !== isFar(route))
      throw unusableResponseError(provider, `${label} returned a call whose terms cannot be decoded`, status)
    const taken = call.kind === 'swap' ? call.takes.reduce((sum, one) => sum + one.amount, 0n) : terms.amount
    if (taken !== terms.amount)
      throw unusableResponseError(
        provider,
        `${label} takes ${formatAmount(taken, tokenIn)} for a swap of ${formatAmount(terms.amount, tokenIn)}`,
        status,
      )
    const { minimum } = call
    return { ...answer.estimate, data, minimum, status, kept: call.kind === 'deposit' ? call.kept : 0n }
  }

  const faultIn = (
    { action, estimate: { approvalAddress }, transactionRequest }: Quoted,
    { from, to, tokenIn, tokenOut }: Route,
    amount: bigint,
  ): string | undefined => {
    const { diamond } = on(from.chainId)!
    const other = differingFields({
      fromChainId: [from.chainId, action.fromChainId],
      toChainId: [to.chainId, action.toChainId],
      fromToken: [tokenIn.address, action.fromToken.address],
      toToken: [tokenOut.address, action.toToken.address],
      fromAmount: [amount, action.fromAmount],
    })
    if (other) return `returned another swap than requested: ${other}`
    const isCoin = sameAddress(tokenIn.address, nativeAddress)
    const otherContract = differingFields({
      to: [diamond, transactionRequest.to],
      ...(!isCoin && { approvalAddress: [diamond, approvalAddress] }),
    })
    return otherContract && `returned another contract than the catalogue: ${otherContract}`
  }

  return {
    name: provider,
    asksService: true,
    exact: ['in'],
    supports: (route) =>
      on(route.from.chainId) !== undefined &&
      (isFar(route)
        ? (route.speed ?? null) === null && pools.isSupportedPair(route)
        : !sameAddress(route.tokenIn.address, route.tokenOut.address)),

    async quote(ask: OfferRequest, signal) {
      const { amount, slippage, exact, refund } = ask
      if (exact === 'out') return undefined
      const wallet = refund ?? placeholderWallet
      const terms = { amount, slippage: within(slippage), wallet, recipient: wallet }
      const answer = await quoted(ask, terms, false, signal)
      const { gasCosts = [], feeCosts, executionDuration, minimum, status, kept } = answer
      // The approvals are the program's own.
      const sending = gasCosts.filter(({ type }) => type !== 'APPROVE')
      // The call of a deposit fixes its output.
      const amountOut = isFar(ask) ? minimum : BigInt(answer.toAmount)
      if (amountOut === 0n) return undefined
      const minAmountOut = subtractSlippage(amountOut, slippage)
      if (minimum < minAmountOut || (isFar(ask) && amountOut > amount))
        throw unusableResponseError(
          provider,
          `${label} returned a call that does not match its quote`,
          status,
        )
      const heads = isFar(ask) ? [ask.from, ask.to].map(({ chainId }) => network.head(chainId)) : []
      const [originFromBlock, destinationFromBlock] = (await Promise.all(heads)).map(String)
      return {
        amountIn: amount,
        amountOut,
        maxAmountIn: amount,
        minAmountOut,
        // A deposit states its fees itself: what is kept before it, and what the bridge keeps.
        fees: isFar(ask)
          ? [
              ...feeOf(ask.tokenIn, 'provider', kept),
              ...feeOf(ask.tokenIn, 'bridge', amount - kept - amountOut),
            ]
          : feesIn(feeCosts, ask.from.chainId),
        raw: { originFromBlock, destinationFromBlock },
        ...(sending.length > 0 && { gas: sending.reduce((sum, { estimate }) => sum + BigInt(estimate), 0n) }),
        seconds: isFar(ask) ? (executionDuration ?? null) : 0,
      }
    },

    async build(route, { amountIn, minAmountOut, amountOut }, { wallet, recipient }) {
      // Request the quote again, now with the wallet.
      const slippage = within(halfSlippage({ amountOut, minAmountOut }))
      const answer = await quoted(route, { amount: amountIn, slippage, wallet, recipient }, true)
      if (answer.minimum < minAmountOut)
        throw new AppError('QUOTE_EXPIRED', `${label} no longer promises the minimum that it quoted`)
      const { chainId, diamond } = on(route.from.chainId)!
      return payingStep({ chainId, to: diamond, data: answer.data }, route.tokenIn, amountIn)
    },

    async status(route, { raw, minAmountOut }, origin) {
      const [here, there] = [route.from, route.to].map(({ chainId }) => pools.on(chainId))
      if (!isFar(route) || !here || !there) return { status: 'fulfilled', destination: origin }
      const query = new URLSearchParams({
        txHash: origin,
        fromChain: String(here.chainId),
        toChain: String(there.chainId),
      })
      const reportedFill = async () => {
        const answer = await apiOf(here.chainId)
          .get(`/status?${query}`)
          .catch(() => undefined)
        return Arrived.safeParse(answer?.body).data?.receiving.txHash
      }
      return depositProgress(network)([here, there], origin, { ...(raw as Raw), minAmountOut }, reportedFill)
    },
  }
}

/** The longest kind of a fee that is shown. */
const longestKind = 40

/** A fee in the input of a transfer; none of zero. */
const feeOf = ({ address: token, chainId }: Token, kind: string, amount: bigint): OfferFee[] =>
  amount > 0n ? [{ kind, token, chainId, amount: String(amount) }] : []

/** The fees of a swap on one chain by their names; the amounts contain them, unless they are said to be in addition. A token may be without its chain. */
const feesIn = (costs: Quoted['estimate']['feeCosts'], chainId: number): OfferFee[] =>
  (costs ?? []).flatMap(({ name, token, amount = '0', included }) =>
    BigInt(amount) > 0n
      ? [
          {
            kind: name?.slice(0, longestKind) || 'provider',
            token: token.address,
            chainId: token.chainId ?? chainId,
            amount,
            ...(!included && { included }),
          },
        ]
      : [],
  )

/** The slippage to request from the service, as a fraction. */
const within = (slippage: number): number => requestedSlippageBps(slippage) / 10_000
