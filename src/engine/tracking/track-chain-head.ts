import { callsPerBatch } from '../../chain/chain-client.ts'
import { AppError } from '../../domain/errors.ts'
import type { MarkedAction, SeenChange } from '../../store/engine/chain-tracking.ts'
import { isSwap } from '../actions/issued-actions.ts'
import { refreshAction } from '../actions/refresh-action.ts'
import type { EngineContext } from '../engine.ts'
import { deliveredIn, type deliveryRecorder } from './delivery-watches.ts'
import { type NewBlocks, newBlocks, type SeenBlocks } from './followed-blocks.ts'
import { counted, prefetchedChain, type RequestBudget, withSeenTransactions } from './prefetched-chain.ts'

/** What a pass needs: the engine without a customer, since it reads the actions of all. */
export type TrackingNeeds = {
  engine: Omit<EngineContext, 'customer'>
  recorder: Pick<ReturnType<typeof deliveryRecorder>, 'record'>
  /** The name of this process in the leases. */
  holder: string
  /** How long the right to follow a chain lasts without a pass, in ms. */
  leaseMs: number
  isStopping: () => boolean
  /** Called with the error of an action that could not be read; it is read again later. */
  onError?: (error: unknown) => void
}

/** A pass: its head, the time of its block in epoch ms, the requests that it sent, and how many actions it read and left for the next one. */
export type HeadPass = { block: number; blockAt: number; requests: number; read: number; isMore: boolean }

/** The most requests of one pass. */
const requestsPerPass = 20

/** The requests that a pass keeps for answers that it could not read beforehand. */
const spareRequests = 3

/** The calls that one action needs, at most in most cases: the count of its wallet, and two for each of its transactions. */
const callsPerAction = 5

/** How many wallets are read in parallel. */
const walletsAtOnce = 8

const [retryMs, soonMs, minute] = [10_000, 5_000, 60_000]

/**
 * One pass over a new head of a chain, for all open actions of all customers. The new blocks show who sent something; only actions of those wallets, those
 * whose blocks became final or left the chain, those whose delivery was seen and those that expired are read, in batches. They are marked in the
 * transaction that moves the position of the chain, and unmarked once they are read, so a process may end at any point. What a pass does not
 * manage with its requests is left for the next. `undefined` if another process follows the chain. Throws what the chain throws.
 */
export async function trackChainHead(
  needs: TrackingNeeds,
  chainId: number,
  seen: SeenBlocks,
): Promise<HeadPass | undefined> {
  const { engine, holder, leaseMs, isStopping } = needs
  const { store, now } = engine
  const was = await store.leaseChain(chainId, { holder, now: now(), ms: leaseMs })
  if (!was) return undefined
  const chain = engine.chain(chainId)
  const budget: RequestBudget = { left: requestsPerPass, used: 0 }
  const rpc = counted(chain.rpc, budget)
  const news = await newBlocks(rpc, was, chain.network.depth)
  const { head } = news
  if (news.kind !== 'none') {
    const change = await changeOf(needs, chainId, seen, news, {
      rpc,
      last: was.block === null ? head.number : Number(was.block),
      depth: chain.network.depth,
    })
    const to = { block: head.number, blockHash: head.hash, lookedAt: now() }
    if (!(await store.advanceChain(chainId, { holder, was, to, now: now() }, change))) return undefined
  }
  let read = 0
  let isMore = false
  for (;;) {
    const room = Math.floor(((budget.left - spareRequests) * callsPerBatch) / callsPerAction)
    const marked = room < 1 || isStopping() ? [] : await store.markedActions(chainId, now(), room)
    if (marked.length === 0) {
      isMore = room < 1 && (await store.markedActions(chainId, now(), 1)).length > 0
      break
    }
    read += await readMarked(needs, chainId, seen, { rpc, head, budget }, marked)
  }
  return { block: head.number, blockAt: head.at, requests: budget.used, read, isMore }
}

type Asking = { rpc: ReturnType<typeof counted>; last: number; depth: number }

/** What new blocks can have changed. */
async function changeOf(
  { engine: { store } }: TrackingNeeds,
  chainId: number,
  seen: SeenBlocks,
  news: Exclude<NewBlocks, { kind: 'none' }>,
  { rpc, last, depth }: Asking,
): Promise<SeenChange> {
  const watches = await store.deliveryWatches(chainId)
  if (news.kind === 'gap') {
    seen.add(news, new Set())
    const delivered = [...new Set(watches.map(({ actionId }) => actionId))]
    return { senders: [], reread: undefined, isAll: true, delivered }
  }
  const { head, blocks } = news
  const senders = await store.knownSenders([
    ...new Set(blocks.flatMap(({ transactions }) => transactions.map(({ from }) => from.toLowerCase()))),
  ])
  seen.add(news, new Set(senders))
  const from = blocks[0]?.number ?? head.number
  const reread =
    news.kind === 'fork'
      ? { from: Math.max(0, last - 2 * depth), to: Math.max(last, head.number) }
      : { from: last - depth + 2, to: head.number - depth + 1 }
  return {
    senders,
    reread,
    isAll: false,
    delivered: await deliveredIn(rpc, watches, { from, to: head.number }),
  }
}

/** Reads marked actions at one head, each as `refreshAction` reads it; returns how many. */
async function readMarked(
  needs: TrackingNeeds,
  chainId: number,
  seen: SeenBlocks,
  { rpc, head, budget }: { rpc: Asking['rpc']; head: NewBlocks['head']; budget: RequestBudget },
  marked: readonly MarkedAction[],
): Promise<number> {
  const { engine, isStopping } = needs
  const { store } = engine
  const wallets = new Map<string, MarkedAction[]>()
  for (const one of marked) {
    const wallet = one.wallet.toLowerCase()
    wallets.set(wallet, [...(wallets.get(wallet) ?? []), one])
  }
  const hashes = await store.hashesOnChain(
    chainId,
    marked.map(({ actionId }) => actionId),
  )
  const chain = await prefetchedChain(engine.chain(chainId), rpc, seen, {
    head,
    wallets: [...wallets.keys()],
    hashes,
  })
  const reading = {
    ...engine,
    store: withSeenTransactions(store, chainId, seen),
    chain: (id: number) => (id === chainId ? chain : engine.chain(id)),
  }
  // Actions of one wallet may have the same call, and the oldest takes the first transaction.
  const queue = [...wallets.values()]
  let read = 0
  const done: MarkedAction[] = []
  const work = async () => {
    for (let some = queue.shift(); some; some = queue.shift())
      for (const one of some) {
        if (isStopping() || budget.left < 1) return
        if (await readOne(needs, reading, chainId, one)) done.push(one)
        read++
      }
  }
  await Promise.all(Array.from({ length: walletsAtOnce }, work))
  // Together, because each commit waits for the disk. A process that ends before reads them again.
  await store.unmark(chainId, done)
  return read
}

/** Reads one marked action; returns whether its mark has ended. */
async function readOne(
  { recorder, onError }: TrackingNeeds,
  engine: TrackingNeeds['engine'],
  chainId: number,
  marked: MarkedAction,
): Promise<boolean> {
  const { store, now } = engine
  const { actionId, customer } = marked
  try {
    const { value: found, filters } = await recorder.record(() =>
      refreshAction({ ...engine, customer }, actionId),
    )
    const isAwaited =
      found !== undefined && isSwap(found.action) && ['confirmed', 'processing'].includes(found.action.status)
    if (!isAwaited) {
      if (found && isSwap(found.action)) await store.endWaiting(actionId, now())
      return true
    }
    const isNew = await store.watchDeliveries(actionId, filters)
    const waited = (now() - Number(found.action.updatedAt)) / 20
    const least = filters.length > 0 && !isNew ? minute : soonMs
    await store.markLater(chainId, marked, now() + Math.min(10 * minute, Math.max(least, waited)))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    onError?.(error)
    await store.markLater(chainId, marked, now() + retryMs)
  }
  return false
}
