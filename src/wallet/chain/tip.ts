import { AppError } from '../../domain/errors.ts'
import { mayPass } from '../../net/endpoint.ts'
import { quantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'
import { promptly } from './in-time.ts'

/** How many of the newest blocks tell what tips are paid, and which share of the gas in them was cheaper. */
const recent = { blocks: 10, percentile: 90 }

/** How many times what is usual a tip may be: a market that heats up multiplies it by a few, a wrong unit by a thousand. */
export const unusual = 10n

/** Where nobody paid anything lately, so much is usual, in wei: more than that is needed on no chain that is not busy. */
export const quietTip = 10n ** 9n

/** Where the blocks say nothing of tips, a node is believed up to so much, in wei: those of Polygon refuse a tip below 25 gwei (source: bor), or 30 (source: its older advice). */
export const unproven = 50n * 10n ** 9n

/** A unit of gas never costs a whole coin: a number beyond that is none. In wei. */
const mostOfUnit = 10n ** 18n

/** A fee that a node names, in wei a unit of gas; what cannot be one is RPC_INCONSISTENT. */
export function feeNamed(value: unknown, what: string): bigint {
  const fee = quantity(value, what)
  if (fee <= mostOfUnit) return fee
  throw new AppError('RPC_INCONSISTENT', `The node gives a number for ${what} that cannot be: ${fee} wei`)
}

/** How long another endpoint has for each answer about tips, in ms: it can only make it cheaper. */
const peerMs = 3_000

/** The tip to pay now: the lowest that any endpoint of the chain names, and of none more than it can show that others paid. Another one that says nothing within `longestMs` names none. */
export async function usualTip(rpc: Rpc, baseFee: bigint, longestMs = peerMs): Promise<bigint> {
  const tips = await Promise.all([
    tipOf(rpc, baseFee),
    ...rpc.peers.map((peer) =>
      tipOf(promptly(peer, longestMs), baseFee).catch((error: unknown) => {
        // An endpoint that does not answer well cannot make it cheaper.
        if (error instanceof AppError && error.code.startsWith('RPC_')) return undefined
        throw error
      }),
    ),
  ])
  const named = tips.filter((tip) => tip !== undefined)
  return named.length === 0 ? quietTip : named.reduce((least, tip) => (tip < least ? tip : least))
}

/**
 * What one endpoint names, and where it names none, what was paid lately, or what its gas price has beyond the base fee, as viem does; where that is
 * far from everything usual, what was paid lately. Nothing, where it says none of that.
 */
async function tipOf(rpc: Rpc, baseFee: bigint): Promise<bigint | undefined> {
  const [named, paid] = await Promise.all([numberOf(rpc, 'eth_maxPriorityFeePerGas'), paidLately(rpc)])
  const said = named ?? (paid || (await inGasPrice(rpc, baseFee)))
  if (said === undefined) return undefined
  const usual = larger(paid ?? 0n, quietTip)
  const most = unusual * larger(usual, 2n * baseFee)
  return said > (paid === undefined ? larger(most, unproven) : most) ? usual : said
}

async function inGasPrice(rpc: Rpc, baseFee: bigint): Promise<bigint | undefined> {
  const price = await numberOf(rpc, 'eth_gasPrice')
  return price === undefined || price < baseFee ? undefined : price - baseFee
}

const numberOf = (rpc: Rpc, method: string): Promise<bigint | undefined> =>
  ifKnown(rpc.request(method).then((answer) => feeNamed(answer, 'the tip')))

/** The tip that most of the newest blocks would have taken: the median of their rewards. Nothing, where the node keeps no account of it. */
async function paidLately(rpc: Rpc): Promise<bigint | undefined> {
  const asked = [`0x${recent.blocks.toString(16)}`, 'latest', [recent.percentile]]
  const history = await ifKnown(rpc.request<{ reward?: unknown } | null>('eth_feeHistory', asked))
  const rows: unknown[] = Array.isArray(history?.reward) ? history.reward : []
  const rewards = rows
    .flatMap((row: unknown) => {
      const reward: unknown = Array.isArray(row) ? row[0] : undefined
      // Of an empty block some nodes give no row, or an empty one.
      return typeof reward === 'string' && /^0x[0-9a-f]{1,64}$/i.test(reward) ? [BigInt(reward)] : []
    })
    .filter((reward) => reward <= mostOfUnit)
    .toSorted((a, b) => (a < b ? -1 : Number(a > b)))
  return rewards[rewards.length >> 1]
}

/** What a node answers, and nothing where it does not know the question or may not answer it: not every node, and not every plan of a provider, does. */
async function ifKnown<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code } = error
    const isNo = code === 'RPC_ERROR' || code === 'RPC_INCONSISTENT'
    if (isNo || (code === 'RPC_UNREACHABLE' && !mayPass(error))) return undefined
    throw error
  }
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
