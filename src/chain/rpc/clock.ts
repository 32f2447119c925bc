import { setTimeout as sleep } from 'node:timers/promises'

/** The clock of an execution. `now` is monotonic, in ms; `wall` is epoch ms; `sleep` rejects on abort. */
export type Clock = {
  now: () => number
  wall: () => number
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, signal ? { signal } : {})
  },
}
