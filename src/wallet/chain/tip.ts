import { AppError } from '../../domain/errors.ts'
import { quantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'

/** How many of the newest blocks tell what tips are paid, and which share of the gas in them was cheaper. */
const recent = { blocks: 10, percentile: 90 }

/** How many times what is usual a tip may be: a market that heats up multiplies it by a few, a wrong unit by a thousand. */
const unusual = 10n

/** Where nobody paid anything lately, so much is usual, in wei: more than that is needed on no chain that is not busy. */
const quietTip = 10n ** 9n

/** The tip to pay now: the lowest that any endpoint of the chain names, and of none more than it can show that others paid. */
export async function usualTip(rpc: Rpc, baseFee: bigint): Promise<bigint> {
  const [mine, ...others] = await Promise.all([
    tipOf(rpc, baseFee),
    ...rpc.peers.map((peer) =>
      tipOf(peer, baseFee).catch((error: unknown) => {
        // An endpoint that does not answer well cannot make it cheaper.
        if (error instanceof AppError && error.code.startsWith('RPC_')) return undefined
        throw error
      }),
    ),
  ])
  return others.reduce<bigint>((least, tip) => (tip !== undefined && tip < least ? tip : least), mine!)
}

/** What one endpoint names; where that is far from everything usual, what was paid lately. */
async function tipOf(rpc: Rpc, baseFee: bigint): Promise<bigint> {
  const [named, paid] = await Promise.all([
    rpc.request('eth_maxPriorityFeePerGas').then((answer) => quantity(answer, 'the tip')),
    paidLately(rpc),
  ])
  const usual = larger(paid, quietTip)
  return named > unusual * larger(usual, 2n * baseFee) ? usual : named
}

/** The tip that most of the newest blocks would have taken: the median of their rewards. Nothing, where the node keeps no account of it. */
async function paidLately(rpc: Rpc): Promise<bigint> {
  const asked = [`0x${recent.blocks.toString(16)}`, 'latest', [recent.percentile]]
  const history = await rpc
    .request<{ reward?: unknown } | null>('eth_feeHistory', asked)
    .catch((error: unknown) => {
      // Not every node knows this; without it the tip is compared with the base fee alone.
      if (error instanceof AppError && error.code === 'RPC_ERROR') return null
      throw error
    })
  const rows: unknown[] = Array.isArray(history?.reward) ? history.reward : []
  const rewards = rows
    .map((row) => quantity(Array.isArray(row) ? row[0] : undefined, 'a tip that was paid'))
    .toSorted((a, b) => (a < b ? -1 : Number(a > b)))
  return rewards[rewards.length >> 1] ?? 0n
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
