import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '../domain/address.ts'
import type { SandboxWorld } from './world.ts'

/** What is watched, and the callbacks. */
type KeeperOptions = {
  world: SandboxWorld
  /** Whether the current state is saved. */
  isSaved: boolean
  /** The interval of the checks. */
  everyMs: number
  /** The idle time after which the world ends. */
  idleMs: number
  now: () => number
  /** Why the world should end now. */
  onEnd: (why: 'idle' | 'node-died') => void
  /** Called after a failed save, which is retried at the next check. */
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
    const found = await Promise.all(
      world.chains.map(({ rpc }) => rpc.request<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])),
    )
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
