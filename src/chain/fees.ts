import { formatUnits } from 'viem/utils'
import { AppError } from '../domain/errors.ts'
import type { ChainClient } from './client.ts'
import { type Head, maxGasPrice, parseFee } from './head.ts'
import { isTransientFault } from './rpc/errors.ts'
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

/**
 * The tip to pay now: the lowest of all endpoints, each limited by the tips that it shows as paid. Another endpoint without an
 * answer within `longestMs` is ignored.
 */
export async function suggestedTip(
  rpc: ChainClient,
  baseFee: bigint,
  longestMs = peerTimeoutMs,
): Promise<bigint> {
  const tips = await Promise.all([
    tipOf(rpc, baseFee),
    ...rpc.peers.map((peer) =>
      tipOf(withAnswerTimeout(peer, longestMs), baseFee).catch((error: unknown) => {
        // An endpoint with a bad answer cannot lower the tip.
        if (error instanceof AppError && error.code.startsWith('RPC_')) return undefined
        throw error
      }),
    ),
  ])
  const named = tips.filter((tip) => tip !== undefined)
  return named.length === 0 ? fallbackTip : named.reduce((least, tip) => (tip < least ? tip : least))
}

/**
 * The tip of one endpoint: what it suggests, otherwise what was paid recently, otherwise its gas price minus the base fee, as in
 * viem. An implausible suggestion is replaced by recent payments. `undefined` without any of these.
 */
async function tipOf(rpc: ChainClient, baseFee: bigint): Promise<bigint | undefined> {
  const [named, paid] = await Promise.all([numberOf(rpc, 'eth_maxPriorityFeePerGas'), recentTip(rpc)])
  const said = named ?? (paid || (await gasPriceTip(rpc, baseFee)))
  if (said === undefined) return undefined
  const usual = larger(paid ?? 0n, fallbackTip)
  const most = maxTipFactor * larger(usual, 2n * baseFee)
  return said > (paid === undefined ? larger(most, maxUnprovenTip) : most) ? usual : said
}

async function gasPriceTip(rpc: ChainClient, baseFee: bigint): Promise<bigint | undefined> {
  const price = await numberOf(rpc, 'eth_gasPrice')
  return price === undefined || price < baseFee ? undefined : price - baseFee
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
    const isNo = code === 'RPC_ERROR' || code === 'RPC_INCONSISTENT'
    if (isNo || (code === 'RPC_UNREACHABLE' && !isTransientFault(error))) return undefined
    throw error
  }
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** The two EIP-1559 fees of a transaction, in wei a unit of gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** The current fees: the suggested tip, and room for the base fee to double. */
export async function currentFees(rpc: ChainClient, head: Head): Promise<Fees> {
  const maxPriorityFeePerGas = await suggestedTip(rpc, head.baseFee)
  return { maxPriorityFeePerGas, maxFeePerGas: 2n * head.baseFee + maxPriorityFeePerGas }
}

/** Limits fees to a cap, with less room for the base fee if that suffices; POLICY_FEE_CAP if the market is above it. */
export function capFees(
  fees: Fees,
  { baseFee }: Pick<Head, 'baseFee'>,
  cap: bigint | null | undefined,
): Fees {
  if (cap === null || cap === undefined || fees.maxFeePerGas <= cap) return fees
  const least = baseFee + fees.maxPriorityFeePerGas
  if (least <= cap) return { ...fees, maxFeePerGas: cap }
  // The same room as in a plan: gas may cost more by the time it is typed.
  const enough = formatUnits(roundFeeUp(2n * fees.maxFeePerGas), 9)
  throw new AppError(
    'POLICY_FEE_CAP',
    `A unit of gas costs ${least} wei now, and at most ${cap} may be paid`,
    {
      details: { now: least.toString(), cap: cap.toString(), enough },
      hint: `Wait until gas costs less, or allow more than the plan does, within the policy: --max-fee ${enough}`,
    },
  )
}

/** Rounds a fee up to a readable number: whole gwei, or thousandths of one. */
export function roundFeeUp(wei: bigint): bigint {
  const unit = [10n ** 9n, 10n ** 6n].find((one) => wei >= 10n * one) ?? 1n
  return ((wei + unit - 1n) / unit) * unit
}

/** Adds a quarter to a gas estimate. */
export const withGasMargin = (gas: bigint): bigint => (gas * 5n + 3n) / 4n
