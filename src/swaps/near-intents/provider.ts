import { z } from 'zod'
import { nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { btc, chainOfBitcoinAddress, isOnBitcoin } from '../../domain/bitcoin.ts'
import { subtractSlippage } from '../../domain/slippage.ts'
import type { Token } from '../../domain/token.ts'
import {
  type DepositDefinition,
  type DepositProgress,
  type DepositRequest,
  evmHash,
  isTooLate,
} from '../deposit-provider.ts'
import { providerApi, unusableResponseError } from '../provider-api.ts'
import { refusals } from './refusals.ts'
import { isSignedBy } from './signature.ts'

const name = 'near-intents'
const label = 'NEAR Intents 1Click'

/** The service's asset id of BTC. Asked for its older id, it signs this one (recorded since June 2026; defuse-frontend#990, cow-sdk#882). */
const btcAsset = '1cs_v1:btc:native:coin'

/** All ids that the service signs for BTC. The older one is deprecated since May 2026. */
const btcAssets: readonly string[] = [btcAsset, 'nep141:btc.omft.near']

/**
 * The service's chain names (npm:@defuse-protocol/one-click-sdk-typescript@0.1.25, `TokenResponse.blockchain`), and those of the sandbox.
 */
const blockchains: Readonly<Record<number, string>> = {
  1: 'eth',
  10: 'op',
  56: 'bsc',
  100: 'gnosis',
  137: 'pol',
  8453: 'base',
  42161: 'arb',
  43114: 'avax',
  534352: 'scroll',
  31337: 'sandbox-one',
  31338: 'sandbox-two',
}

/** The requested lifetime of a deposit address, in ms: with a low fee, it may take hours until a deposit is mined. */
const lifetimeMs = 4 * 3_600_000

const Amount = z.string().regex(/^\d{1,78}$/)
const Time = z.iso.datetime({ offset: true })
const Asset = z.object({
  assetId: z.string(),
  decimals: z.int(),
  blockchain: z.string(),
  symbol: z.string(),
  contractAddress: z.string().nullish(),
})
const Answer = z.looseObject({
  timestamp: z.string(),
  signature: z.string(),
  quoteRequest: z.looseObject({
    dry: z.literal(false),
    swapType: z.literal('EXACT_INPUT'),
    slippageTolerance: z.number(),
    originAsset: z.string(),
    depositType: z.literal('ORIGIN_CHAIN'),
    destinationAsset: z.string(),
    amount: Amount,
    refundTo: z.string(),
    refundType: z.literal('ORIGIN_CHAIN'),
    recipient: z.string(),
    recipientType: z.literal('DESTINATION_CHAIN'),
    deadline: Time,
  }),
  quote: z.looseObject({
    depositAddress: z.string(),
    depositMemo: z.string().nullish(),
    amountIn: Amount,
    amountOut: Amount,
    minAmountOut: Amount,
    deadline: Time,
    timeWhenInactive: Time.optional(),
    timeEstimate: z.number().optional(),
    refundFee: Amount.optional(),
  }),
})
/** The provider data of an offer: the signed answer, and the service's asset for the token. */
const Raw = z.object({ asset: Asset, answer: Answer })

const Hashes = z.array(z.object({ hash: z.string() }))
const Status = z.object({
  status: z.string(),
  swapDetails: z
    .object({
      destinationChainTxHashes: Hashes.nullish(),
      refundReason: z.string().nullish(),
    })
    .nullish(),
})
/** The older shape of a status response: a list of deposits (recorded: test/swaps/samples/near-intents-status-btc-refunded.json). */
const Listed = z.array(z.object({ depositAddress: z.string(), status: z.string() }))

/** The service's statuses as ours; others become `processing`. */
const states: Readonly<Record<string, DepositProgress['status']>> = {
  PENDING_DEPOSIT: 'waiting',
  KNOWN_DEPOSIT_TX: 'waiting',
  INCOMPLETE_DEPOSIT: 'short',
  PROCESSING: 'processing',
  SUCCESS: 'fulfilled',
  REFUNDED: 'refunded',
  FAILED: 'failed',
}

/** Maps a status of the service to ours; an unknown one becomes `processing` with its text. */
const stateOf = (word: string): DepositProgress =>
  states[word] ? { status: states[word] } : { status: 'processing', said: word }

/** Whether the service's asset is the token: same chain, contract and decimals. A native coin has no contract. */
const isAsset = (asset: z.output<typeof Asset>, token: Token): boolean =>
  asset.blockchain === blockchains[token.chainId] &&
  asset.decimals === token.decimals &&
  (sameAddress(token.address, nativeAddress)
    ? !asset.contractAddress && asset.symbol === token.symbol
    : asset.contractAddress !== undefined &&
      asset.contractAddress !== null &&
      sameAddress(asset.contractAddress, token.address))

const toleranceOf = (slippage: number): number => Math.floor(slippage * 10_000 + 1e-6)

/** The names of the signed fields that differ from the request. */
function differences(
  { quoteRequest: asked, quote }: z.output<typeof Answer>,
  assetId: string,
  ask: DepositRequest,
): string[] {
  const amount = String(ask.amount)
  const isSame = {
    originAsset: btcAssets.includes(asked.originAsset),
    destinationAsset: asked.destinationAsset === assetId,
    amount: asked.amount === amount && quote.amountIn === amount,
    refundTo: asked.refundTo === ask.refund,
    recipient: sameAddress(asked.recipient, ask.recipient),
    slippageTolerance: asked.slippageTolerance <= toleranceOf(ask.slippage),
    // The service rounds differently, so allow one unit.
    minAmountOut: BigInt(quote.minAmountOut) + 1n >= subtractSlippage(BigInt(quote.amountOut), ask.slippage),
    depositMemo: !quote.depositMemo,
    customRecipientMsg: !quote.customRecipientMsg && !asked.customRecipientMsg,
    virtualChainRecipient: !quote.virtualChainRecipient && !asked.virtualChainRecipient,
    virtualChainRefundRecipient: !quote.virtualChainRefundRecipient && !asked.virtualChainRefundRecipient,
  }
  return Object.entries(isSame).flatMap(([field, same]) => (same ? [] : [field]))
}

/**
 * Swaps by 1Click of NEAR Intents: the user pays BTC to an address that is made for the swap. The service signs its quote with deposit
 * address, amounts, recipient and refund address; this verifies the signature before any payment instruction is shown.
 */
export const nearIntents: DepositDefinition = {
  name,
  proof: 'signature of the provider',
  orderOf: ({ address }) => `${name}:${address.toLowerCase()}`,
  refusals,

  check: ({ oneClick, chain }, raw, ask) => {
    const read = Raw.safeParse(raw)
    if (!read.success || !oneClick) throw unusableResponseError(name, `${label} did not return a quote`, 200)
    const { asset, answer } = read.data
    const { quote } = answer
    if (!isSignedBy(oneClick.publicKey, answer))
      throw unusableResponseError(
        name,
        `The quote of ${label} is not signed with its key. Nothing was paid; do not pay`,
        200,
      )
    const differing = isAsset(asset, ask.tokenOut)
      ? differences(answer, asset.assetId, ask)
      : ['destinationAsset']
    if (differing.length > 0)
      throw unusableResponseError(
        name,
        `${label} signed another swap than requested. It differs in ${differing.join(', ')}`,
        200,
      )
    if (chainOfBitcoinAddress(quote.depositAddress) !== chain)
      throw unusableResponseError(
        name,
        `${label} returned a deposit address that is not on this Bitcoin chain`,
        200,
      )
    // Refunds begin at the requested deadline. That of the quote is 72 hours later.
    const { quoteRequest } = answer
    const ends = [quoteRequest.deadline, quote.deadline, quote.timeWhenInactive ?? quote.deadline]
    const until = Math.min(...ends.map((time) => Date.parse(time)))
    if (isTooLate(until, ask))
      throw unusableResponseError(
        name,
        `${label} signed a deadline that is more than a day away. Do not pay`,
        200,
      )
    const fee = quote.refundFee ? `, less ${formatAmount(BigInt(quote.refundFee), btc)}` : ''
    return {
      address: quote.depositAddress,
      memo: null,
      amount: ask.amount,
      amountOut: BigInt(quote.amountOut),
      minAmountOut: BigInt(quote.minAmountOut),
      until,
      late: `A payment below the amount, or one that cannot be swapped, is refunded to ${ask.refund} after the deadline${fee}. An excess is refunded after the swap. A payment after the deadline may be lost.`,
      refundFee: BigInt(quote.refundFee ?? 0),
      seconds: quote.timeEstimate ?? null,
    }
  },

  open: (bitcoin, { exchangeJson, now }) => {
    const { oneClick } = bitcoin
    if (!oneClick) return undefined
    const api = providerApi(
      { provider: name, label, service: name, base: oneClick.api, headers: {}, refusals },
      exchangeJson,
    )
    return {
      name,
      needsRefund: true,
      supports: (token) => !isOnBitcoin(token) && blockchains[token.chainId] !== undefined,

      quote: async (ask, signal) => {
        const { status: listed, body: list } = await api.get('/v0/tokens', signal)
        const known = z.array(z.unknown()).safeParse(list)
        if (!known.success) throw unusableResponseError(name, `${label} did not return its tokens`, listed)
        // Tokens of other chains may have another shape.
        const assets = known.data.flatMap((one) => Asset.safeParse(one).data ?? [])
        const [asset, other] = assets.filter((one) => isAsset(one, ask.tokenOut))
        if (!asset || other) return undefined
        const request = {
          dry: false,
          swapType: 'EXACT_INPUT',
          slippageTolerance: toleranceOf(ask.slippage),
          originAsset: btcAsset,
          depositType: 'ORIGIN_CHAIN',
          destinationAsset: asset.assetId,
          amount: String(ask.amount),
          refundTo: ask.refund,
          refundType: 'ORIGIN_CHAIN',
          recipient: ask.recipient,
          recipientType: 'DESTINATION_CHAIN',
          deadline: new Date(now() + lifetimeMs).toISOString(),
        }
        const response = await api.post('/v0/quote', request, signal)
        // The service rejects unsupported swaps, such as too small an amount, with a message.
        if (response.status >= 400) throw api.refused(response, 'did not return a quote')
        const { body } = response
        const raw = { asset, answer: body }
        return { raw, terms: nearIntents.check(bitcoin, raw, ask) }
      },

      status: async ({ address }) => {
        const { status, body } = await api.get(`/v0/status?depositAddress=${encodeURIComponent(address)}`)
        if (status === 404) return { status: 'waiting' }
        const listed = Listed.safeParse(body)
        if (listed.success) {
          const word = listed.data.find(({ depositAddress }) => depositAddress === address)?.status
          return word === undefined ? { status: 'waiting' } : stateOf(word)
        }
        const read = Status.safeParse(body)
        if (!read.success) throw unusableResponseError(name, `${label} did not return a status`, status)
        const { status: word, swapDetails } = read.data
        const destination = swapDetails?.destinationChainTxHashes
          ?.map(({ hash }) => evmHash(hash))
          .find(Boolean)
        return {
          ...stateOf(word),
          ...(destination && { destination }),
          ...(swapDetails?.refundReason && { said: swapDetails.refundReason }),
        }
      },
    }
  },
}
