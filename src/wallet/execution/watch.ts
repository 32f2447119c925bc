import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { quantity } from '../../net/quantity.ts'
import { hasSucceeded } from '../../net/receipt.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Attempt, Inclusion, Step } from '../../store/operation.ts'
import { blockNumber } from '../chain/block-number.ts'

/** A transaction found in a block that is part of the chain now. `ok` is false when it reverted. */
export type Found = Inclusion & { ok: boolean; logs: readonly Log[] }

/** One event of a receipt. */
export type Log = { address: Address; topics: Hex[]; data: Hex }

type Receipt = {
  transactionHash?: Hex
  from?: string
  to?: string | null
  blockNumber?: string
  blockHash?: Hex
  status?: unknown
  gasUsed?: string
  effectiveGasPrice?: string
  logs?: Log[]
}

/**
 * Looks for a transaction on the chain. Its receipt counts only when the block that it names is the one that stands at
 * that height now: a receipt alone may be of a block that a reorganisation took away. One that names another sender or
 * target than is `expected` is not of this transaction. One that does not say how it ended is RPC_INCONSISTENT.
 */
export async function findOnChain(
  rpc: Rpc,
  hash: Hex,
  expected?: { from: Address; to: Address },
): Promise<Found | undefined> {
  const receipt = await rpc
    .request<Receipt | null>('eth_getTransactionReceipt', [hash])
    .catch(noneIfUnindexed)
  if (!receipt?.blockNumber || !receipt.blockHash || !sameAddress(String(receipt.transactionHash), hash))
    return undefined
  if (
    expected &&
    !(sameAddress(String(receipt.from), expected.from) && sameAddress(String(receipt.to), expected.to))
  )
    return undefined
  const block = await rpc.request<{ hash?: Hex } | null>('eth_getBlockByNumber', [receipt.blockNumber, false])
  const blockHash = String(receipt.blockHash).toLowerCase() as Hex
  if (!sameAddress(String(block?.hash), blockHash)) return undefined
  return {
    hash,
    blockNumber: Number(quantity(receipt.blockNumber, 'the block of a receipt')),
    blockHash,
    gasUsed: quantity(receipt.gasUsed, 'the gas used'),
    gasPrice: quantity(receipt.effectiveGasPrice ?? '0x0', 'the gas price'),
    ok: await hasSucceeded(rpc, receipt),
    logs: receipt.logs ?? [],
  }
}

/** A node that has not indexed all its blocks yet says so of whatever it does not find (Geth): it is not found. */
function noneIfUnindexed(error: unknown): null {
  const words = error instanceof AppError && error.code === 'RPC_ERROR' ? error.details?.message : ''
  if (/indexing is in progress/i.test(String(words))) return null
  throw error
}

/** The first of a step's attempts that is on the chain. At most one can be, because they share a nonce. */
export async function findStep(
  rpc: Rpc,
  { wallet }: Pick<Step, 'wallet'>,
  attempts: readonly Pick<Attempt, 'hash' | 'transaction'>[],
): Promise<Found | undefined> {
  for (const { hash, transaction } of attempts) {
    const found = await findOnChain(rpc, hash, { from: wallet, to: transaction.to })
    if (found) return found
  }
  return undefined
}

/** How many blocks confirm a block, itself included. */
export const confirmationsOf = async (rpc: Rpc, at: number): Promise<number> =>
  (await blockNumber(rpc)) - at + 1

/** Whether a node is on this machine, where asking often costs nothing. */
export const isLocal = ({ host }: Rpc): boolean =>
  /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?$/.test(host)
