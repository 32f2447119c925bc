import { decodeEventLog } from 'viem/utils'
import { erc20Abi } from '../../chain/erc20.ts'
import { readHeader } from '../../chain/head.ts'
import type { Chain } from '../../chain/network-client.ts'
import { undefinedIfUnanswered } from '../../chain/rpc/timeouts.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Token } from '../../domain/token.ts'
import type { QuotePayment } from '../../store/engine/quote-payments.ts'
import type { BitcoinTransaction } from '../../swaps/bitcoin-reader.ts'
import { blockClockMs } from './bitcoin-deposit-payments.ts'
import type { DepositChecks, PaymentBook } from './bitcoin-status.ts'
import { type OutcomeEvidence, outcomeNotShown, outcomeReported } from './outcome-evidence.ts'

/** An expected payout for a deposit, no earlier than `since` (epoch ms). */
export type ExpectedPayout = {
  tokenOut: Token
  recipient: Address
  least: bigint
  since: number
  deposit: BitcoinTransaction | undefined
}

/**
 * Checks on the chain whether the provider's payout was made, after its deposit. It counts as reported only without an RPC
 * for the chain or a known deposit, and if the clocks of the two chains do not show which came first.
 */
export async function checkBitcoinPayout(
  context: Pick<DepositChecks, 'chain' | 'now'>,
  due: ExpectedPayout,
  hash: Hex | undefined,
  { takenBy, isOtherDelivery }: Pick<PaymentBook, 'takenBy' | 'isOtherDelivery'>,
): Promise<OutcomeEvidence> {
  const { tokenOut, least, deposit } = due
  const { chainId } = tokenOut
  try {
    if (!hash) {
      await context.chain(chainId).rpc.request('eth_blockNumber')
      return outcomeNotShown('The provider reports a payout but names no transaction')
    }
    const found = await paymentsIn(context, due, hash)
    if (found === 'waiting') return outcomeNotShown('The payment is not final on its chain yet')
    if (found === 'unseen')
      return outcomeNotShown(
        `The provider reports the payout ${hash}, but the node of its chain does not show that transaction`,
      )
    if (found === 'earlier') return outcomeNotShown('The provider names a payment from before the quote')
    if (found === 'unknown')
      return outcomeReported('fulfilled', `The chain does not show how much ${hash} paid to the recipient`)
    if (await isOtherDelivery(hash))
      return outcomeNotShown('The provider names a payment that delivered another action')
    const { payments: all, at } = found
    const free = all.filter(({ idx }) => takenBy({ chainId, hash, idx }) === undefined)
    const [taken] = all.flatMap(({ idx }) => takenBy({ chainId, hash, idx }) ?? [])
    if (free.length === 0)
      return outcomeNotShown(
        taken === undefined
          ? 'The provider names a transaction that pays the recipient nothing'
          : `The provider names a payment that ended the quote ${taken}`,
      )
    const order = orderOf(deposit, at + (await chainLagMs(context, chainId)))
    if (order !== undefined) return order
    const paid = enoughOf(free, least)
    const arrived = paid.reduce((sum, { amount }) => sum + amount, 0n)
    const payments = paid.map(({ idx }): QuotePayment => ({ kind: 'payout', chainId, hash, idx }))
    if (arrived >= least) return { status: 'fulfilled', delivery: 'verified', payments }
    return {
      status: 'failed',
      arrivedShort: true,
      delivery: 'verified',
      note: `Only ${formatAmount(arrived, tokenOut)} arrived; the promised minimum is ${formatAmount(least, tokenOut)}`,
      payments,
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const note = `The payment could not be looked up: ${error.message}`
    return error.code === 'CONFIG_INVALID' ? outcomeReported('fulfilled', note) : outcomeNotShown(note)
  }
}

/** Returns how far the clock of a chain is behind this one, in ms; 0 if it is not, or the node has no pending block. */
async function chainLagMs(
  { chain, now }: Pick<DepositChecks, 'chain' | 'now'>,
  chainId: number,
): Promise<number> {
  const next = await undefinedIfUnanswered(readHeader(chain(chainId).rpc, 'pending'))
  return next ? Math.max(0, now() - 1_000 * Number(next.timestamp)) : 0
}

/**
 * Why a payout at a time (epoch ms) does not count for its deposit: it may be older. A block of Bitcoin may be hours ahead of
 * the time; `undefined` if the payout is newer.
 */
function orderOf(deposit: BitcoinTransaction | undefined, at: number): OutcomeEvidence | undefined {
  if (deposit === undefined)
    return outcomeReported('fulfilled', 'The payment was made, but no deposit is known that it belongs to')
  if (deposit.time === null)
    return outcomeNotShown('The provider reports a payout, but the deposit is in no block')
  const aheadMs = 1_000 * Math.floor(deposit.time / 1_000) - at
  if (aheadMs <= 0) return undefined
  return aheadMs > blockClockMs
    ? outcomeNotShown('The provider names a payment from before the deposit')
    : outcomeReported('fulfilled', 'By the times of their blocks, the payment is older than the deposit')
}

/** A payment within a transaction: the index of its log, or -1 for the transaction's own value. */
type Payment = { idx: number; amount: bigint }

/**
 * Returns the smallest payment that suffices alone, because the others may belong to other quotes; else all of them.
 */
function enoughOf(all: readonly Payment[], least: bigint): readonly Payment[] {
  const [first] = all
    .filter(({ amount }) => amount >= least)
    .toSorted((a, b) => (a.amount < b.amount ? -1 : 1))
  return first ? [first] : all
}

type Receipt = {
  status: Hex
  from: Address
  blockNumber: Hex
  logs: { address: Address; topics: [Hex, ...Hex[]] | []; data: Hex }[]
}

/** Maximum difference between a chain's clock and this one, in ms. */
const clockMs = 300_000

/**
 * Returns the payments of a transaction to the recipient, and the time of its block in epoch ms; `unknown` if the native amount
 * cannot be determined, `earlier` for a payment before the quote, `unseen` for a transaction that is not on the chain.
 */
async function paymentsIn(
  context: Pick<DepositChecks, 'chain'>,
  { tokenOut, recipient, since, least }: ExpectedPayout,
  hash: Hex,
): Promise<{ payments: readonly Payment[]; at: number } | 'waiting' | 'unknown' | 'earlier' | 'unseen'> {
  const { rpc, network } = context.chain(tokenOut.chainId)
  const receipt = await rpc.request<Receipt | null>('eth_getTransactionReceipt', [hash])
  if (!receipt)
    return (await rpc.request<object | null>('eth_getTransactionByHash', [hash])) ? 'waiting' : 'unseen'
  const head = Number(await rpc.request<Hex>('eth_blockNumber'))
  if (head - Number(receipt.blockNumber) + 1 < network.depth) return 'waiting'
  const block = await readHeader(rpc, receipt.blockNumber)
  if (!block) return 'waiting'
  const at = Number(block.timestamp) * 1_000
  if (at < since - clockMs) return 'earlier'
  // Who is paid does not send the payout: the transaction is a swap or a transfer of its own.
  if (receipt.status !== '0x1' || sameAddress(receipt.from, recipient)) return { payments: [], at }
  if (!sameAddress(tokenOut.address, nativeAddress)) {
    const payments = receipt.logs.flatMap((log, idx) => {
      const amount = transferred(log, tokenOut, recipient)
      return amount > 0n ? [{ idx, amount }] : []
    })
    return { payments, at }
  }
  const sent = await rpc.request<{ to: Address | null; value: Hex } | null>('eth_getTransactionByHash', [
    hash,
  ])
  if (sent?.to && sameAddress(sent.to, recipient))
    return { payments: BigInt(sent.value) > 0n ? [{ idx: -1, amount: BigInt(sent.value) }] : [], at }
  const amount = await nativeRise(rpc, recipient, BigInt(receipt.blockNumber))
  return amount !== undefined && amount >= least ? { payments: [{ idx: -1, amount }], at } : 'unknown'
}

/**
 * Returns how much more of the native coin an account has after a block than before it, because a contract that pays the coin
 * leaves no log; `undefined` if the node does not have the state.
 */
async function nativeRise(
  rpc: Chain['rpc'],
  account: Address,
  blockNumber: bigint,
): Promise<bigint | undefined> {
  try {
    const [before, after] = await Promise.all(
      [blockNumber - 1n, blockNumber].map((number) =>
        rpc.request<Hex>('eth_getBalance', [account, `0x${number.toString(16)}`]),
      ),
    )
    return BigInt(after!) - BigInt(before!)
  } catch (error) {
    // The node may have dropped the state of the block.
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** Returns the amount of a token that a log transfers to a recipient. */
function transferred({ address, topics, data }: Receipt['logs'][number], token: Token, to: Address): bigint {
  if (!sameAddress(address, token.address)) return 0n
  try {
    const { args, eventName } = decodeEventLog({ abi: erc20Abi, topics, data })
    return eventName === 'Transfer' && sameAddress(args.to, to) ? args.value : 0n
  } catch {
    // The log is another event.
    return 0n
  }
}
