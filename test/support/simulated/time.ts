import type { Clock } from '../../../src/chain/rpc/clock.ts'

/** A waiter in virtual time: a process of the simulation. A dead party never wakes up. */
export type Party = { waiting: number; isOver: boolean; isDead: boolean }

/** Virtual time: it advances only when every party waits, and then directly to the next event. */
export type SimulatedTime = {
  now: () => number
  /** Runs `work` at a time. */
  at: (when: number, work: () => void) => void
  /** Waits as a party; never returns if the party is dead. */
  wait: (party: Party, ms: number, signal?: AbortSignal) => Promise<void>
  /** Advances time until these parties have ended or died. */
  pass: (parties: readonly Party[]) => Promise<void>
  clockOf: (party: Party, wall: () => number) => Clock
}

type Event = { when: number; order: number; work: () => void }

/** The maximum number of turns that real work (a signature, an import) may take while no virtual time passes. */
const mostTurns = 10_000

/** Starts at 0 ms. */
export function simulatedTime(): SimulatedTime {
  let now = 0
  let order = 0
  const events: Event[] = []
  const at: SimulatedTime['at'] = (when, work) => {
    const event = { when: Math.max(when, now), order: order++, work }
    let place = events.length
    // Newest last: the next event is at the end.
    while (place > 0 && isBefore(events[place - 1]!, event)) place--
    events.splice(place, 0, event)
  }
  const wait: SimulatedTime['wait'] = (party, ms, signal) =>
    new Promise((resolve, reject) => {
      if (party.isDead) return
      party.waiting++
      let isDone = false
      const end = (how: () => void) => () => {
        if (isDone || party.isDead) return
        isDone = true
        party.waiting--
        how()
      }
      const aborted = end(() => reject(signal?.reason))
      if (signal?.aborted) return at(now, aborted)
      signal?.addEventListener('abort', aborted, { once: true })
      at(now + ms, () => {
        signal?.removeEventListener('abort', aborted)
        end(resolve)()
      })
    })
  return {
    now: () => now,
    at,
    wait,
    pass: async (parties) => {
      const live = () => parties.filter(({ isOver, isDead }) => !isOver && !isDead)
      for (;;) {
        let turns = 0
        do {
          await new Promise(setImmediate)
          if (++turns > mostTurns) throw new Error('something waits for more than virtual time')
        } while (live().some(({ waiting }) => waiting === 0))
        if (live().length === 0) return
        const event = events.pop()
        if (!event) throw new Error('everybody waits, and nothing will happen')
        now = event.when
        event.work()
      }
    },
    clockOf: (party, wall) => ({ now: () => now, wall, sleep: (ms, signal) => wait(party, ms, signal) }),
  }
}

const isBefore = (a: Event, b: Event): boolean => a.when < b.when || (a.when === b.when && a.order < b.order)
