import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '../domain/address.ts'
import type { SandboxWorld } from './world.ts'

/** What to look after, and whom to tell. */
type KeeperOptions = {
  world: SandboxWorld
  /** Whether the world is on the disk as it is now. */
  isSaved: boolean
  /** How often it looks whether something changed. */
  everyMs: number
  /** How long nothing may happen before the world is ended. */
  idleMs: number
  now: () => number
  /** Why the world should end now. */
  onEnd: (why: 'idle' | 'node-died') => void
  /** A save that did not work; it is tried again at the next look. */
  onFault: (error: unknown) => void
}

/** Saves the world whenever it changed, and says when nobody has used it for long or a node died. */
type Keeper = { touch: () => void; stop: () => Promise<void> }

/** Starts looking after a world. A new block or a `touch` counts as use and as a change. */
export function startKeeper(options: KeeperOptions): Keeper {
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
