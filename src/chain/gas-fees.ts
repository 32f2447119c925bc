import { formatUnits } from 'viem/utils'
import { AppError } from '../domain/errors.ts'
import { advice, sameWith } from '../domain/text/next-step.ts'
import type { ChainClient } from './chain-client.ts'
import type { Head } from './head.ts'
import { isNodeError, isTransientFault } from './rpc/errors.ts'
import { maxGasPrice, parseFee } from './rpc/quantities.ts'
import { withAnswerTimeout } from './rpc/timeouts.ts'

/** How many of the newest blocks are read for tips, and the percentile of their gas. */
const tipHistory = { blocks: 10, percentile: 90 }

/** The most that a tip may be above the usual, as a factor: a busy market multiplies it by a few, a wrong unit by a thousand. */
export const maxTipFactor = 10n

/** The tip without recent payments, in wei: no idle chain needs more. */
export const fallbackTip = 10n ** 9n

/**
 * The most that a node's tip is believed without a history, in wei: Polygon nodes refuse a tip below 25 gwei (source: bor), or 30
 * (source: its older advice).
 */
export const maxUnprovenTip = 50n * 10n ** 9n
/** How long another endpoint may take for each answer about tips, in ms: it can only lower the tip. */
const peerTimeoutMs = 3_000

/** What each node says about tips, asked side by side; a node that gives no answer in time is left out. */
export type Tips = readonly NodeTip[]

/** What one node says about the tip: its suggestion, the tips paid lately, and its gas price if it has neither; wei a unit of gas. */
type NodeTip = { named: bigint | undefined; paid: bigint | undefined; gasPrice: bigint | undefined }

/** Asks every node about tips. Another node without an answer within `longestMs` is left out. */
export async function readTips(rpc: ChainClient, longestMs = peerTimeoutMs): Promise<Tips> {
  const tips = await Promise.all([
    readNodeTip(rpc),
    ...rpc.peers.map((peer) =>
      readNodeTip(withAnswerTimeout(peer, longestMs)).catch((error: unknown) => {
        // A node with a bad answer cannot lower the tip.
        if (error instanceof AppError && error.code.startsWith('RPC_')) return undefined
        throw error
      }),
    ),
  ])
  return tips.filter((tip) => tip !== undefined)
}

/** The tip to pay now: the lowest of all nodes, each limited by the tips that it shows as paid. */
export function tipOf(tips: Tips, baseFee: bigint): bigint {
  const named = tips.map((tip) => believedTip(tip, baseFee)).filter((tip) => tip !== undefined)
  return named.length === 0 ? fallbackTip : named.reduce((least, tip) => (tip < least ? tip : least))
}

/**
 * The tip of one node: what it suggests, otherwise what was paid recently, otherwise its gas price minus the base fee, as in viem.
 * An implausible suggestion is replaced by recent payments. `undefined` without any of these.
 */
function believedTip({ named, paid, gasPrice }: NodeTip, baseFee: bigint): bigint | undefined {
  const beyondBase = gasPrice === undefined || gasPrice < baseFee ? undefined : gasPrice - baseFee
  const said = named ?? (paid || beyondBase)
  if (said === undefined) return undefined
  const usual = larger(paid ?? 0n, fallbackTip)
  const most = maxTipFactor * larger(usual, 2n * baseFee)
  return said > (paid === undefined ? larger(most, maxUnprovenTip) : most) ? usual : said
}

async function readNodeTip(rpc: ChainClient): Promise<NodeTip> {
  const [named, paid] = await Promise.all([numberOf(rpc, 'eth_maxPriorityFeePerGas'), recentTip(rpc)])
  const gasPrice = named === undefined && !paid ? await numberOf(rpc, 'eth_gasPrice') : undefined
  return { named, paid, gasPrice }
}

const numberOf = (rpc: ChainClient, method: string): Promise<bigint | undefined> =>
  ifSupported(rpc.request(method).then((answer) => parseFee(answer, 'the tip')))

/** The tip that the newest blocks would have accepted: the median of their rewards; `undefined` if the node has no fee history. */
async function recentTip(rpc: ChainClient): Promise<bigint | undefined> {
  const asked = [`0x${tipHistory.blocks.toString(16)}`, 'latest', [tipHistory.percentile]]
  const history = await ifSupported(rpc.request<{ reward?: unknown } | null>('eth_feeHistory', asked))
  const rows: unknown[] = Array.isArray(history?.reward) ? history.reward : []
  const rewards = rows
    .flatMap((row: unknown) => {
      const reward: unknown = Array.isArray(row) ? row[0] : undefined
      // Some nodes return no row, or an empty one, for an empty block.
      return typeof reward === 'string' && /^0x[0-9a-f]{1,64}$/i.test(reward) ? [BigInt(reward)] : []
    })
    .filter((reward) => reward <= maxGasPrice)
    .toSorted((a, b) => (a < b ? -1 : Number(a > b)))
  return rewards[rewards.length >> 1]
}

/** A node's answer; `undefined` if it does not support or allow the method: not every node and provider plan does. */
async function ifSupported<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code } = error
    const isNo = isNodeError(error) || code === 'RPC_INCONSISTENT'
    if (isNo || (code === 'RPC_UNREACHABLE' && !isTransientFault(error))) return undefined
    throw error
  }
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** The two EIP-1559 fees of a transaction, in wei a unit of gas. */
export type GasFees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** The current fees: the suggested tip, and room for the base fee to double. */
export const currentFees = async (rpc: ChainClient, head: Head): Promise<GasFees> =>
  feesAt(head, await readTips(rpc))

/** The same from tips that were read already. */
export function feesAt({ baseFee }: Pick<Head, 'baseFee'>, tips: Tips): GasFees {
  const maxPriorityFeePerGas = tipOf(tips, baseFee)
  return { maxPriorityFeePerGas, maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas }
}

/** Limits fees to a cap, with less room for the base fee if that suffices; POLICY_FEE_CAP if the market is above it. */
export function capFees(
  fees: GasFees,
  { baseFee }: Pick<Head, 'baseFee'>,
  cap: bigint | null | undefined,
): GasFees {
  if (cap === null || cap === undefined || fees.maxFeePerGas <= cap) return fees
  const least = baseFee + fees.maxPriorityFeePerGas
  if (least <= cap) return { ...fees, maxFeePerGas: cap }
  // The same room as in a plan: gas may cost more by the time it is typed.
  const enough = formatUnits(roundFeeUp(2n * fees.maxFeePerGas), 9)
  throw new AppError('POLICY_FEE_CAP', `The gas price is ${least} wei now, above the maximum of ${cap} wei`, {
    details: { now: least.toString(), cap: cap.toString(), enough },
    next: advice`Wait for a lower gas price, or allow more than the plan, within the policy: ${sameWith({ '--max-fee': enough })}`,
  })
}

/** Rounds a fee up to a readable number: whole gwei, or thousandths of one. */
export function roundFeeUp(wei: bigint): bigint {
  const unit = [10n ** 9n, 10n ** 6n].find((one) => wei >= 10n * one) ?? 1n
  return ((wei + unit - 1n) / unit) * unit
}

/** Adds a quarter to a gas estimate. */
export const withGasMargin = (gas: bigint): bigint => (gas * 5n + 3n) / 4n
