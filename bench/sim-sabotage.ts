import type { ChainClient } from '../src/chain/chain-client.ts'
import type { Hex } from '../src/domain/address.ts'
import type { Journal } from '../src/store/journal/journal-interface.ts'
import type { Attempt, Step } from '../src/store/journal/operation-types.ts'
import { attemptsOf } from '../test/support/attempts-of.ts'
import type { Broken } from './sim-run.ts'

type Unwritten = { id: string; index: number; attempt: Attempt }

/** A journal that keeps signatures in memory until the node has them. */
function persistAfterSend(journal: Journal): Journal {
  let unwritten: Unwritten[] = []
  const flush = (hash: Hex) => {
    const one = unwritten.find(({ attempt }) => attempt.hash === hash)
    if (!one) return
    unwritten = unwritten.filter((other) => other !== one)
    journal.recordSigned(one.id, one.index, one.attempt)
  }
  return {
    ...journal,
    recordSigned: (id, index, attempt) => {
      unwritten.push({ id, index, attempt: { ...attempt, created: 0, sends: 0, lastAnswer: null } })
    },
    find: (id) => {
      const operation = journal.find(id)
      const withUnwritten = (step: Step): Step => {
        const signed = unwritten.filter((one) => one.id === id && one.index === step.index)
        if (signed.length === 0) return step
        return {
          ...step,
          state: 'SIGNED',
          attempts: [...step.attempts, ...signed.map(({ attempt }) => attempt)],
        }
      }
      return operation && { ...operation, steps: operation.steps.map(withUnwritten) }
    },
    recordSent: (hash, answer) => {
      flush(hash)
      journal.recordSent(hash, answer)
    },
  }
}

/** A client that keeps the first receipt, and never checks again whether its block is still on the chain. */
function trustFirstReceipt(rpc: ChainClient): ChainClient {
  const receipts = new Map<unknown, unknown>()
  const blocks = new Map<unknown, unknown>()
  return {
    ...rpc,
    request: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
      const kept =
        method === 'eth_getTransactionReceipt'
          ? receipts.get(params[0])
          : method === 'eth_getBlockByNumber'
            ? blocks.get(params[0])
            : undefined
      if (kept !== undefined) return kept as T
      const said = await rpc.request<T>(method, params)
      if (method === 'eth_getTransactionReceipt' && said) {
        const { blockNumber, blockHash } = said as unknown as { blockNumber: string; blockHash: string }
        receipts.set(params[0], said)
        blocks.set(blockNumber, { number: blockNumber, hash: blockHash })
      }
      return said
    },
  }
}

/** A journal that treats "nonce too low" as proof of a lost transaction, and has its step signed with another nonce. */
function resignOnNonceLow(journal: Journal): Journal {
  return {
    ...journal,
    recordSent: (hash, answer) => {
      journal.recordSent(hash, answer)
      if (answer.is !== 'low') return
      for (const { id, steps, plan } of journal.list({ states: ['EXECUTING'] }))
        for (const { index, leg, role, text, transaction, state } of steps)
          if (
            state === 'BROADCAST' &&
            attemptsOf(journal, id, index).some((attempt) => attempt.hash === hash)
          ) {
            journal.moveStep(id, index, 'SUPERSEDED', 'the nonce was too low')
            journal.replan(id, leg, { plan, steps: [{ role, text, transaction }], why: 'signed again' })
          }
    },
  }
}

type Question = (method: string, params: readonly unknown[]) => boolean

/** A client whose other nodes are changed, each in the same way for ever; its own answers may be replaced. */
function withPeers(
  rpc: ChainClient,
  change: (peer: ChainClient) => ChainClient,
  { request, batch }: Partial<Pick<ChainClient, 'request' | 'batch'>> = {},
): ChainClient {
  const changed = new Map<ChainClient, ChainClient>()
  const changedOf = (peer: ChainClient): ChainClient => {
    const known = changed.get(peer) ?? change(peer)
    changed.set(peer, known)
    return known
  }
  return {
    get host() {
      return rpc.host
    },
    get peers() {
      return rpc.peers.map(changedOf)
    },
    request: request ?? ((method, params) => rpc.request(method, params)),
    batch: batch ?? ((calls) => rpc.batch(calls)),
  }
}

const unchanged = (peer: ChainClient): ChainClient => peer

/** A client whose other nodes answer some questions with what the first one says. */
const withEchoes = (rpc: ChainClient, isEchoed: Question): ChainClient =>
  withPeers(rpc, (peer) => ({
    ...peer,
    request: (method, params = []) =>
      isEchoed(method, params) ? rpc.request(method, params) : peer.request(method, params),
  }))

const isHeight = (at: unknown): boolean => /^0x/.test(String(at))
const isOfBlock: Question = (method, [at]) =>
  method === 'eth_getTransactionReceipt' || (method === 'eth_getBlockByNumber' && isHeight(at))
const isOfHeight: Question = (method, [at]) =>
  method === 'eth_blockNumber' || (method === 'eth_getBlockByNumber' && (at === 'safe' || at === 'finalized'))
const isOfCount: Question = (method, [, at]) =>
  method === 'eth_getTransactionReceipt' || (method === 'eth_getTransactionCount' && isHeight(at))

/** Records the newest block of the first node, which no other one needs to have. */
function recordHighestHead(): Broken {
  let newest = 0
  return {
    rpc: (rpc) =>
      withPeers(rpc, unchanged, {
        batch: async (calls) => {
          const said = await rpc.batch(calls)
          const head = said.at(-1) as { number?: string } | null
          if (calls.at(-1)?.[1][0] === 'latest' && head?.number) newest = Number(head.number)
          return said
        },
      }),
    journal: (journal) => ({
      ...journal,
      recordHead: (chainId, number, hash) => journal.recordHead(chainId, Math.max(number, newest), hash),
    }),
  }
}

/** Compares final steps with the word of one node; that happens before the wallet is locked. */
function reopenByOneNode(): Broken {
  let locked = 0
  return {
    rpc: (rpc) => withEchoes(rpc, (method, params) => locked === 0 && isOfBlock(method, params)),
    lock: (take) => async (chainId, wallet, waitMs, signal) => {
      const held = await take(chainId, wallet, waitMs, signal)
      if (held) locked++
      return (
        held && {
          release: () => {
            locked--
            held.release()
          },
        }
      )
    },
  }
}

/** Other nodes whose newest block is always late, so that a deadline has passed as soon as the first one says so. */
const alwaysLate = (rpc: ChainClient): ChainClient =>
  withPeers(rpc, (peer) => ({
    ...peer,
    batch: async (calls) =>
      (await peer.batch(calls)).map((said, at) =>
        said && calls[at]?.[1][0] === 'latest' ? { ...said, timestamp: '0xffffffff' } : said,
      ),
  }))

/** Other nodes that know of nothing pending. */
const withoutPending = (rpc: ChainClient): ChainClient =>
  withPeers(rpc, (peer) => ({
    ...peer,
    request: async <T>(method: string, params: readonly unknown[] = []): Promise<T> =>
      method === 'eth_getTransactionCount' && params[1] === 'pending'
        ? ('0x0' as T)
        : peer.request<T>(method, params),
  }))

/** A client that shows another block where the node has none yet, so that a block which it lacks is gone at once. */
const absentIsGone = (rpc: ChainClient): ChainClient =>
  withPeers(rpc, unchanged, {
    request: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
      const said = await rpc.request<T>(method, params)
      if (said !== null || method !== 'eth_getBlockByNumber') return said
      return { number: params[0], hash: `0x${'ab'.repeat(32)}`, transactions: [] } as T
    },
  })

/** Deliberately broken components, by their fault; each is built for a cell. */
export const sabotages: Readonly<Record<string, () => Broken>> = {
  'persist-after-send': () => ({ journal: persistAfterSend }),
  'trust-first-receipt': () => ({ rpc: trustFirstReceipt }),
  'resign-on-nonce-low': () => ({ journal: resignOnNonceLow }),
  'skip-lock': () => ({ lock: () => async () => ({ release: () => undefined }) }),
  'trust-one-block': () => ({ rpc: (rpc) => withEchoes(rpc, isOfBlock) }),
  'trust-one-height': () => ({ rpc: (rpc) => withEchoes(rpc, isOfHeight) }),
  'trust-one-count': () => ({ rpc: (rpc) => withEchoes(rpc, isOfCount) }),
  'reopen-by-one-node': reopenByOneNode,
  'record-highest-head': recordHighestHead,
  'deadline-of-one-node': () => ({ rpc: alwaysLate }),
  'pending-of-one-node': () => ({ rpc: withoutPending }),
  'absent-is-gone': () => ({ rpc: absentIsGone }),
}
