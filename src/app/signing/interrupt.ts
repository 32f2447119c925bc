import type { Interrupt } from '../../cli/program-context-types.ts'

type Process = {
  on: (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void) => unknown
  /** Live value: changes when the parent dies. */
  readonly ppid: number
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Turns signals into one AbortSignal. Outside critical parts a signal ends the program at once, with
 * nothing signed; a critical part stops where it is safe and reports how to resume.
 */
export function interruptible(process: Process): {
  interrupt: Interrupt
  /** The result of the work; `undefined` if a signal ended it first. */
  raced: <value>(work: Promise<value>) => Promise<value | undefined>
} {
  const controller = new AbortController()
  let critical = 0
  let leave: () => void = () => undefined
  const left = new Promise<undefined>((resolve) => {
    leave = () => resolve(undefined)
  })
  // A critical part may have started meanwhile; then it decides.
  const leaveIfIdle = () => {
    if (critical === 0) leave()
  }
  const stop = () => {
    controller.abort()
    // Work that listens to the signal ends by itself; other work is left.
    if (critical === 0) setTimeout(leaveIfIdle, 100)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  const { npm_command: command, SLUICE_LAUNCHER: launcher } = process.env
  if (command === 'exec' || launcher === String(process.ppid)) watchParent(process, stop)
  // The parent has already ended.
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
 * Under `npx` a shell is between npm and this process, and a signal that ends npm does not reach it, so
 * the death of the parent counts as the signal. The same applies to an older Node that only started
 * this one. Not elsewhere: a shell may leave while its background job goes on.
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
