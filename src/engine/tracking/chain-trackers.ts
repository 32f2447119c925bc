import { setTimeout as sleep } from 'node:timers/promises'
import { fullAccess } from '../access-scope.ts'
import { createChainServices } from '../chain-services.ts'
import type { EngineInputs } from '../engine.ts'
import { oncePerChain } from '../once-per-chain.ts'
import { deliveryRecorder } from './delivery-watches.ts'
import { seenBlocks } from './followed-blocks.ts'
import { type HeadPass, type TrackingNeeds, trackChainHead } from './track-chain-head.ts'

/** What one chain cost so far, for the metrics: passes, requests, actions read, failures, and the newest followed block. */
export type TrackingTotals = {
  network: string
  passes: number
  requests: number
  read: number
  failures: number
  block: number
}

/** The trackers of all chains of a process. */
export type ChainTrackers = {
  start: () => void
  /** Ends after the write that is under way, and leaves the chains to other processes. */
  stop: () => Promise<void>
  /** One pass over a chain; `undefined` if another process follows it. */
  pass: (chainId: number) => Promise<HeadPass | undefined>
  totals: () => readonly TrackingTotals[]
}

/** How long the right to follow a chain lasts after a pass, in ms. */
const leaseMs = 15_000

/** How often a process looks for open actions, and for chains that nobody follows, in ms. */
const idleMs = 5_000

/** The bounds of the wait between two passes, in ms: about one block of the chain. */
const [shortestMs, longestMs] = [1_000, 12_000]

/** Creates the trackers; `holder` is a name that no other process has. They do nothing while a chain has no open actions. */
export function createChainTrackers({
  holder,
  onError,
  ...options
}: Omit<EngineInputs, 'customer' | 'changedBy' | 'scope'> & {
  holder: string
  onError?: (network: string, error: unknown) => void
}): ChainTrackers {
  const recorder = deliveryRecorder()
  const services = createChainServices({
    ...options,
    scope: fullAccess,
    onAwaitedLog: recorder.awaited,
  })
  const stopping = new AbortController()
  const engine = { ...options, ...services, changedBy: 'operator', isServed: true }
  const networks = new Map(services.catalog.networks.map((network) => [network.chainId, network.name]))
  const seen = oncePerChain(seenBlocks)
  const totals = new Map<number, TrackingTotals>()
  const needsOf = (network: string): TrackingNeeds => ({
    engine,
    recorder,
    holder,
    leaseMs,
    isStopping: () => stopping.signal.aborted,
    ...(onError && { onError: (error) => onError(network, error) }),
  })
  const pass = async (chainId: number): Promise<HeadPass | undefined> => {
    const network = networks.get(chainId)!
    const sum = totals.get(chainId) ?? {
      ...{ network, passes: 0, requests: 0, read: 0, failures: 0, block: 0 },
    }
    totals.set(chainId, sum)
    try {
      const done = await trackChainHead(needsOf(network), chainId, seen(chainId))
      if (!done) return undefined
      sum.passes++
      sum.requests += done.requests
      sum.read += done.read
      sum.block = done.block
      return done
    } catch (error) {
      sum.failures++
      throw error
    }
  }
  const rest = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined)
  const active = new Map<number, Promise<void>>()
  /** Follows a chain as long as it has open actions. */
  const follow = async (chainId: number, isOpen: () => boolean) => {
    let last: HeadPass | undefined
    let perBlock = 2_000
    while (isOpen() && !stopping.signal.aborted) {
      let waitMs = idleMs
      try {
        const done = await pass(chainId)
        if (done && last && done.block > last.block)
          perBlock = (done.blockAt - last.blockAt) / (done.block - last.block)
        if (done) waitMs = done.isMore ? shortestMs : Math.min(longestMs, Math.max(shortestMs, perBlock))
        last = done
      } catch (error) {
        onError?.(networks.get(chainId)!, error)
      }
      await rest(waitMs)
    }
  }
  let open = new Set<number>()
  let looking: Promise<void> | undefined
  const look = async () => {
    while (!stopping.signal.aborted) {
      try {
        open = new Set(
          (await options.store.chainsToTrack(options.now())).filter((chainId) => networks.has(chainId)),
        )
        for (const chainId of open)
          if (!active.has(chainId))
            active.set(
              chainId,
              follow(chainId, () => open.has(chainId)).finally(() => active.delete(chainId)),
            )
      } catch (error) {
        onError?.('', error)
      }
      await rest(idleMs)
    }
  }
  return {
    start: () => {
      looking ??= look()
    },
    stop: async () => {
      stopping.abort()
      await looking
      await Promise.all(active.values())
      await options.store.releaseChains(holder).catch(() => undefined)
    },
    pass,
    totals: () => [...totals.values()],
  }
}
