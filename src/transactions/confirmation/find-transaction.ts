import { blockNumber } from '../../chain/reads.ts'
import { hasSucceeded } from '../../chain/receipt.ts'
import { quantity } from '../../chain/rpc/answer-numbers.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Attempt, Inclusion, Step } from '../../store/journal/operation.ts'

/** A transaction found in a block that is part of the chain now. `ok` is false when it reverted. */
export type MinedTransaction = Inclusion & { ok: boolean; logs: readonly Log[] }

/** One event of a receipt. */
type Log = { address: Address; topics: Hex[]; data: Hex }

type Receipt = {
  transactionHash?: Hex
  from?: string
  to?: string | null
  blockNumber?: string
  blockHash?: Hex
  transactionIndex?: string
  status?: unknown
  gasUsed?: string
  effectiveGasPrice?: string
  logs?: Log[]
}

/**
 * Looks for a transaction on the chain. Its receipt counts only when the block that it names stands at that height now, and has the
 * transaction in its own list at the place that the receipt says: a receipt alone may be of a block that a reorganisation took away, or
 * invented. One that names another sender or target than is `expected` is not of this transaction. One that does not say how it ended is
 * RPC_INCONSISTENT.
 */
export async function findTransaction(
  rpc: Rpc,
  hash: Hex,
  expected?: { from: Address; to: Address },
): Promise<MinedTransaction | undefined> {
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
  const block = await rpc.request<Block | null>('eth_getBlockByNumber', [receipt.blockNumber, false])
  const blockHash = String(receipt.blockHash).toLowerCase() as Hex
  if (!block || !sameAddress(String(block.hash), blockHash)) return undefined
  if (!isListed(block, receipt, hash)) throw unlisted(rpc, hash, receipt.blockNumber)
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

/** A block as a node shows it, with the hashes of its transactions in their order. */
export type Block = { hash?: unknown; transactions?: unknown }

/** Whether a block has a transaction in its list, at the place that its receipt says. */
function isListed({ transactions }: Block, { transactionIndex }: Receipt, hash: Hex): boolean {
  if (!Array.isArray(transactions) || transactionIndex === undefined) return false
  return sameAddress(String(transactions[Number(transactionIndex)]), hash)
}

/** Whether a block is the one in which a transaction was: it has its hash, and the transaction is in its list as far as it shows one. */
export const isInclusionBlock = (
  { hash, transactions }: Block,
  of: Pick<Inclusion, 'hash' | 'blockHash'>,
): boolean =>
  sameAddress(String(hash), of.blockHash) &&
  (!Array.isArray(transactions) || transactions.some((one) => sameAddress(String(one), of.hash)))

const unlisted = ({ host }: Rpc, hash: Hex, block: string): AppError =>
  new AppError(
    'RPC_INCONSISTENT',
    `The node at ${host} gives a receipt of ${hash} in block ${Number(block)}, and does not list it there`,
    { details: { host, hash, block: Number(block) } },
  )

/** A node that has not indexed all its blocks yet says so of whatever it does not find (Geth): it is not found. */
function noneIfUnindexed(error: unknown): null {
  const words = error instanceof AppError && error.code === 'RPC_ERROR' ? error.details?.message : ''
  if (/indexing is in progress/i.test(String(words))) return null
  throw error
}

/** The first of a step's attempts that is on the chain. At most one can be, because they share a nonce. */
export async function findAttempt(
  rpc: Rpc,
  { wallet }: Pick<Step, 'wallet'>,
  attempts: readonly Pick<Attempt, 'hash' | 'transaction'>[],
): Promise<MinedTransaction | undefined> {
  for (const { hash, transaction } of attempts) {
    const found = await findTransaction(rpc, hash, { from: wallet, to: transaction.to })
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
