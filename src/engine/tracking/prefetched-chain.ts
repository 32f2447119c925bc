import { type ChainClient, callsPerBatch, withCalls } from '../../chain/chain-client.ts'
import type { NodeRequest } from '../../chain/eth-call.ts'
import { headerRequest, readHeaders } from '../../chain/head.ts'
import type { Chain } from '../../chain/network-client.ts'
import { nonceCountRequest } from '../../chain/nonce-count.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import type { SeenBlocks } from './followed-blocks.ts'

/** The requests that a pass may still send. A batch is one request, up to the size that a node takes. */
export type RequestBudget = { left: number; used: number }

/** The same chain with its requests counted. */
export function counted(rpc: ChainClient, budget: RequestBudget): ChainClient {
  const count = (requests: number) => {
    budget.left -= requests
    budget.used += requests
  }
  return withCalls(rpc, {
    request: (method, params) => {
      count(1)
      return rpc.request(method, params)
    },
    batch: (calls) => {
      count(Math.ceil(calls.length / callsPerBatch))
      return rpc.batch(calls)
    },
  })
}

/** What is read beforehand: the head, and the wallets and transaction hashes of the actions. */
type Wanted = {
  head: { number: number; hash: string }
  wallets: readonly string[]
  hashes: readonly string[]
}

const hex = (number: number): string => `0x${number.toString(16)}`
const nameOf = (method: string, params: readonly unknown[]): string =>
  JSON.stringify([method, params]).toLowerCase()

/**
 * Reads in batches what `refreshAction` will ask about many actions at one head, and returns a chain with these answers. Whatever else is asked goes to
 * the node, so the result of an action does not depend on what was read beforehand.
 */
export async function prefetchedChain(
  chain: Chain,
  rpc: ChainClient,
  seen: SeenBlocks,
  { head, wallets, hashes }: Wanted,
): Promise<Chain> {
  const known = new Map<string, unknown>([[nameOf('eth_blockNumber', []), hex(head.number)]])
  const sent = wallets.flatMap((wallet) => seen.sentBy(wallet))
  for (const { hash, raw } of sent) known.set(nameOf('eth_getTransactionByHash', [hash]), raw)
  const all = [...new Set([...hashes, ...sent.map(({ hash }) => hash)])]
  const calls: NodeRequest[] = [
    ...wallets.map((wallet) => nonceCountRequest(wallet, head.number)),
    ...all.map((hash): NodeRequest => ['eth_getTransactionReceipt', [hash]]),
    ...all
      .filter((hash) => !known.has(nameOf('eth_getTransactionByHash', [hash])))
      .map((hash): NodeRequest => ['eth_getTransactionByHash', [hash]]),
  ]
  const answers = calls.length === 0 ? [] : await rpc.batch(calls)
  // The counts at the head are those of the newest block.
  const names = [...wallets.map((wallet) => nonceCountRequest(wallet)), ...calls.slice(wallets.length)]
  for (const [at, name] of names.entries()) known.set(nameOf(...name), answers[at])
  const blocks = new Set(
    answers.flatMap((answer) => {
      const { blockNumber } = (answer ?? {}) as { blockNumber?: unknown }
      return typeof blockNumber === 'string' ? [Number(blockNumber)] : []
    }),
  )
  for (const { block } of sent) blocks.add(block)
  const unread: number[] = []
  for (const number of blocks) {
    const hash = number === head.number ? head.hash : seen.hashOf(number)
    if (hash === undefined) unread.push(number)
    else known.set(nameOf(...headerRequest(number)), { number: hex(number), hash })
  }
  if (unread.length > 0) {
    const read = await readHeaders(rpc, unread)
    for (const [at, number] of unread.entries()) known.set(nameOf(...headerRequest(number)), read[at])
  }
  const answered = withCalls(rpc, {
    request: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
      const name = nameOf(method, params)
      return known.has(name) ? (known.get(name) as T) : rpc.request<T>(method, params)
    },
    batch: async (asked) => {
      const names = asked.map(([method, params]) => nameOf(method, params))
      const missing = asked.filter((_, at) => !known.has(names[at]!))
      const rest = missing.length > 0 ? await rpc.batch(missing) : []
      return asked.map((call, at) =>
        known.has(names[at]!) ? known.get(names[at]!) : rest[missing.indexOf(call)],
      )
    },
  })
  return { ...chain, rpc: Object.assign(answered, { refresh: async () => undefined }) }
}

/** The same store, which also knows the transactions in the followed blocks, so that these are not searched for. */
export const withSeenTransactions = (store: EngineStore, chainId: number, seen: SeenBlocks): EngineStore => ({
  ...store,
  submittedFrom: async (place, nonce) => {
    const stored = await store.submittedFrom(place, nonce)
    if (place.chainId !== chainId) return stored
    const fresh = seen
      .sentBy(place.wallet)
      .filter((one) => one.nonce >= nonce)
      .map(({ block, blockHash, nonce: used, hash, call }) => ({ nonce: used, block, blockHash, hash, call }))
    const byNonce = new Map([...stored, ...fresh].map((row) => [row.nonce, row]))
    return [...byNonce.values()].sort((a, b) => a.nonce - b.nonce)
  },
})
