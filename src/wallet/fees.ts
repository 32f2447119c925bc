import { AppError } from '../domain/errors.ts'
import { quantity } from '../net/quantity.ts'
import type { Rpc } from '../net/rpc.ts'

/** The two EIP-1559 fees of a transaction, in wei a unit of gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** The newest block of a chain. `timestamp` is in Unix seconds. */
export type Head = { number: bigint; hash: `0x${string}`; timestamp: number; baseFee: bigint }

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
  const hash = field(block, 'hash')
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash))
    throw new AppError('RPC_INCONSISTENT', `The node at ${rpc.host} has no newest block`)
  return {
    number: quantity(field(block, 'number'), 'the block number'),
    hash: hash as `0x${string}`,
    timestamp: Number(quantity(field(block, 'timestamp'), 'the block time')),
    baseFee: quantity(field(block, 'baseFeePerGas'), 'the base fee'),
  }
}

/** What to pay now: the tip that the node names, and room for the base fee to double. */
export async function currentFees(rpc: Rpc, head: Head): Promise<Fees> {
  const maxPriorityFeePerGas = quantity(await rpc.request('eth_maxPriorityFeePerGas'), 'the tip')
  return { maxPriorityFeePerGas, maxFeePerGas: 2n * head.baseFee + maxPriorityFeePerGas }
}

/** A gas limit with a quarter of room over what was estimated. */
export const withRoom = (gas: bigint): bigint => (gas * 5n + 3n) / 4n
