import { AsyncLocalStorage } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import type { TimerOptions } from 'node:timers'
import timers from 'node:timers/promises'
import type { Party, SimulatedTime } from './time.ts'

const current = new AsyncLocalStorage<{ time: SimulatedTime; party: Party }>()
const realTimeout = timers.setTimeout

/** Time limits and pauses without a clock of their own pass in virtual time, if a party of a simulation waits for them. */
timers.setTimeout = async <T>(ms?: number, value?: T, options?: TimerOptions): Promise<T> => {
  const inside = current.getStore()
  if (!inside) return realTimeout(ms, value, options)
  await inside.time.wait(inside.party, ms ?? 0, options?.signal)
  return value as T
}
syncBuiltinESMExports()

/** Runs the work of a party; all its timers are virtual. */
export const inVirtualTime = <T>(time: SimulatedTime, party: Party, work: () => T): T =>
  current.run({ time, party }, work)
