import { setTimeout as sleep } from 'node:timers/promises'
import { newestBlock } from './node-reads.ts'
import type { SandboxWorld } from './world.ts'

/** The watched world and the callbacks. */
type KeeperOptions = {
  world: SandboxWorld
  /** Whether the current state is saved. */
  isSaved: boolean
  /** Interval of the checks, in ms. */
  everyMs: number
  /** Idle time after which the world ends, in ms. */
  idleMs: number
  now: () => number
  /** Called when the world should end. */
  onEnd: (why: 'idle' | 'node-died') => void
  /** Called after a failed save, which the next check retries. */
  onFault: (error: unknown) => void
}

/** Saves the world after changes, and reports a long idle time or a dead node. */
type Keeper = { touch: () => void; stop: () => Promise<void> }

/** Starts to watch a world. A new block or a `touch` counts as use and as a change. */
export function startWatchdog(options: KeeperOptions): Keeper {
  const { world, everyMs, idleMs, now, onEnd, onFault } = options
  const stopping = new AbortController()
  let usedAt = now()
  let { isSaved } = options
  let heads = ''

  const look = async (): Promise<void> => {
    if (!world.isAlive()) return onEnd('node-died')
    const found = await Promise.all(world.chains.map(({ rpc }) => newestBlock(rpc)))
    const latest = found.map(({ hash }) => hash).join()
    if (latest !== heads) {
      if (heads) {
        usedAt = now()
        isSaved = false
      }
      heads = latest
    }
    if (!isSaved) {
      isSaved = true
      await world.dump().catch((error: unknown) => {
        isSaved = false
        onFault(error)
      })
    }
    if (now() - usedAt >= idleMs) onEnd('idle')
  }

  const loop = (async () => {
    while (!stopping.signal.aborted) {
      await look().catch(onFault)
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })()

  return {
    touch: () => {
      usedAt = now()
      isSaved = false
    },
    stop: async () => {
      stopping.abort()
      await loop
    },
  }
}
