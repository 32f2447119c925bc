import { decodeEventLog } from 'viem/utils'
import { z } from 'zod'
import { Quote } from '../../api/quote.ts'
import type { SwapStatus } from '../../api/swap-status.ts'
import { erc20Abi } from '../../chain/erc20.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { btc } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import type { Token } from '../../domain/token.ts'
import type { QuoteRow } from '../../store/engine/migrations.ts'
import {
  type Bitcoin,
  type BitcoinTransaction,
  type DepositProgress,
  evmHash,
  paidTo,
} from '../../swaps/deposit.ts'
import type { EngineContext } from '../context.ts'
import { depositOf } from './bitcoin-bytecode.ts'
import { lookUpDeposit } from './bitcoin-deposit.ts'
import { depositsOf } from './bitcoin-quote.ts'
import { offerOf, recipientOf, routeOf } from './stored-quote.ts'

/**
 * The status of a swap that begins on Bitcoin. The deposit is looked up by its hash, else among the payments to its address;
 * DEPOSIT_NOT_FOUND for a hash that is not there or pays something else. What a provider says was paid, out or back, counts when the chain
 * of it shows it, and nothing that it says of a deposit that is not on Bitcoin.
 */
export async function bitcoinStatus(
  context: EngineContext,
  row: QuoteRow,
  btcTxHash: string | undefined,
): Promise<SwapStatus> {
  const { bitcoin, providers } = depositsOf(context)
  const { deposit } = depositOf(row)
  const { amountIn, minAmountOut } = offerOf(row)
  const { tokenOut } = routeOf(context, row)
  const recipient = recipientOf(row)!
  const provider = providers.find(({ name }) => name === row.provider)
  if (!provider)
    throw new AppError('PROVIDER_NOT_FOUND', `There is no provider "${row.provider}"`, {
      details: { provider: row.provider },
    })
  const { transaction, confirmations, isLookedUp, notes } = await lookUpDeposit(bitcoin, row, btcTxHash)
  const paid = transaction ? paidTo(transaction, deposit.address) : null
  if (paid !== null && paid < amountIn)
    notes.push(
      `It pays ${formatAmount(paid, btc)}, less than the ${formatAmount(amountIn, btc)} of the quote`,
    )
  if (paid !== null && paid > amountIn)
    notes.push(
      `It pays ${formatAmount(paid, btc)}, more than the ${formatAmount(amountIn, btc)} of the quote`,
    )
  const progress = await provider.status(deposit, transaction, { tokenOut, recipient })
  if (progress.said) notes.push(`The provider says: ${progress.said.slice(0, 200)}`)
  const destination = progress.status === 'refunded' ? undefined : evmHash(progress.destination)
  const seen = { confirmations, isLate: isLookedUp && context.now() > row.expiresAt }
  const due = { tokenOut, recipient, least: minAmountOut, since: row.createdAt }
  const refund = provider.needsRefund ? (z.decode(Quote, JSON.parse(row.wire)).refundAddress ?? null) : null
  const { status: word } = progress
  const shown: Delivery =
    word !== 'fulfilled' && word !== 'refunded'
      ? { status: statusOf(word, seen), delivery: null }
      : isLookedUp && !transaction
        ? { status: statusOf('waiting', seen), delivery: null, note: unpaidText(word) }
        : word === 'fulfilled'
          ? await delivered(context, due, destination)
          : await returned(bitcoin, refund, transaction)
  if (shown.note) notes.push(shown.note)
  return {
    status: shown.status,
    originTxHash: transaction?.txid ?? null,
    destinationTxHash: destination ?? null,
    provider: row.provider,
    deposit: {
      address: deposit.address,
      memo: deposit.memo,
      amount: deposit.amount,
      paid: paid === null ? null : String(paid),
      confirmations,
      until: deposit.until,
      delivery: shown.delivery,
      note: notes.length > 0 ? notes.join('. ') : null,
    },
  }
}

/** One of the seven words for what a provider says. What it does not know yet is as far as the chain says. */
function statusOf(
  status: Exclude<DepositProgress['status'], 'fulfilled'>,
  { confirmations, isLate }: { confirmations: number | null; isLate: boolean },
): string {
  if (status === 'short') return 'pending'
  if (status !== 'waiting') return status
  if (confirmations === null) return isLate ? 'expired' : 'pending'
  return confirmations > 0 ? 'confirmed' : 'pending'
}

const unpaidText = (word: 'fulfilled' | 'refunded'): string =>
  `The provider says that it paid it ${word === 'fulfilled' ? 'out' : 'back'}, and no deposit is on Bitcoin`

type Delivery = { status: string; delivery: 'verified' | 'reported' | null; note?: string }

/** What is to arrive, no earlier than `since` (epoch ms). */
type Due = { tokenOut: Token; recipient: Address; least: bigint; since: number }

/** Whether the chain shows what a provider says that it paid out. Where no node of it is named, it is only reported. */
async function delivered(context: EngineContext, due: Due, hash: Hex | undefined): Promise<Delivery> {
  const { tokenOut, least } = due
  const still = (note: string): Delivery => ({ status: 'processing', delivery: null, note })
  try {
    if (!hash) {
      await context.chain(tokenOut.chainId).rpc.request('eth_blockNumber')
      return still('The provider says that it paid it out, and names no transaction')
    }
    const arrived = await arrivedBy(context, due, hash)
    if (arrived === 'waiting') return still('The payment is not final on its chain yet')
    if (arrived === 'earlier') return still('The provider names a payment from before the quote')
    if (arrived === 'unknown') return { status: 'fulfilled', delivery: 'reported' }
    if (arrived >= least) return { status: 'fulfilled', delivery: 'verified' }
    return {
      status: 'failed',
      delivery: 'verified',
      note: `Only ${formatAmount(arrived, tokenOut)} arrived, and at least ${formatAmount(least, tokenOut)} was promised`,
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const note = `The payment could not be looked up: ${error.message}`
    return error.code === 'CONFIG_INVALID' ? { status: 'fulfilled', delivery: 'reported', note } : still(note)
  }
}

/**
 * Whether Bitcoin shows what a provider says that it paid back. One that refunds to the sender names no address in advance: then it is only
 * reported.
 */
async function returned(
  bitcoin: Bitcoin,
  to: string | null,
  deposit: BitcoinTransaction | undefined,
): Promise<Delivery> {
  if (to === null)
    return { status: 'refunded', delivery: 'reported', note: 'The provider says that it paid it back' }
  const still = (note: string): Delivery => ({ status: 'processing', delivery: null, note })
  try {
    const since = deposit?.height ?? 0
    const { transactions } = await bitcoin.of(to, (one) => (one.height ?? since) < since)
    const back = transactions.find(
      (one) => one.txid !== deposit?.txid && (one.height ?? since) >= since && paidTo(one, to) > 0n,
    )
    if (!back)
      return still(`The provider says that it paid it back to ${to}, and Bitcoin does not show it yet`)
    const amount = formatAmount(paidTo(back, to), btc)
    return { status: 'refunded', delivery: null, note: `Paid back: ${amount} BTC to ${to} in ${back.txid}` }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return still(`The refund could not be looked up: ${error.message}`)
  }
}

type Receipt = {
  status: Hex
  blockNumber: Hex
  logs: { address: Address; topics: [Hex, ...Hex[]] | []; data: Hex }[]
}

/** The largest difference between a chain's clock and ours, in ms. */
const clockMs = 300_000

/** What a transaction brought to the recipient; `unknown` where nothing says how much of the coin it was, `earlier` for one before the quote. */
async function arrivedBy(
  context: EngineContext,
  { tokenOut, recipient, since }: Due,
  hash: Hex,
): Promise<bigint | 'waiting' | 'unknown' | 'earlier'> {
  const { rpc, network } = context.chain(tokenOut.chainId)
  const receipt = await rpc.request<Receipt | null>('eth_getTransactionReceipt', [hash])
  if (!receipt) return 'waiting'
  const head = Number(await rpc.request<Hex>('eth_blockNumber'))
  if (head - Number(receipt.blockNumber) + 1 < network.depth) return 'waiting'
  if (receipt.status !== '0x1') return 0n
  const block = await rpc.request<{ timestamp: Hex } | null>('eth_getBlockByNumber', [
    receipt.blockNumber,
    false,
  ])
  if (!block) return 'waiting'
  if (Number(block.timestamp) * 1_000 < since - clockMs) return 'earlier'
  if (!sameAddress(tokenOut.address, nativeAddress))
    return receipt.logs.reduce((sum, log) => sum + transferred(log, tokenOut, recipient), 0n)
  const sent = await rpc.request<{ to: Address | null; value: Hex } | null>('eth_getTransactionByHash', [
    hash,
  ])
  return sent?.to && sameAddress(sent.to, recipient) ? BigInt(sent.value) : 'unknown'
}

/** What a log says was transferred of a token to a recipient. */
function transferred({ address, topics, data }: Receipt['logs'][number], token: Token, to: Address): bigint {
  if (!sameAddress(address, token.address)) return 0n
  try {
    const { args, eventName } = decodeEventLog({ abi: erc20Abi, topics, data })
    return eventName === 'Transfer' && sameAddress(args.to, to) ? args.value : 0n
  } catch {
    // Another event.
    return 0n
  }
}
