import { recoverAuthorizationAddress } from 'viem/utils'

import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { hexQuantity, quantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'

/** How many transactions of a wallet there were at a block, or are now; `undefined` where the node does not know that any more. */
export type Count = (at: 'latest' | number) => Promise<number | undefined>

/** Asks a node for the count of a wallet, once for each block; `onOdd` hears of a refusal that is not for want of the state of a block. */
export function countOf(rpc: Rpc, wallet: Address, onOdd: () => void = () => undefined): Count {
  const known = new Map<'latest' | number, Promise<number | undefined>>()
  const ask: Count = (at) =>
    rpc.request('eth_getTransactionCount', [wallet, at === 'latest' ? at : hexQuantity(at)]).then(
      (answer) => Number(quantity(answer, 'the nonce')),
      (error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'RPC_ERROR' || at === 'latest') throw error
        if (!ofState.test(String(error.details?.message ?? error.message))) onOdd()
        return undefined
      },
    )
  return (at) => {
    const asked = known.get(at) ?? ask(at)
    known.set(at, asked)
    return asked
  }
}

/** How nodes say that they do not have the state of a block any more (Geth, Erigon, Nethermind, Besu, Reth, providers). */
const ofState = /state|trie|prun|histor|archive|not (found|available)|too old|distance|older|world/i

/** An authorisation in a transaction (EIP-7702), as a node shows it. */
type Authorisation = { chainId: string; address: Address; nonce: string; yParity: string; r: Hex; s: Hex }

/** A transaction in a block, as far as it is looked at here. */
export type InBlock = {
  hash?: Hex
  from?: string
  nonce?: string
  authorizationList?: readonly Authorisation[] | null
}

/** A block with its transactions. */
export type Block<T> = { hash: Hex | undefined; transactions: readonly T[] }

/** A block by its number; `undefined` where the node does not show it with all its transactions. */
export async function blockAt<T extends InBlock>(rpc: Rpc, at: number): Promise<Block<T> | undefined> {
  const block = await rpc.request<{ hash?: Hex; transactions?: T[] } | null>('eth_getBlockByNumber', [
    hexQuantity(at),
    true,
  ])
  const isWhole = block?.transactions?.every((one) => typeof one === 'object' && one !== null)
  return isWhole ? { hash: block!.hash, transactions: block!.transactions! } : undefined
}

/** The transaction of a nonce in a block, if it is there. */
export const inBlock = <T extends InBlock>(
  block: Block<T> | undefined,
  wallet: Address,
  nonce: number,
): (T & { hash: Hex }) | undefined =>
  block?.transactions.find(
    (one): one is T & { hash: Hex } =>
      typeof one.hash === 'string' &&
      typeof one.from === 'string' &&
      sameAddress(one.from, wallet) &&
      Number(one.nonce) === nonce,
  )

/** Whether a block has an authorisation of a wallet that takes such a nonce (EIP-7702). */
export async function isAuthorisedIn(
  block: Block<InBlock> | undefined,
  wallet: Address,
  nonce: number,
): Promise<boolean> {
  const all = block?.transactions.flatMap(({ authorizationList }) => authorizationList ?? []) ?? []
  for (const one of all)
    if (Number(one.nonce) === nonce && sameAddress((await authorityOf(one)) ?? '0x', wallet)) return true
  return false
}

/** Who signed an authorisation; `undefined` where that cannot be said. */
const authorityOf = ({
  chainId,
  address,
  nonce,
  yParity,
  r,
  s,
}: Authorisation): Promise<Address | undefined> =>
  recoverAuthorizationAddress({
    authorization: {
      chainId: Number(chainId),
      address,
      nonce: Number(nonce),
      yParity: Number(yParity),
      r,
      s,
    },
  }).catch(() => undefined)

/**
 * The block in which a nonce was used by what a node counts, from the first block to `head`, by halving, which begins before the block
 * `from`; and whether the counts before and after prove that. `undefined` where the node does not know that, and `silence` where it does not
 * answer: the next time it may.
 */
export async function halvedTo(
  count: Count,
  nonce: number,
  { from, head }: { from: number; head: number },
): Promise<{ at: number; isCertain: boolean } | { silence: AppError } | undefined> {
  try {
    const at = await blockOfNonce(count, nonce, { from, head })
    const [earlier, later] = [at > 0 ? await count(at - 1) : undefined, await count(at)]
    // A node may give the newest count, or zero, for a block that it has no state of: neither says where it was used.
    const wasBefore = earlier !== undefined && earlier > 0 && earlier <= nonce
    return { at, isCertain: wasBefore && later !== undefined && later > nonce }
  } catch (error) {
    if (error instanceof AppError && error.code === 'RPC_UNREACHABLE') return { silence: error }
    if (error instanceof AppError && error.code.startsWith('RPC_')) return undefined
    throw error
  }
}

async function blockOfNonce(count: Count, nonce: number, { from, head }: { from: number; head: number }) {
  let before = -1
  let after = head
  let at = from > 0 && from <= head ? from - 1 : Math.floor((before + after) / 2)
  while (after - before > 1) {
    // What is too old for the node's memory counts as before: then only what is newer is looked at.
    if (((await count(at)) ?? 0) > nonce) after = at
    else before = at
    at = Math.floor((before + after) / 2)
  }
  return after
}
