import type { Io } from '../cli/io.ts'
import type { Interrupt } from '../cli/world.ts'
import type { exits } from '../domain/exits.ts'

type Signals = { on: (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void) => unknown }

/**
 * Turns signals into one AbortSignal. Outside of critical parts a signal ends the program at once, with nothing signed;
 * inside, the part itself stops where it is safe and says how to go on.
 */
export function interruptible(process: Signals): {
  interrupt: Interrupt
  raced: (work: Promise<number>, io: Io) => Promise<number>
} {
  const controller = new AbortController()
  let critical = 0
  let leave: (exit: number) => void = () => undefined
  const left = new Promise<number>((resolve) => {
    leave = resolve
  })
  const stop = () => {
    controller.abort()
    if (critical === 0) leave(130 satisfies keyof typeof exits)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  const interrupt: Interrupt = {
    signal: controller.signal,
    critical: async (work) => {
      critical++
      try {
        return await work()
      } finally {
        critical--
      }
    },
  }
  return { interrupt, raced: (work) => Promise.race([work, left]) }
}
