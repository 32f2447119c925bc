import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { subtractSlippage } from '../../domain/slippage.ts'
import type { Token } from '../../domain/token.ts'
import { payingStep } from '../aggregator-step.ts'
import type { OfferRequest, Route, SwapProvider } from '../provider.ts'
import { type ProviderApi, providerApi, unusableResponseError } from '../provider-api.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { halfSlippage, requestedSlippageBps } from '../slippage-for-service.ts'
import type { RelayConstants } from './constants-schema.ts'
import { depositRelay } from './encode.ts'
import { decodeOrder } from './order.ts'
import { findOrderOutcome, type Transfers } from './order-outcome.ts'
import { type PaymentTarget, transferQuery } from './payments.ts'
import { checkQuote, type RelayQuote, readQuote } from './quote-answer.ts'
import { refusals } from './refusals.ts'
import { isPathGone, parseRelayStatus, retiredError, statusPath } from './service-status.ts'

/** The provider name of Relay. */
export const provider = 'relay'
const label = 'Relay'

/** The wallet in quotes for an unknown wallet: the account in Relay's documentation examples. No transaction contains it. */
const placeholderWallet: Address = '0x03508bB71268BBA25ECaCC8F620e01866650532c'

/** The gas of a deposit followed by its order's terms, in units, measured on the contract: of a token, and of the coin. */
const [depositGas, coinDepositGas] = [82_000n, 43_000n]

/** The provider data of an offer, for its status; it is stored as JSON. */
type Raw = { originFromBlock: string; destinationFromBlock: string }

/** A chain of Relay with its service. */
type RelayEnd = RelayConstants & { api: string }

/**
 * A provider of transfers, also into another token, exact input only: a deposit for an order that a solver fills. The service's call is not
 * used: this encodes the deposit for the order in the response, whose hash must be the order id.
 */
export function relay(
  ends: readonly RelayEnd[],
  isSupportedPair: (route: Route) => boolean,
  tokens: readonly Token[],
  network: Pick<
    SwapDependencies,
    'exchangeJson' | 'hasKey' | 'head' | 'logs' | 'mined' | 'callOf' | 'awaited'
  >,
): SwapProvider {
  const on = (chainId: number) => ends.find((end) => end.chainId === chainId)!
  const apiOf = ({ api: base }: RelayEnd): ProviderApi =>
    providerApi({ provider, label, service: 'relay', base, headers: {}, refusals }, network.exchangeJson)

  /** Requests a checked quote, or with `isCall` the call for one that was given. */
  const quoted = async (
    route: Route,
    terms: { amount: bigint; slippageBps: number; wallet: Address; recipient: Address },
    isCall: boolean,
    signal?: AbortSignal,
  ): Promise<RelayQuote> => {
    const { from, to, tokenIn, tokenOut } = route
    const { amount, slippageBps, wallet, recipient } = terms
    const here = on(from.chainId)
    const asked = {
      user: wallet,
      recipient,
      refundTo: wallet,
      originChainId: from.chainId,
      destinationChainId: to.chainId,
      originCurrency: tokenIn.address,
      destinationCurrency: tokenOut.address,
      amount: String(amount),
      tradeType: 'EXACT_INPUT',
      slippageTolerance: String(slippageBps),
      // Deposit the token itself, by a call that contains the order id.
      explicitDeposit: true,
      disableOriginSwaps: true,
      usePermit: false,
      includeProtocolData: true,
    }
    const api = apiOf(here)
    const askAt = async (path: string) => {
      const answer = await api.post(path, asked, signal)
      if (answer.status === 200) return readQuote(answer.body)
      if (!network.hasKey('relay') && isPathGone(answer)) throw retiredError(path, answer.status)
      throw api[isCall ? 'refusedCall' : 'refused'](answer, 'did not return a quote')
    }
    const isKeyed = network.hasKey('relay')
    const first = await askAt(isKeyed ? '/quote/v3' : '/quote/v2')
    // A shape of v3 that this version does not know: the old one says the same while it is served.
    const found =
      isKeyed && (typeof first === 'string' || !first.order)
        ? await askAt('/quote/v2').catch(() => first)
        : first
    const ends = [here, on(to.chainId)] as const
    const read = typeof found === 'string' ? found : checkQuote(found, { ...terms, route }, ends, tokens)
    if (typeof read === 'string') throw unusableResponseError(provider, `${label} ${read}`, 200)
    return read
  }

  return {
    name: provider,
    asksService: true,
    exact: ['in'],
    supports: (route) => (route.speed ?? null) === null && isSupportedPair(route),

    async quote(ask: OfferRequest, signal) {
      const { amount, slippage, exact, refund } = ask
      if (exact === 'out') return undefined
      const wallet = refund ?? placeholderWallet
      const terms = { amount, slippageBps: requestedSlippageBps(slippage), wallet, recipient: wallet }
      const found = await quoted(ask, terms, false, signal)
      const amountOut = found.terms.expected
      if (amountOut === 0n) return undefined
      const minAmountOut = subtractSlippage(amountOut, slippage)
      if (found.terms.minimum < minAmountOut)
        throw unusableResponseError(provider, `${label} returned a lower minimum than requested`, 200)
      const heads = [ask.from, ask.to].map(({ chainId }) => network.head(chainId))
      const [originFromBlock, destinationFromBlock] = (await Promise.all(heads)).map(String)
      return {
        amountIn: amount,
        amountOut,
        maxAmountIn: amount,
        minAmountOut,
        fees: found.fees,
        raw: { originFromBlock, destinationFromBlock },
        gas: sameAddress(ask.tokenIn.address, nativeAddress) ? coinDepositGas : depositGas,
        seconds: found.seconds,
      }
    },

    async build(route, { amountIn, minAmountOut, amountOut }, { wallet, recipient, deadline }) {
      // Request the quote again, now with the wallet.
      const slippageBps = requestedSlippageBps(halfSlippage({ amountOut, minAmountOut }))
      const { id, terms } = await quoted(route, { amount: amountIn, slippageBps, wallet, recipient }, true)
      if (terms.minimum < minAmountOut)
        throw new AppError('QUOTE_EXPIRED', `${label} no longer promises the minimum that it quoted`)
      if (terms.deadline < deadline)
        throw unusableResponseError(
          provider,
          `The fill deadline from ${label} is before the end of the quote`,
          200,
        )
      const { chainId, depository } = on(route.from.chainId)
      const { tokenIn } = route
      const paid = { chainId, depository, depositor: wallet, token: tokenIn.address, amount: amountIn }
      return payingStep(depositRelay({ ...paid, id, terms }), tokenIn, amountIn)
    },

    async status({ from, to, tokenOut }, { raw }, origin, { recipient }) {
      const sent = await paidBy(from.chainId, origin)
      const order = sent?.ok ? decodeOrder({ data: sent.call.input, value: sent.call.value }) : undefined
      if (!order) return { status: 'confirmed' }
      const { originFromBlock, destinationFromBlock } = raw as Raw
      const fromBlock = (chainId: number) =>
        BigInt(chainId === from.chainId ? originFromBlock : destinationFromBlock)
      const chains = {
        transaction: async (chainId: number, hash: Hex) => {
          const found = await paidBy(chainId, hash)
          // A payment before the quote was for another deposit.
          return found && BigInt(found.blockNumber) < fromBlock(chainId) ? { ...found, ok: false } : found
        },
        transfers: (way: PaymentTarget) => transfers(way, fromBlock(way.chainId)),
      }
      const arrival = { chainId: to.chainId, token: tokenOut.address, recipient }
      const here = on(from.chainId)
      const { delivered, returned, said } = await findOrderOutcome(
        { order, solver: here.solver, arrival },
        chains,
        () =>
          apiOf(here)
            .get(statusPath(order.terms.requestId))
            .then(({ body }) => parseRelayStatus(body))
            .catch(() => undefined),
        [],
      )
      if (returned) {
        const { way, found, amount } = returned
        const { chainId, token } = way
        return { status: 'refunded', returned: { chainId, token, amount, hash: found.hash } }
      }
      if (!delivered) return { status: 'processing', ...(said && { said: said.text }) }
      const isShort = delivered.amount < order.terms.minimum
      return { status: isShort ? 'failed' : 'fulfilled', destination: delivered.found.hash }
    },
  }

  /** A mined transaction with its call. */
  async function paidBy(chainId: number, hash: Hex) {
    const [mined, call] = await Promise.all([network.mined(chainId, hash), network.callOf(chainId, hash)])
    return mined && call && { ...mined, call, hash }
  }

  /** The transfers of a token to an account since a block; none for the native coin, which leaves no log. */
  async function transfers(way: PaymentTarget, fromBlock: bigint): Promise<Transfers> {
    if (sameAddress(way.token, nativeAddress)) return { logs: [], isAll: true }
    const { address, topics } = transferQuery(way)
    const query = { address: [address], topics: topics.map((one) => one && [one]) }
    network.awaited?.(way.chainId, query)
    return network.logs(way.chainId, query, fromBlock)
  }
}
