import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { hexQuantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'
import { blockNumber } from '../chain/block-number.ts'
import { type Mined, minedBefore, noteMined, readThrough } from './nonce-blocks.ts'
import { blockAt, countOf, halvedTo, type InBlock, inBlock, isAuthorisedIn } from './nonce-search.ts'

/** A transaction as a node shows it. */
export type Seen = InBlock & { blockNumber?: string | null }

/**
 * What has a nonce of a wallet, by what a node shows: a transaction in the block `at`; none of the wallet's, in that block, as an
 * authorisation of EIP-7702 takes one; nothing yet; or nobody knows, which says neither that it was another transaction nor that it was none.
 * `silence` is why, where the node refused the question without an answer; `isLookedFor` says that it showed all blocks that were to be read.
 */
export type NonceUse<T extends Seen = Seen> =
  | { is: 'used'; transaction: T & { hash: Hex }; at: number }
  | { is: 'authorised'; at: number }
  | { is: 'free' }
  | { is: 'unknown'; silence?: AppError; isLookedFor: boolean }

/**
 * What is known before, and what a search may cost: how many transactions of the wallet there are now, a block at which the nonce
 * was free, and how many blocks are read at most where counts prove nothing.
 */
export type Search = { latest?: number; from?: number; most?: number }

/** How many blocks are looked through for a transaction. */
const mostBlocks = 5_000

/** How many blocks before the one that was the newest when it was signed a transaction may end up in, when a reorganisation puts it into another block. */
export const deepest = 64

/** How many nonces a node is asked for side by side. */
const together = 8

/** Who used a nonce of a wallet, asked directly where a node can be, else looked for by what it counts, and block by block where that proves nothing. */
export const whoUsed = async <T extends Seen>(
  rpc: Rpc,
  wallet: Address,
  nonce: number,
  known: Search = {},
): Promise<NonceUse<T>> => (await whoUsedEach<T>(rpc, wallet, [nonce], known)).get(nonce)!

/** The same for several nonces of a wallet, with one pass through the blocks for all of them. */
export async function whoUsedEach<T extends Seen>(
  rpc: Rpc,
  wallet: Address,
  nonces: readonly number[],
  { latest, from = 0, most = mostBlocks }: Search = {},
): Promise<Map<number, NonceUse<T>>> {
  let isOdd = false
  const count = countOf(rpc, wallet, () => {
    isOdd = true
  })
  const now = latest ?? (await count('latest'))!
  const uses = new Map<number, NonceUse<T>>()
  for (const nonce of nonces) if (nonce >= now) uses.set(nonce, { is: 'free' })
  const open = new Set(nonces.filter((nonce) => nonce < now))
  const close = (nonce: number, use: NonceUse<T>): void => {
    uses.set(nonce, use)
    open.delete(nonce)
  }
  const mined = (nonce: number, { transaction, at }: Mined<T>): void => {
    noteMined(rpc, wallet, nonce, at)
    close(nonce, { is: 'used', transaction, at })
  }
  // A node that does not take this question is not asked it again and again.
  let silence: AppError | undefined
  let isTaken = true
  const ask = async (nonce: number): Promise<void> => {
    const said = await askFor<T>(rpc, wallet, nonce)
    silence ??= said.silence
    isTaken &&= said.isTaken
    const { seen } = said
    if (seen?.hash && seen.blockNumber)
      close(nonce, { is: 'used', transaction: { ...seen, hash: seen.hash }, at: Number(seen.blockNumber) })
  }
  const [first, ...others] = open
  if (first !== undefined) await ask(first)
  if (isTaken) await inTurns(others, ask)
  if (open.size === 0) return uses

  const head = await blockNumber(rpc)
  await inTurns([...open], async (nonce) => {
    const before = await minedBefore<T>(rpc, wallet, nonce)
    if (before) return mined(nonce, before)
    const halved = await halvedTo(count, nonce, { from: from - deepest, head })
    if (!halved || 'silence' in halved) {
      silence ??= halved?.silence
      return
    }
    const block = await blockAt<T>(rpc, halved.at)
    const transaction = inBlock(block, wallet, nonce)
    if (transaction) mined(nonce, { transaction, at: halved.at })
    else if (halved.isCertain && (await isAuthorisedIn(block, wallet, nonce)))
      close(nonce, { is: 'authorised', at: halved.at })
  })
  const least = Math.max(0, from - deepest, head - most)
  const { found, isWhole } = await readThrough<T>(rpc, wallet, [...open], { least, head })
  for (const [nonce, one] of found) mined(nonce, one)
  // Where not all blocks were read in which it may be, the counts must have been told as well as the node can.
  const isLookedFor = isWhole && (!isOdd || least === Math.max(0, from - deepest))
  for (const nonce of open) uses.set(nonce, { is: 'unknown', isLookedFor, ...(silence && { silence }) })
  return uses
}

type Said<T> = { isTaken: boolean; seen?: T; silence?: AppError }

/** Asks a node for the transaction of a nonce. Not every node knows this question, and a gateway may refuse it in words of its own. */
async function askFor<T extends Seen>(rpc: Rpc, wallet: Address, nonce: number): Promise<Said<T>> {
  try {
    const seen = await rpc.request<T | null>('eth_getTransactionBySenderAndNonce', [
      wallet,
      hexQuantity(nonce),
    ])
    const isAsked = seen && sameAddress(seen.from ?? '', wallet) && Number(seen.nonce) === nonce
    return { isTaken: true, ...(isAsked && { seen }) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'RPC_ERROR') return { isTaken: false }
    if (error.code === 'RPC_UNREACHABLE') return { isTaken: false, silence: error }
    throw error
  }
}

/** The transaction that a node has for a nonce, in a block or waiting, where it says one: nothing waits for its answer. */
export const seenIfSaid = async <T extends Seen = Seen>(
  rpc: Rpc,
  wallet: Address,
  nonce: number,
): Promise<T | undefined> => (await askFor<T>(rpc, wallet, nonce)).seen

async function inTurns(nonces: readonly number[], work: (nonce: number) => Promise<void>): Promise<void> {
  for (let at = 0; at < nonces.length; at += together)
    await Promise.all(nonces.slice(at, at + together).map(work))
}

/** What used a nonce where no transaction of the wallet did, in words. */
export const byAuthorisation = (at: number): string => `an authorisation (EIP-7702) in block ${at}`

/** That a nonce is used and a node does not show by what: whoever then takes another one may do the same again. */
export const notShown = (
  { host }: Rpc,
  wallet: Address,
  details: { nonce: number; next: number; chainId: number },
): AppError =>
  new AppError(
    'RPC_INCONSISTENT',
    `Nonce ${details.nonce} of ${wallet} is used, and the node at ${host} does not show by what: it may be this very transaction`,
    {
      details: { ...details, hash: null },
      hint: 'Name another RPC in SLUICE_RPC_<NETWORK>, which shows it, and run the same command again',
    },
  )
