import { withCalls } from '../chain/chain-client.ts'
import { readHeader } from '../chain/head.ts'
import type { Chain } from '../chain/network-client.ts'
import { isExecutionError } from '../chain/rpc/errors.ts'
import { AppError } from '../domain/errors.ts'
import { type AnswerReuse, coalesceRequests } from './request-coalescing.ts'

/** The methods that read the state of a block, and the position of the block in their parameters. */
const stateReads = new Map([
  ['eth_blockNumber', 0],
  ['eth_call', 1],
  ['eth_estimateGas', 1],
  ['eth_getBalance', 1],
  ['eth_getCode', 1],
  ['eth_getTransactionCount', 1],
  ['eth_simulateV1', 1],
])

/** The cache key of a read of the newest state; `undefined` for any other call, including one with state overrides. */
function nameOf(method: string, params: readonly unknown[]): string | undefined {
  const at = stateReads.get(method)
  if (at === undefined || params.length > at + 1) return undefined
  return params.length === at || params[at] === 'latest' ? JSON.stringify([method, params]) : undefined
}

/** Maximum size of all cached keys and answers, in characters; beyond it, the cache is cleared. */
const maxKept = 32_000_000

/** Reads a value under a key, unless its answer is cached for the newest block. */
type Once = <value>(name: string, ask: () => Promise<value>) => Promise<value>

const memos = new WeakMap<Chain['rpc'], Once>()

/**
 * Returns the same chain with a cache: reads of its newest state are shared by all callers until it has a new block.
 * Before a cached answer is used, the chain's newest block is read, once for all concurrent callers (`reuse`), so no
 * answer is older than the newest known block. The first read of a key is sent at once, and needs no more round trips
 * than without the cache.
 */
export function readOncePerBlock(chain: Chain, reuse: AnswerReuse): Chain {
  const { rpc } = chain
  const newest = coalesceRequests(async () => {
    const [block] = await Promise.all([readHeader(rpc, 'latest'), rpc.refresh()])
    return block
  }, reuse)
  const kept = new Map<string, Promise<unknown>>()
  let head: string | undefined
  let size = 0
  const forget = () => {
    kept.clear()
    size = 0
  }
  /** Reads the newest block, and clears the cache if it has changed. */
  const look = async () => {
    const block = await newest()
    const now = block ? `${block.number} ${block.hash}` : undefined
    if (now !== head) forget()
    head = now
  }
  const isKnown = (name: string) => head === undefined || kept.has(name)
  const keep = (name: string, answer: Promise<unknown>, isFinal: (error: unknown) => boolean) => {
    kept.set(name, answer)
    answer.then(
      (value) => {
        size += name.length + (typeof value === 'string' ? value.length : 1_000)
        if (size > maxKept) forget()
      },
      (error: unknown) => {
        if (kept.get(name) === answer && !isFinal(error)) kept.delete(name)
      },
    )
  }
  const once: Once = async <value>(name: string, ask: () => Promise<value>) => {
    if (isKnown(name)) await look()
    const found = kept.get(name) as Promise<value> | undefined
    if (found) return found
    const asked = ask()
    keep(name, asked, isRevert)
    return asked
  }
  const calls = withCalls(rpc, {
    request: <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
      if (method === 'eth_getBlockByNumber' && params[0] === 'latest' && params[1] === false)
        return newest() as Promise<T>
      const name = nameOf(method, params)
      return name === undefined ? rpc.request(method, params) : once(name, () => rpc.request(method, params))
    },
    batch: async (calls) => {
      const names = calls.map(([method, params]) => nameOf(method, params))
      if (!names.every((name) => name !== undefined)) return rpc.batch(calls)
      if (names.some(isKnown)) await look()
      const missing = calls.filter((_, at) => !kept.has(names[at]!))
      const sent = missing.length > 0 ? rpc.batch(missing) : undefined
      // A failure of the batch does not show which call failed, so it is not cached.
      for (const [at, call] of missing.entries())
        keep(
          names[calls.indexOf(call)]!,
          sent!.then((answers) => answers[at]),
          () => false,
        )
      return Promise.all(names.map((name) => kept.get(name)))
    },
  })
  // Reading the newest block already selects the node again.
  const remembering: Chain['rpc'] = Object.assign(calls, { refresh: async () => undefined })
  memos.set(remembering, once)
  return { ...chain, rpc: remembering }
}

/** Whether an error is a contract's own answer, which is the same for the same block. */
const isRevert = (error: unknown): boolean => error instanceof AppError && isExecutionError(error)

/**
 * Reads a value from the newest state of a chain, once a block if the chain has a cache. This saves encoding and
 * decoding the calls, which costs a busy server more than the calls. `name` must contain everything that the answer
 * depends on.
 */
export const oncePerBlock = <value>(
  { rpc }: Chain,
  name: readonly string[],
  ask: () => Promise<value>,
): Promise<value> => {
  const once = memos.get(rpc)
  return once ? once(name.join(' '), ask) : ask()
}
