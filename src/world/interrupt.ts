import type { Io } from '../cli/io.ts'
import type { Interrupt } from '../cli/world.ts'
import type { exits } from '../domain/exits.ts'

type Process = {
  on: (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void) => unknown
  /** Live: changes when the parent dies. */
  readonly ppid: number
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Turns signals into one AbortSignal. Outside of critical parts a signal ends the program at once, with nothing signed;
 * inside, the part itself stops where it is safe and says how to go on.
 */
export function interruptible(process: Process): {
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
  if (process.env.npm_command === 'exec') watchParent(process, stop)
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

/**
 * Under `npx` a shell stands between npm and us, and a signal that ends npm ends that shell without reaching us. So the
 * death of the parent counts as the signal. Not elsewhere: a shell may leave while its background job goes on.
 */
function watchParent(process: Process, stop: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    stop()
  }, 100)
  timer.unref()
}
