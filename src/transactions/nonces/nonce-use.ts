import type { ChainClient } from '../../chain/chain-client.ts'
import { newestHeight, readBlock } from '../../chain/head.ts'
import { readNonceCount } from '../../chain/nonce-count.ts'
import { hexQuantity } from '../../chain/rpc/quantities.ts'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'

/** A transaction as a node returns it. */
type Shown = { hash?: Hex; from?: string; nonce?: string; blockNumber?: string | null }

/** The use of a nonce as a node shows it: free, used by a transaction in block `at`, or counted without a named transaction. */
export type NonceUse = { is: 'free' } | { is: 'used'; hash: Hex; at: number } | { is: 'unnamed' }

/** The text for a transaction that used a nonce and that the node does not name. */
export const unnamedTransaction = 'a transaction that the node does not name'

/** Number of newest blocks to search if a node does not serve look-ups by nonce. */
const maxBlocks = 64

/** Number of blocks read in parallel. */
const blocksInParallel = 8

/**
 * Finds the transaction that used a nonce of a wallet: by direct look-up, or in the newest blocks if the node does
 * not support that. Older blocks are not searched.
 */
export async function findNonceUse(
  rpc: ChainClient,
  wallet: Address,
  nonce: number,
  latest?: number,
): Promise<NonceUse> {
  const now = latest ?? (await readNonceCount(rpc, wallet))
  if (nonce >= now) return { is: 'free' }
  const seen = await transactionByNonce(rpc, wallet, nonce)
  if (seen?.hash && seen.blockNumber) return { is: 'used', hash: seen.hash, at: Number(seen.blockNumber) }
  const head = await newestHeight(rpc)
  const least = Math.max(0, head - maxBlocks + 1)
  for (let high = head; high >= least; high -= blocksInParallel) {
    const numbers = Array.from(
      { length: Math.min(blocksInParallel, high - least + 1) },
      (_, back) => high - back,
    )
    const found = (await Promise.all(numbers.map((at) => findInBlock(rpc, at, wallet, nonce)))).find(Boolean)
    if (found) return found
  }
  return { is: 'unnamed' }
}

async function findInBlock(
  rpc: ChainClient,
  at: number,
  wallet: Address,
  nonce: number,
): Promise<Extract<NonceUse, { is: 'used' }> | undefined> {
  const block = await readBlock<Shown>(rpc, at)
  const hash = block?.transactions?.find((one) => isOf(one, wallet, nonce))?.hash
  return hash && { is: 'used', hash, at }
}

const isOf = ({ from, nonce: has }: Shown, wallet: Address, nonce: number): boolean =>
  typeof from === 'string' && sameAddress(from, wallet) && Number(has) === nonce

/** The mined or pending transaction at a nonce; `undefined` if there is none or the node does not support the look-up. */
export async function transactionByNonce(
  rpc: ChainClient,
  wallet: Address,
  nonce: number,
): Promise<Shown | undefined> {
  try {
    const seen = await rpc.request<Shown | null>('eth_getTransactionBySenderAndNonce', [
      wallet,
      hexQuantity(nonce),
    ])
    return seen && isOf(seen, wallet, nonce) ? seen : undefined
  } catch (error) {
    if (error instanceof AppError && (error.code === 'RPC_ERROR' || error.code === 'RPC_UNREACHABLE'))
      return undefined
    throw error
  }
}

/** Whether two looks at a nonce show the same use. */
export const isSameUse = (a: NonceUse, b: NonceUse): boolean =>
  a.is === 'used' ? b.is === 'used' && a.hash === b.hash && a.at === b.at : a.is === b.is
