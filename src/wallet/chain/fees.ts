import { formatUnits } from 'viem/utils'

import { AppError } from '../../domain/errors.ts'
import { hexQuantity, quantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'
import { feeNamed, usualTip } from './tip.ts'

/** The two EIP-1559 fees of a transaction, in wei a unit of gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** The newest block of a chain. `timestamp` is in Unix seconds. */
export type Head = {
  number: bigint
  hash: `0x${string}`
  timestamp: number
  baseFee: bigint
  /** Who made it, where the node says that. */
  miner?: `0x${string}`
}

const field = (block: unknown, name: string): unknown =>
  typeof block === 'object' && block !== null ? (block as Record<string, unknown>)[name] : undefined

/** Reads the newest block, and checks first that the node is on the chain that it should be on. */
export async function readHead(rpc: Rpc, chainId: number): Promise<Head> {
  const [id, block] = await rpc.batch([
    ['eth_chainId', []],
    ['eth_getBlockByNumber', ['latest', false]],
  ])
  const found = quantity(id, 'the chain id')
  if (found !== BigInt(chainId))
    throw new AppError(
      'CHAIN_ID_MISMATCH',
      `The node at ${rpc.host} is on chain ${found}, not on ${chainId}`,
      {
        details: { host: rpc.host, expected: chainId, found: found.toString() },
      },
    )
  return headOf(rpc, block, 'newest block')
}

/** Reads a block by its height; `undefined` where the node has none there. */
export async function headAt(rpc: Rpc, number: bigint): Promise<Head | undefined> {
  const block = await rpc.request('eth_getBlockByNumber', [hexQuantity(number), false])
  return block === null ? undefined : headOf(rpc, block, `block ${number}`)
}

function headOf({ host }: Rpc, block: unknown, which: string): Head {
  const hash = field(block, 'hash')
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash))
    throw new AppError('RPC_INCONSISTENT', `The node at ${host} has no ${which}`)
  const miner = field(block, 'miner')
  return {
    ...(typeof miner === 'string' && /^0x[0-9a-f]{40}$/i.test(miner) && { miner: miner as `0x${string}` }),
    number: quantity(field(block, 'number'), 'the block number'),
    hash: hash.toLowerCase() as `0x${string}`,
    timestamp: Number(quantity(field(block, 'timestamp'), 'the block time')),
    baseFee: feeNamed(field(block, 'baseFeePerGas'), 'the base fee'),
  }
}

/** What to pay now: the tip that is usual, and room for the base fee to double. */
export async function currentFees(rpc: Rpc, head: Head): Promise<Fees> {
  const maxPriorityFeePerGas = await usualTip(rpc, head.baseFee)
  return { maxPriorityFeePerGas, maxFeePerGas: 2n * head.baseFee + maxPriorityFeePerGas }
}

/** Fees that stay within a cap, with less room for the base fee to rise where that is enough; a market above it is POLICY_FEE_CAP. */
export function withinCap(
  fees: Fees,
  { baseFee }: Pick<Head, 'baseFee'>,
  cap: bigint | null | undefined,
): Fees {
  if (cap === null || cap === undefined || fees.maxFeePerGas <= cap) return fees
  const least = baseFee + fees.maxPriorityFeePerGas
  if (least <= cap) return { ...fees, maxFeePerGas: cap }
  // As much room as a plan takes: by the time that it is typed, gas may cost more.
  const enough = formatUnits(roundedUp(2n * fees.maxFeePerGas), 9)
  throw new AppError(
    'POLICY_FEE_CAP',
    `A unit of gas costs ${least} wei now, and at most ${cap} may be paid`,
    {
      details: { now: least.toString(), cap: cap.toString(), enough },
      hint: `Wait until gas costs less, or allow more than the plan does, within the policy: --max-fee ${enough}`,
    },
  )
}

/** A fee that is as easy to read as its size allows, and not less: whole gwei, or thousandths of one. */
export function roundedUp(wei: bigint): bigint {
  const unit = [10n ** 9n, 10n ** 6n].find((one) => wei >= 10n * one) ?? 1n
  return ((wei + unit - 1n) / unit) * unit
}

/** A gas limit with a quarter of room over what was estimated. */
export const withRoom = (gas: bigint): bigint => (gas * 5n + 3n) / 4n
