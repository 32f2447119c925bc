import { type Address, type Hex, sameAddress } from '../domain/address.ts'
import { hexQuantity, quantity } from '../net/quantity.ts'
import type { Rpc } from '../net/rpc.ts'
import type { Attempt, Inclusion } from '../store/operation.ts'

/** A transaction found in a block that is part of the chain now. `ok` is false when it reverted. */
export type Found = Inclusion & { ok: boolean; logs: readonly Log[] }

/** One event of a receipt. */
export type Log = { address: Address; topics: Hex[]; data: Hex }

type Receipt = {
  transactionHash?: Hex
  blockNumber?: string
  blockHash?: Hex
  status?: string
  gasUsed?: string
  effectiveGasPrice?: string
  logs?: Log[]
}

/**
 * Looks for a transaction on the chain. Its receipt counts only when the block that it names is the one that stands at
 * that height now: a receipt alone may be of a block that a reorganisation took away.
 */
export async function findOnChain(rpc: Rpc, hash: Hex): Promise<Found | undefined> {
  const receipt = await rpc.request<Receipt | null>('eth_getTransactionReceipt', [hash])
  if (
    !receipt?.blockNumber ||
    !receipt.blockHash ||
    receipt.transactionHash?.toLowerCase() !== hash.toLowerCase()
  )
    return undefined
  const block = await rpc.request<{ hash?: Hex } | null>('eth_getBlockByNumber', [receipt.blockNumber, false])
  if (block?.hash !== receipt.blockHash) return undefined
  return {
    hash,
    blockNumber: Number(quantity(receipt.blockNumber, 'the block of a receipt')),
    blockHash: receipt.blockHash,
    gasUsed: quantity(receipt.gasUsed, 'the gas used'),
    gasPrice: quantity(receipt.effectiveGasPrice ?? '0x0', 'the gas price'),
    ok: receipt.status === '0x1',
    logs: receipt.logs ?? [],
  }
}

/** The first of a step's attempts that is on the chain. At most one can be, because they share a nonce. */
export async function findStep(rpc: Rpc, attempts: readonly Attempt[]): Promise<Found | undefined> {
  for (const { hash } of attempts) {
    const found = await findOnChain(rpc, hash)
    if (found) return found
  }
  return undefined
}

/** How many blocks confirm a block, itself included. */
export const confirmationsOf = async (rpc: Rpc, blockNumber: number): Promise<number> =>
  Number(quantity(await rpc.request('eth_blockNumber'), 'the block number')) - blockNumber + 1

type Seen = { hash?: Hex; from?: string; nonce?: string; blockNumber?: string | null }

/** The transaction that used a nonce of ours, asked directly where the node can, else looked for block by block. */
export async function ownerOfNonce(
  rpc: Rpc,
  wallet: Address,
  nonce: number,
  fromBlock: number,
): Promise<{ hash: Hex; blockNumber: number } | undefined> {
  const direct = await rpc
    .request<Seen | null>('eth_getTransactionBySenderAndNonce', [wallet, hexQuantity(nonce)])
    .catch(() => undefined) // Not every node knows this method; the scan below does not need it.
  if (direct?.hash && direct.blockNumber)
    return { hash: direct.hash, blockNumber: Number(direct.blockNumber) }
  const head = Number(quantity(await rpc.request('eth_blockNumber'), 'the block number'))
  for (let at = Math.max(0, fromBlock); at <= head; at++) {
    const block = await rpc.request<{ transactions?: Seen[] } | null>('eth_getBlockByNumber', [
      hexQuantity(at),
      true,
    ])
    const owner = block?.transactions?.find(
      ({ from, nonce: used }) => from !== undefined && sameAddress(from, wallet) && Number(used) === nonce,
    )
    if (owner?.hash) return { hash: owner.hash, blockNumber: at }
  }
  return undefined
}

/** Whether a block can no longer go away: by our own depth on a chain with instant blocks, else by the chain's finality. */
export async function isFinal(rpc: Rpc, blockNumber: number, depth: number): Promise<boolean> {
  if (depth <= 1) return (await confirmationsOf(rpc, blockNumber)) >= depth
  const block = await rpc.request<{ number?: string } | null>('eth_getBlockByNumber', ['finalized', false])
  return block?.number !== undefined && Number(quantity(block.number, 'the finalized block')) >= blockNumber
}

/** Whether a node is on this machine, where asking often costs nothing. */
export const isLocal = ({ host }: Rpc): boolean =>
  /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?$/.test(host)

/** What a node's answer to a broadcast hints at. A hint is all that it is: only the chain says what happened. */
export function hintOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (/already known|already imported|known transaction/i.test(message)) return 'known'
  if (/nonce too low|nonce is too low|invalid nonce/i.test(message)) return 'low'
  if (/underpriced|ReplacementNotAllowed/i.test(message)) return 'under'
  if (/insufficient funds/i.test(message)) return 'funds'
  if (/chain ?id/i.test(message)) return 'chain'
  return `unknown: ${message}`
}
