import { type Chain, latestBlock } from '../chain/chain.ts'
import { isExecutionError } from '../chain/rpc/errors.ts'
import { AppError } from '../domain/errors.ts'
import { type AnswerReuse, shareAnswers } from './shared-answers.ts'

/** Where the parameters of a method name the block; `undefined` for methods without one, which then read the newest. */
const blockAt: Readonly<Record<string, number | undefined>> = {
  eth_blockNumber: undefined,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_simulateV1: 1,
}

/** The name of a call whose answer only a new block changes; `undefined` for any other. */
function nameOf(method: string, params: readonly unknown[]): string | undefined {
  if (!Object.hasOwn(blockAt, method)) return undefined
  const [block, ...more] = params.slice(blockAt[method] ?? 0)
  // With overrides or another block it is a different question, and a rare one.
  return (block === undefined || block === 'latest') && more.length === 0
    ? JSON.stringify([method, params])
    : undefined
}

/** The size of all kept questions and answers, in characters; beyond it all are forgotten. */
const maxKept = 32_000_000

/**
 * The same chain, whose state is asked for once a block: an answer counts for all who ask the same until there is a new block. Before a
 * kept answer is used, the newest block is asked for, once for all who come together (`reuse`). What was not asked yet is
 * asked at once. So an answer is never older than the newest block that is known, and takes no more round trips.
 */
export function readOncePerBlock(chain: Chain, reuse: AnswerReuse): Chain {
  const { rpc } = chain
  const newest = shareAnswers(() => latestBlock(chain), reuse)
  const kept = new Map<string, Promise<unknown>>()
  let head: string | undefined
  let size = 0
  const forget = () => {
    kept.clear()
    size = 0
  }
  const look = async () => {
    const { number, hash } = await newest()
    const now = `${number} ${hash}`
    if (now !== head) forget()
    head = now
  }
  const keep = (name: string, answer: Promise<unknown>, isFinal: (error: unknown) => boolean) => {
    kept.set(name, answer)
    const drop = (error: unknown) => {
      if (kept.get(name) === answer && !isFinal(error)) kept.delete(name)
    }
    answer.then((value) => {
      size += name.length + (typeof value === 'string' ? value.length : 1_000)
      if (size > maxKept) forget()
    }, drop)
  }
  return {
    ...chain,
    rpc: {
      ...rpc,
      get host() {
        return rpc.host
      },
      get peers() {
        return rpc.peers
      },
      request: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
        const name = nameOf(method, params)
        if (name === undefined) return rpc.request<T>(method, params)
        if (head === undefined || kept.has(name)) await look()
        if (!kept.has(name)) keep(name, rpc.request(method, params), isRefusal)
        return kept.get(name) as Promise<T>
      },
      batch: async (calls) => {
        const names = calls.map(([method, params]) => nameOf(method, params))
        if (!names.every((name) => name !== undefined)) return rpc.batch(calls)
        if (head === undefined || names.some((name) => kept.has(name))) await look()
        const missing = calls.filter((_, at) => !kept.has(names[at]!))
        if (missing.length > 0) {
          const sent = rpc.batch(missing)
          // Nobody knows which of them a failure is about.
          for (const [at, [method, params]] of missing.entries())
            keep(
              nameOf(method, params)!,
              sent.then((answers) => answers[at]),
              () => false,
            )
        }
        return Promise.all(names.map((name) => kept.get(name)))
      },
    },
  }
}

/** Whether a failure is the answer of the contract, which the same block gives again. */
const isRefusal = (error: unknown): boolean => error instanceof AppError && isExecutionError(error)
