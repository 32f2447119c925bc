import { readBlock, readHeader } from '../../chain/head.ts'
import type { Chain } from '../../chain/network-client.ts'
import { nonceCountRequest } from '../../chain/nonce-count.ts'
import { isNodeError } from '../../chain/rpc/errors.ts'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { SubmittedRow } from '../../store/engine/nonce-transactions-cache.ts'
import { callHash, type RpcTransaction } from './call-hash.ts'

/** The transactions of a wallet in a block, and roughly how many bytes were read. */
export type WalletBlock = { number: number; hash: string; submitted: SubmittedRow[]; bytes: number }

/** The number of transactions of a large block in one exchange. */
const transactionsPerBatch = 64

/**
 * Reads the transactions of a wallet in a block; `undefined` if the node lacks the block. A block too large for one answer is read in
 * parts, and in smaller parts after a refusal.
 */
export async function readWalletBlock(
  chain: Chain,
  wallet: string,
  number: number,
): Promise<WalletBlock | undefined> {
  const block = await readInParts(chain, number)
  if (!block) return undefined
  const { hash, transactions } = block
  const submitted = transactions
    // Some chains have transaction types without a sender or an input.
    .filter(({ from, input }) => isText(from) && isText(input) && sameAddress(from, wallet))
    .map((tx) => ({
      nonce: Number(tx.nonce),
      block: number,
      blockHash: hash,
      hash: tx.hash,
      call: callHash({ to: tx.to, data: tx.input, value: BigInt(tx.value) }),
    }))
  const bytes = transactions.reduce(
    (sum, { input }) => sum + (isText(input) ? input.length : 0) + bytesPerTransaction,
    0,
  )
  return { number, hash, submitted, bytes }
}

const isText = (field: unknown): boolean => typeof field === 'string'

/** The size of a transaction without its input, in bytes of JSON. */
const bytesPerTransaction = 700

type Block<tx> = { hash: string; transactions: tx[] }

async function readInParts({ rpc }: Chain, number: number): Promise<Block<RpcTransaction> | undefined> {
  try {
    return ((await readBlock(rpc, number)) as Block<RpcTransaction> | null) ?? undefined
  } catch (error) {
    if (!isTooLarge(error)) throw error
  }
  const bare = (await readHeader(rpc, number)) as Block<string> | null
  if (!bare) return undefined
  const transactions: RpcTransaction[] = []
  for (let size = transactionsPerBatch; transactions.length < bare.transactions.length; ) {
    const from = transactions.length
    const part = bare.transactions.slice(from, from + size)
    try {
      const read = (await rpc.batch(
        part.map((hash) => ['eth_getTransactionByHash', [hash]]),
      )) as (RpcTransaction | null)[]
      // The chain was reorganised meanwhile: this is another block.
      if (read.some((tx) => tx?.blockNumber == null || Number(tx.blockNumber) !== number)) return undefined
      transactions.push(...(read as RpcTransaction[]))
    } catch (error) {
      if (size === 1 || !isTooLarge(error)) throw error
      size = Math.ceil(size / 4)
    }
  }
  return { hash: bare.hash, transactions }
}

/** Whether an answer was larger than our limit or the node's; nodes use different error messages for it. */
const isTooLarge = (error: unknown): boolean =>
  isNodeError(error) || (error instanceof AppError && error.details?.fault === 'too-large')

/** The number of mined transactions of a wallet, and the newest block. */
export type WalletProgress = { count: number; head: number }

/** Reads the transaction count of a wallet and the newest block. */
export async function readWalletProgress({ rpc }: Chain, wallet: Address): Promise<WalletProgress> {
  const [count, head] = (await rpc.batch([nonceCountRequest(wallet), ['eth_blockNumber', []]])) as [Hex, Hex]
  return { count: Number(count), head: Number(head) }
}
