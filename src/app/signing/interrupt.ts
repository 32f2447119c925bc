import type { Interrupt } from '../../cli/world.ts'

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
  /** What the work ends with; `undefined` when a signal ended it first. */
  raced: <value>(work: Promise<value>) => Promise<value | undefined>
} {
  const controller = new AbortController()
  let critical = 0
  let leave: () => void = () => undefined
  const left = new Promise<undefined>((resolve) => {
    leave = () => resolve(undefined)
  })
  // A critical part may have begun meanwhile: then it has the last word.
  const leaveIfIdle = () => {
    if (critical === 0) leave()
  }
  const stop = () => {
    controller.abort()
    // Whoever listens to the signal says so himself; whoever does not is left behind.
    if (critical === 0) setTimeout(leaveIfIdle, 100)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  const { npm_command: command, SLUICE_LAUNCHER: launcher } = process.env
  if (command === 'exec' || launcher === String(process.ppid)) watchParent(process, stop)
  // Whoever started us is gone already: we are the system's own.
  else if (launcher !== undefined && process.ppid === 1) stop()
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
 * death of the parent counts as the signal; so does that of the older Node that only started this one. Not elsewhere: a shell may
 * leave while its background job goes on.
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
