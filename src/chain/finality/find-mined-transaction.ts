import { type Address, CatalogAddress, type Hex, HexData, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { TransactionCall } from '../../domain/transaction-types.ts'
import type { Attempt, Inclusion, Step } from '../../store/journal/operation-types.ts'
import type { ChainClient } from '../chain-client.ts'
import { type Header, newestHeight, readHeader } from '../head.ts'
import { hasSucceeded } from '../receipt-status.ts'
import { hexQuantity, quantity } from '../rpc/quantities.ts'

/** A transaction in a canonical block, seen when the newest block was `head`. `ok` is false if it reverted. */
export type MinedTransaction = Inclusion & { ok: boolean; logs: readonly Log[]; head: number }

/** What the journal records of a mined transaction. */
export const inclusionOf = ({
  hash,
  blockNumber,
  blockHash,
  gasUsed,
  gasPrice,
}: MinedTransaction): Inclusion => ({
  hash,
  blockNumber,
  blockHash,
  gasUsed,
  gasPrice,
})

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
 * Finds a transaction on the chain. A receipt counts only if its block is canonical now and lists the transaction at the receipt's
 * index: a receipt alone may belong to a reorganised block, or be invented. A receipt with another sender or target than `expected`
 * is ignored. A receipt without a status is RPC_INCONSISTENT. The block is asked for in the same exchange: the newest one, or that
 * of height `at`, where an earlier look has found it.
 */
export async function findTransaction(
  rpc: ChainClient,
  hash: Hex,
  expected?: { from: Address; to: Address },
  at?: number,
): Promise<MinedTransaction | undefined> {
  const blockAt = (height: string) => readHeader(rpc, height)
  const [receipt, shown, newest] = await Promise.all([
    rpc.request<Receipt | null>('eth_getTransactionReceipt', [hash]).catch(noneIfUnindexed),
    blockAt(at === undefined ? 'latest' : hexQuantity(at)),
    at === undefined ? undefined : newestHeight(rpc),
  ])
  if (!receipt || !isReceiptOf(receipt, hash, expected)) return undefined
  const isShown = shown?.number !== undefined && Number(shown.number) === Number(receipt.blockNumber)
  const block = isShown ? shown : await blockAt(receipt.blockNumber)
  if (!block || !sameAddress(String(block.hash), receipt.blockHash)) return undefined
  if (!isListed(block, receipt, hash)) throw unlisted(rpc, hash, receipt.blockNumber)
  return minedBy(
    rpc,
    hash,
    receipt,
    newest ?? Number(quantity(shown?.number ?? receipt.blockNumber, 'the newest block')),
  )
}

/**
 * The transaction that a node answered with when it was sent (EIP-7966), for a look that finds the same in a canonical block. `undefined`
 * if the answer is no receipt of this transaction.
 */
export async function reportedTransaction(
  rpc: ChainClient,
  hash: Hex,
  answer: unknown,
  expected: { from: Address; to: Address },
): Promise<MinedTransaction | undefined> {
  if (typeof answer !== 'object' || answer === null || !isReceiptOf(answer, hash, expected)) return undefined
  return minedBy(rpc, hash, answer, Number(answer.blockNumber))
}

/** A receipt that names its block. */
type MinedReceipt = Receipt & { blockNumber: string; blockHash: Hex }

function isReceiptOf(
  receipt: Receipt,
  hash: Hex,
  expected: { from: Address; to: Address } | undefined,
): receipt is MinedReceipt {
  const { blockNumber, blockHash, transactionHash, from, to } = receipt
  if (!blockNumber || !blockHash || !sameAddress(String(transactionHash), hash)) return false
  return !expected || (sameAddress(String(from), expected.from) && sameAddress(String(to), expected.to))
}

const minedBy = async (
  rpc: ChainClient,
  hash: Hex,
  receipt: MinedReceipt,
  head: number,
): Promise<MinedTransaction> => ({
  hash,
  blockNumber: Number(quantity(receipt.blockNumber, 'the block of a receipt')),
  blockHash: String(receipt.blockHash).toLowerCase() as Hex,
  gasUsed: quantity(receipt.gasUsed, 'the gas used'),
  gasPrice: quantity(receipt.effectiveGasPrice ?? '0x0', 'the gas price'),
  ok: await hasSucceeded(rpc, receipt),
  logs: receipt.logs ?? [],
  head,
})

/** The call of a transaction, which may be in no block. `undefined` if the node does not show it. */
export async function sentCallOf(rpc: ChainClient, hash: Hex): Promise<TransactionCall | undefined> {
  type Shown = { from?: unknown; to?: Address | null; input?: unknown; value?: string }
  const shown = await rpc.request<Shown | null>('eth_getTransactionByHash', [hash])
  const [from, input] = [CatalogAddress.safeParse(shown?.from).data, HexData.safeParse(shown?.input).data]
  if (!shown || from === undefined || input === undefined) return undefined
  const value = quantity(shown.value ?? '0x0', 'the value of a transaction')
  return { from, to: shown.to ?? null, input, value }
}

/** Whether a block lists a transaction at the index that its receipt names. */
function isListed({ transactions }: Header, { transactionIndex }: Receipt, hash: Hex): boolean {
  if (!Array.isArray(transactions) || transactionIndex === undefined) return false
  return sameAddress(String(transactions[Number(transactionIndex)]), hash)
}

/** Whether a block is the one that included a transaction: same hash, and its list, if shown, contains the transaction. */
export const isInclusionBlock = (
  { hash, transactions }: Header,
  of: Pick<Inclusion, 'hash' | 'blockHash'>,
): boolean =>
  sameAddress(String(hash), of.blockHash) &&
  (!Array.isArray(transactions) || transactions.some((one) => sameAddress(String(one), of.hash)))

const unlisted = ({ host }: ChainClient, hash: Hex, block: string): AppError =>
  new AppError(
    'RPC_INCONSISTENT',
    `The node at ${host} returns a receipt of ${hash} in block ${Number(block)}, but that block does not list it`,
    { details: { host, hash, block: Number(block) } },
  )

/** A node that is still indexing (Geth) answers with an error for what it does not find: treated as not found. */
function noneIfUnindexed(error: unknown): null {
  const words = error instanceof AppError && error.code === 'RPC_ERROR' ? error.details?.message : ''
  if (/indexing is in progress/i.test(String(words))) return null
  throw error
}

/** The first attempt of a step that is on the chain. At most one can be, because they share a nonce. */
export async function findAttempt(
  rpc: ChainClient,
  { wallet }: Pick<Step, 'wallet'>,
  attempts: readonly Pick<Attempt, 'hash' | 'transaction'>[],
  at?: number,
): Promise<MinedTransaction | undefined> {
  const found = await Promise.all(
    attempts.map(({ hash, transaction }) =>
      findTransaction(rpc, hash, { from: wallet, to: transaction.to }, at),
    ),
  )
  return found.find((one) => one !== undefined)
}

/** The number of blocks that confirm a block, itself included. */
export const confirmationsOf = async (rpc: ChainClient, at: number): Promise<number> =>
  (await newestHeight(rpc)) - at + 1
