import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Chain } from '../chain.ts'

/** A transaction that is looked for: whose, with which call, and since when. */
export type Wanted = {
  wallet: Address
  to: string
  data: string
  value: bigint
  fromBlock: number
  fromNonce: number
}

/** A transaction that was found, as the node gives it. */
export type FoundTx = {
  hash: Hex
  from: Address
  to: Address | null
  input: Hex
  value: Hex
  nonce: Hex
  blockNumber: Hex | null
}
type Block = { number: Hex; transactions: FoundTx[] }

const hex = (value: number) => `0x${value.toString(16)}`
const few = 400
const brief = { blocks: 40, nonces: 3 }

/** How many transactions of a wallet are in blocks, and which block is the newest. */
export type SoFar = { count: number; head: number }

/** Asks how far a wallet is on a chain. */
export async function soFar({ rpc }: Chain, wallet: Address): Promise<SoFar> {
  const [count, head] = (await rpc.batch([
    ['eth_getTransactionCount', [wallet, 'latest']],
    ['eth_blockNumber', []],
  ])) as [Hex, Hex]
  return { count: Number(count), head: Number(head) }
}

/**
 * The transactions of a wallet that make the wanted call, oldest first. Nothing is read when the wallet has sent nothing since. What is
 * only looked for at `little` cost is found a few blocks or transactions later, and not beyond.
 */
export async function findTransactions(
  chain: Chain,
  wanted: Wanted,
  { count, head }: SoFar,
  little = false,
): Promise<FoundTx[]> {
  const { rpc } = chain
  if (count <= wanted.fromNonce) return []
  const span = head - wanted.fromBlock
  if (little && span > brief.blocks && count - wanted.fromNonce > brief.nonces) return []
  const isNear = span <= (little ? brief.blocks : few)
  const blocks = isNear
    ? range(wanted.fromBlock, head)
    : await blocksOfNonces(chain, wanted, count, head, little)
  const found: FoundTx[] = []
  for (let at = 0; at < blocks.length; at += 50) {
    const answers = (await rpc.batch(
      blocks.slice(at, at + 50).map((number) => ['eth_getBlockByNumber', [hex(number), true]]),
    )) as (Block | null)[]
    found.push(...answers.flatMap((block) => block?.transactions ?? []).filter((tx) => isWanted(tx, wanted)))
  }
  return found
}

/** Whether a transaction makes the wanted call. */
export const isWanted = (tx: FoundTx, { wallet, to, data, value }: Wanted): boolean =>
  sameAddress(tx.from, wallet) &&
  tx.to !== null &&
  sameAddress(tx.to, to) &&
  tx.input.toLowerCase() === data.toLowerCase() &&
  BigInt(tx.value) === value

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

/** The block of each nonce since, by halving: the count of a wallet changes in the block that used the nonce. */
async function blocksOfNonces(
  { rpc }: Chain,
  { wallet, fromBlock, fromNonce }: Wanted,
  count: number,
  head: number,
  little: boolean,
): Promise<number[]> {
  const blocks = new Set<number>()
  try {
    for (let nonce = fromNonce; nonce < count; nonce++) {
      let [low, high] = [fromBlock, head]
      while (low < high) {
        const middle = Math.floor((low + high) / 2)
        if (Number(await rpc.request<Hex>('eth_getTransactionCount', [wallet, hex(middle)])) > nonce)
          high = middle
        else low = middle + 1
      }
      blocks.add(low)
    }
    return [...blocks]
  } catch (error) {
    // A node without old state cannot count back; the newest blocks are all that can be looked through.
    if (error instanceof AppError && error.code === 'RPC_ERROR')
      return little ? [] : range(Math.max(fromBlock, head - 5_000), head)
    throw error
  }
}
