import { z } from 'zod'
import { sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { btc, chainOfBitcoinAddress, isOnBitcoin } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import { subtractSlippage } from '../../domain/slippage.ts'
import { hostOf } from '../../http/client.ts'
import type { BitcoinConstants } from '../../protocols/bitcoin-services.ts'
import type { BitcoinTransaction } from '../bitcoin-reader.ts'
import {
  type DepositDefinition,
  type DepositProgress,
  type DepositRequest,
  evmHash,
  isTooLate,
} from '../deposit-provider.ts'
import { providerApi, unusableResponseError } from '../provider-api.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { fromThor, isDestination, namesAsset, readSwapMemo, thorAsset } from './memo.ts'
import { refusals } from './refusals.ts'

const name = 'thorchain'

const label = 'THORChain'

/** The longest text of an OP_RETURN output, in bytes. */
const longestMemo = 80

const Amount = z.string().regex(/^\d{1,30}$/)

const Quote = z.looseObject({
  memo: z.string(),
  inbound_address: z.string(),
  expected_amount_out: Amount,
  expiry: z.int().positive(),
  dust_threshold: Amount.optional(),
  recommended_min_amount_in: Amount.optional(),
  total_swap_seconds: z.int().optional(),
})

/** The provider data of an offer: the response. */
const Raw = z.object({ answer: Quote })

const Coin = z.object({ asset: z.string(), amount: Amount })

const Stage = z.object({ completed: z.boolean() })

const Status = z.object({
  planned_out_txs: z
    .array(z.object({ chain: z.string(), to_address: z.string(), coin: Coin, refund: z.boolean() }))
    .nullish(),
  out_txs: z
    .array(
      z.object({
        id: z.string().optional(),
        chain: z.string().optional(),
        to_address: z.string().optional(),
        coins: z.array(Coin),
        memo: z.string().optional(),
      }),
    )
    .nullish(),
  stages: z.object({
    inbound_observed: z.object({ completed: z.boolean(), final_count: z.int().optional() }),
    outbound_signed: Stage.nullish(),
  }),
})

/** How a memo differs from the request; `undefined` if it matches. */
function memoFault(memo: string, ask: DepositRequest, least: bigint): string | undefined {
  const read = readSwapMemo(memo)
  if (!read) return 'it is not the memo of a swap, or pays a fee to another address'
  if (!namesAsset(read.asset, ask.tokenOut))
    return `it does not name ${ask.tokenOut.symbol} on ${ask.to.name}`
  if (!isDestination(read.destination, ask.recipient)) return 'it names another recipient'
  // The node rounds differently, so allow one unit.
  if (read.limit === null || read.limit + 1n < least) return 'it has no limit, or one below the minimum'
  return Buffer.byteLength(memo) > longestMemo ? `it is longer than ${longestMemo} bytes` : undefined
}

const check: DepositDefinition['check'] = ({ chain }, raw, ask) => {
  const read = Raw.safeParse(raw)
  if (!read.success) throw unusableResponseError(name, `${label} did not return a quote`, 200)
  const { answer } = read.data
  const expected = BigInt(answer.expected_amount_out)
  const fault = memoFault(answer.memo, ask, subtractSlippage(expected, ask.slippage))
  if (fault)
    throw unusableResponseError(
      name,
      `The memo of ${label} does not match the swap: ${fault}. Do not pay`,
      200,
    )
  if (chainOfBitcoinAddress(answer.inbound_address) !== chain)
    throw unusableResponseError(
      name,
      `${label} returned a deposit address that is not on this Bitcoin chain`,
      200,
    )
  const until = answer.expiry * 1000
  if (isTooLate(until, ask))
    throw unusableResponseError(
      name,
      `${label} returned a deadline that is more than a day away. Do not pay`,
      200,
    )
  const limit = readSwapMemo(answer.memo)!.limit!
  return {
    address: answer.inbound_address,
    memo: answer.memo,
    amount: ask.amount,
    amountOut: fromThor(expected, ask.tokenOut.decimals),
    minAmountOut: fromThor(limit, ask.tokenOut.decimals),
    until,
    late: 'A swap that would return less than the minimum is refunded, less a fee, to the address that paid. Pay from your own address, not from an exchange and not from a taproot address (bc1p). A payment without the memo, or after the deadline, may be lost.',
    // The recommended minimum is four times the refund fee (gitlab.com/thorchain/thornode, merge request 2905).
    refundFee: BigInt(answer.recommended_min_amount_in ?? 0) / 4n,
    seconds: answer.total_swap_seconds ?? null,
  }
}

/** Refuses an amount that a refund's fee would consume. */
function refuseSmall(
  { recommended_min_amount_in, dust_threshold }: z.output<typeof Quote>,
  amount: bigint,
): void {
  const least = [recommended_min_amount_in, dust_threshold].reduce((most, one) => {
    const value = BigInt(one ?? 0)
    return value > most ? value : most
  }, 0n)
  if (amount >= least) return
  throw new AppError(
    'QUOTE_GENERATION_FAILED',
    `The minimum for ${label} is ${formatAmount(least, btc)} here: the fee would consume a smaller refund`,
  )
}

/** The progress in a status response: payout, refund, or both for a swap that is paid out in part, with their transactions. */
function progressOf(
  { planned_out_txs, out_txs, stages }: z.output<typeof Status>,
  chain: string,
  recipient: string,
): DepositProgress {
  const isPaidOut = stages.outbound_signed?.completed === true
  const out = (out_txs ?? []).find(
    (one) => one.chain === chain && one.to_address !== undefined && sameAddress(one.to_address, recipient),
  )
  const back = (out_txs ?? []).find(({ memo }) => memo?.startsWith('REFUND:'))
  const destination = evmHash(out?.id)
  const isPartPlanned = (planned_out_txs ?? []).some(
    (one) => !one.refund && one.chain === chain && sameAddress(one.to_address, recipient),
  )
  if (back || (planned_out_txs ?? []).some(({ refund }) => refund)) {
    if (destination || isPartPlanned)
      return {
        status: isPaidOut && destination ? 'fulfilled' : 'processing',
        said: 'THORChain pays a part and refunds the rest',
        ...(destination && { destination }),
        ...(back?.id && { refund: back.id }),
      }
    return {
      status: isPaidOut ? 'refunded' : 'processing',
      said: 'THORChain refunds it',
      ...(back?.id && { destination: back.id }),
    }
  }
  if (destination) return { status: 'fulfilled', destination }
  return { status: stages.inbound_observed.completed ? 'processing' : 'waiting' }
}

const pathOf = (quote: Record<string, string>): string =>
  `/thorchain/quote/swap?${new URLSearchParams(quote)}`

/**
 * Swaps by THORChain: the user pays BTC to its vault, with a memo of asset, recipient and minimum output. Parsing the memo proves the
 * recipient without trust in the service; only its nodes vouch for the vault address. A refund goes to the paying address.
 */
export const thorchain: DepositDefinition = {
  name,
  proof: 'memo',
  refusals,
  isAddressUnproven: true,
  // The address is a vault of all users, and THORChain takes each payment as a swap of its own, by its hash.
  orderOf: () => null,
  confirmAddress: confirmVault,
  check,

  open: (bitcoin: BitcoinConstants, { exchangeJson }) => {
    const { thornode } = bitcoin
    if (thornode === null) return undefined
    const api = thornodeApi(thornode, exchangeJson)
    return {
      name,
      needsRefund: false,
      supports: (token) => !isOnBitcoin(token) && thorAsset(token) !== undefined,

      quote: async (ask, signal) => {
        const path = pathOf({
          from_asset: 'BTC.BTC',
          to_asset: thorAsset(ask.tokenOut)!,
          amount: String(ask.amount),
          destination: ask.recipient,
          liquidity_tolerance_bps: String(Math.floor(ask.slippage * 10_000 + 1e-6)),
        })
        const response = await api.get(path, signal)
        // For example an asset without a pool, or too small an amount.
        if (response.status >= 400) throw api.refused(response, 'did not return a quote')
        const { body } = response
        const raw = { answer: body }
        const terms = check(bitcoin, raw, ask)
        refuseSmall(Quote.parse(body), ask.amount)
        if (terms.amountOut === 0n) return undefined
        await confirmVault(bitcoin, exchangeJson, terms.address, signal)
        return { raw, terms }
      },

      status: async (_terms, deposit: BitcoinTransaction | undefined, { tokenOut, recipient }) => {
        if (!deposit) return { status: 'waiting' }
        const { status, body } = await api.get(`/thorchain/tx/status/${deposit.txid.toUpperCase()}`)
        if (status === 404) return { status: 'waiting' }
        const read = Status.safeParse(body)
        if (!read.success) throw unusableResponseError(name, `${label} did not return a status`, status)
        return progressOf(read.data, thorAsset(tokenOut)!.split('.')[0]!, recipient)
      },
    }
  },
}

/** The vaults in a node's response (recorded: test/swaps/samples/thorchain-inbound-addresses.json). */
const Inbound = z.array(
  z.object({
    chain: z.string().optional(),
    address: z.string().optional(),
    halted: z.boolean(),
    global_trading_paused: z.boolean().optional(),
    chain_trading_paused: z.boolean().optional(),
  }),
)

/** The API of a THORNode. */
const thornodeApi = (base: string, exchangeJson: SwapDependencies['exchangeJson']) =>
  providerApi(
    {
      provider: name,
      label: 'THORChain',
      service: 'thornode',
      base: base.replace(/\/$/, ''),
      headers: {},
      refusals,
    },
    exchangeJson,
  )

/**
 * Compares a quote's address with the BTC vault of the THORNode, and of a second THORNode if configured. Returns the hosts of the nodes,
 * which all confirm it. PROVIDER_API_ERROR if one names another address or accepts no BTC now.
 */
async function confirmVault(
  { thornode, secondThornode = null }: BitcoinConstants,
  exchangeJson: SwapDependencies['exchangeJson'],
  address: string,
  signal?: AbortSignal,
): Promise<string[]> {
  const nodes = [thornode, secondThornode].filter((one) => one !== null)
  return Promise.all(
    nodes.map(async (node) => {
      const host = hostOf(node)
      const { status, body } = await thornodeApi(node, exchangeJson).get(
        '/thorchain/inbound_addresses',
        signal,
      )
      const vault = Inbound.safeParse(body).data?.find(({ chain }) => chain === 'BTC')
      if (!vault)
        throw unusableResponseError(name, `The node ${host} of THORChain returns no vault for BTC`, status)
      if (vault.halted)
        throw unusableResponseError(name, 'THORChain accepts no BTC now: it is halted', status)
      if (vault.global_trading_paused || vault.chain_trading_paused)
        throw unusableResponseError(name, 'THORChain accepts no BTC now: its trading is paused', status)
      if (vault.address !== address)
        throw unusableResponseError(
          name,
          `The node ${host} of THORChain returns another address for BTC (${vault.address ?? 'none'}) than the quote (${address}). Do not pay`,
          status,
        )
      return host
    }),
  )
}
