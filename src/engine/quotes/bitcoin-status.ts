import { decodeEventLog } from 'viem/utils'
import type { SwapStatus } from '../../api/swap-status.ts'
import { erc20Abi } from '../../chain/erc20.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { bitcoinHash, btc } from '../../domain/bitcoin.ts'
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
import { depositsOf } from './bitcoin-quote.ts'
import { offerOf, recipientOf, routeOf } from './stored-quote.ts'

/** What was found on Bitcoin: the deposit, how deep it is, and what there is to say of it. */
type Found = { transaction: BitcoinTransaction | undefined; confirmations: number | null; notes: string[] }

/**
 * The status of a swap that begins on Bitcoin. The deposit is looked up by its hash, else among the payments to its address;
 * DEPOSIT_NOT_FOUND for a hash that is not there or pays something else. What a provider says was paid out counts when its chain shows it.
 */
export async function bitcoinStatus(
  context: EngineContext,
  row: QuoteRow,
  btcTxHash: string | undefined,
): Promise<SwapStatus> {
  const { bitcoin, providers } = depositsOf(context)
  const { deposit, earlier } = depositOf(row)
  const { amountIn, minAmountOut } = offerOf(row)
  const { tokenOut } = routeOf(context, row)
  const recipient = recipientOf(row)!
  const provider = providers.find(({ name }) => name === row.provider)
  if (!provider)
    throw new AppError('PROVIDER_NOT_FOUND', `There is no provider "${row.provider}"`, {
      details: { provider: row.provider },
    })
  const { transaction, confirmations, notes } = await lookUp(bitcoin, deposit, earlier, btcTxHash)
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
  const destination = evmHash(progress.destination)
  const shown =
    progress.status === 'fulfilled'
      ? await delivered(context, { tokenOut, recipient, least: minAmountOut }, destination)
      : {
          status: statusOf(progress.status, { confirmations, isLate: context.now() > row.expiresAt }),
          delivery: null,
        }
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

/** Looks up the deposit of a quote, by a hash if there is one. */
async function lookUp(
  bitcoin: Bitcoin,
  deposit: { address: string; memo: string | null },
  earlier: readonly string[] | null,
  typed: string | undefined,
): Promise<Found> {
  const isPaid = (one: BitcoinTransaction) =>
    earlier?.includes(one.txid) === false &&
    paidTo(one, deposit.address) > 0n &&
    (deposit.memo === null || one.memo === deposit.memo)
  const found = async (transaction: BitcoinTransaction, notes: string[]): Promise<Found> => ({
    transaction,
    confirmations: await bitcoin.confirmations(transaction),
    notes,
  })
  const search = async () => (await bitcoin.of(deposit.address)).find(isPaid)
  if (typed === undefined) {
    try {
      const transaction = await search()
      return transaction ? await found(transaction, []) : { transaction, confirmations: null, notes: [] }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return {
        transaction: undefined,
        confirmations: null,
        notes: [`The deposit was not looked up: ${error.message}`],
      }
    }
  }
  const hash = bitcoinHash(typed)
  const details = { btcTxHash: typed, depositAddress: deposit.address }
  if (hash === undefined)
    throw new AppError('DEPOSIT_NOT_FOUND', 'The hash of a Bitcoin transaction has 64 hex digits', {
      details,
    })
  if (earlier?.includes(hash))
    throw new AppError('DEPOSIT_NOT_FOUND', `The transaction ${hash} was there before the quote`, { details })
  const transaction = await bitcoin.transaction(hash)
  if (transaction && paidTo(transaction, deposit.address) > 0n) {
    const isOther = deposit.memo !== null && transaction.memo !== deposit.memo
    return found(transaction, isOther ? ['It does not carry the memo of the quote, and may be lost'] : [])
  }
  if (transaction) {
    const others = transaction.outputs.flatMap(({ address }) => address ?? []).slice(0, 3)
    throw new AppError(
      'DEPOSIT_NOT_FOUND',
      `The transaction pays ${others.join(', ') || 'no address'}, and not the deposit address ${deposit.address}`,
      { details },
    )
  }
  const other = await search()
  if (other)
    return found(other, [
      `The transaction ${hash} is not there: ${other.txid} pays the same deposit, and may have replaced it (RBF)`,
    ])
  throw new AppError('DEPOSIT_NOT_FOUND', `No transaction ${hash} is known on Bitcoin`, { details })
}

type Delivery = { status: string; delivery: 'verified' | 'reported' | null; note?: string }

/** Whether the chain shows what a provider says that it paid out. Without a transaction or a node, it is only reported. */
async function delivered(
  context: EngineContext,
  due: { tokenOut: Token; recipient: Address; least: bigint },
  hash: Hex | undefined,
): Promise<Delivery> {
  const { tokenOut, least } = due
  if (!hash) return { status: 'fulfilled', delivery: 'reported', note: 'The provider names no transaction' }
  try {
    const arrived = await arrivedBy(context, due, hash)
    if (arrived === 'waiting')
      return { status: 'processing', delivery: null, note: 'The payment is not final on its chain yet' }
    if (arrived === 'unknown') return { status: 'fulfilled', delivery: 'reported' }
    if (arrived >= least) return { status: 'fulfilled', delivery: 'verified' }
    return {
      status: 'failed',
      delivery: 'verified',
      note: `Only ${formatAmount(arrived, tokenOut)} arrived, and at least ${formatAmount(least, tokenOut)} was promised`,
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return {
      status: 'fulfilled',
      delivery: 'reported',
      note: `The payment could not be looked up: ${error.message}`,
    }
  }
}

type Receipt = {
  status: Hex
  blockNumber: Hex
  logs: { address: Address; topics: [Hex, ...Hex[]] | []; data: Hex }[]
}

/** What a transaction brought to the recipient; `unknown` where nothing says how much of the coin it was. */
async function arrivedBy(
  context: EngineContext,
  { tokenOut, recipient }: { tokenOut: Token; recipient: Address },
  hash: Hex,
): Promise<bigint | 'waiting' | 'unknown'> {
  const { rpc, network } = context.chain(tokenOut.chainId)
  const receipt = await rpc.request<Receipt | null>('eth_getTransactionReceipt', [hash])
  if (!receipt) return 'waiting'
  const head = Number(await rpc.request<Hex>('eth_blockNumber'))
  if (head - Number(receipt.blockNumber) + 1 < network.depth) return 'waiting'
  if (receipt.status !== '0x1') return 0n
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
