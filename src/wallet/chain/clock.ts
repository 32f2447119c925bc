import { setTimeout as sleep } from 'node:timers/promises'

/** Time as execution sees it. `now` is monotonic, in ms; `wall` is epoch ms; `sleep` rejects when the signal is aborted. */
export type Clock = {
  now: () => number
  wall: () => number
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, signal ? { signal } : {})
  },
}
