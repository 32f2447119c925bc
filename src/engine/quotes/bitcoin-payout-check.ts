import { decodeEventLog } from 'viem/utils'
import { erc20Abi } from '../../chain/erc20.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Token } from '../../domain/token.ts'
import type { QuotePayment, TakenBy } from '../../store/engine/quote-payments.ts'
import type { EngineContext } from '../engine-context-types.ts'
import { type OutcomeEvidence, outcomeNotShown } from './outcome-evidence-type.ts'

/** An expected payout, no earlier than `since` (epoch ms). */
export type ExpectedPayout = { tokenOut: Token; recipient: Address; least: bigint; since: number }

/**
 * Checks on the chain whether the provider's payout was made. Without an RPC for the chain, it counts as reported
 * only.
 */
export async function checkBitcoinPayout(
  context: EngineContext,
  due: ExpectedPayout,
  hash: Hex | undefined,
  takenBy: TakenBy,
): Promise<OutcomeEvidence> {
  const { tokenOut, least } = due
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
    if (found === 'unknown') return { status: 'fulfilled', delivery: 'reported' }
    const free = found.filter(({ idx }) => takenBy({ chainId, hash, idx }) === undefined)
    const [taken] = found.flatMap(({ idx }) => takenBy({ chainId, hash, idx }) ?? [])
    if (free.length === 0)
      return outcomeNotShown(
        taken === undefined
          ? 'The provider names a transaction that pays the recipient nothing'
          : `The provider names a payment that ended the quote ${taken}`,
      )
    const paid = enoughOf(free, least)
    const arrived = paid.reduce((sum, { amount }) => sum + amount, 0n)
    const payments = paid.map(({ idx }): QuotePayment => ({ kind: 'payout', chainId, hash, idx }))
    if (arrived >= least) return { status: 'fulfilled', delivery: 'verified', payments }
    return {
      status: 'failed',
      delivery: 'verified',
      note: `Only ${formatAmount(arrived, tokenOut)} arrived; the promised minimum is ${formatAmount(least, tokenOut)}`,
      payments,
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const note = `The payment could not be looked up: ${error.message}`
    return error.code === 'CONFIG_INVALID'
      ? { status: 'fulfilled', delivery: 'reported', note }
      : outcomeNotShown(note)
  }
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
  blockNumber: Hex
  logs: { address: Address; topics: [Hex, ...Hex[]] | []; data: Hex }[]
}

/** Maximum difference between a chain's clock and this one, in ms. */
const clockMs = 300_000

/**
 * Returns the payments of a transaction to the recipient; `unknown` if the native amount cannot be determined,
 * `earlier` for a payment before the quote, `unseen` for a transaction that is not on the chain.
 */
async function paymentsIn(
  context: EngineContext,
  { tokenOut, recipient, since }: ExpectedPayout,
  hash: Hex,
): Promise<readonly Payment[] | 'waiting' | 'unknown' | 'earlier' | 'unseen'> {
  const { rpc, network } = context.chain(tokenOut.chainId)
  const receipt = await rpc.request<Receipt | null>('eth_getTransactionReceipt', [hash])
  if (!receipt)
    return (await rpc.request<object | null>('eth_getTransactionByHash', [hash])) ? 'waiting' : 'unseen'
  const head = Number(await rpc.request<Hex>('eth_blockNumber'))
  if (head - Number(receipt.blockNumber) + 1 < network.depth) return 'waiting'
  if (receipt.status !== '0x1') return []
  const block = await rpc.request<{ timestamp: Hex } | null>('eth_getBlockByNumber', [
    receipt.blockNumber,
    false,
  ])
  if (!block) return 'waiting'
  if (Number(block.timestamp) * 1_000 < since - clockMs) return 'earlier'
  if (!sameAddress(tokenOut.address, nativeAddress))
    return receipt.logs.flatMap((log, idx) => {
      const amount = transferred(log, tokenOut, recipient)
      return amount > 0n ? [{ idx, amount }] : []
    })
  const sent = await rpc.request<{ to: Address | null; value: Hex } | null>('eth_getTransactionByHash', [
    hash,
  ])
  if (!sent?.to || !sameAddress(sent.to, recipient)) return 'unknown'
  return BigInt(sent.value) > 0n ? [{ idx: -1, amount: BigInt(sent.value) }] : []
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
