import { AppError } from '../domain/errors.ts'

/** Runs a piece of work when its turn comes. */
export type InTurn = <value>(signal: AbortSignal, work: () => Promise<value>) => Promise<value>

/** Lets so many pieces of work run at once and no more: the others wait, and begin in the order in which they came. What is cancelled before its turn never begins: INTERRUPTED. */
export function turnsOf(most: number): InTurn {
  let running = 0
  const waiting: (() => void)[] = []
  const turn = (signal: AbortSignal) =>
    new Promise<void>((begin, leave) => {
      const next = () => {
        signal.removeEventListener('abort', gone)
        begin()
      }
      const gone = () => {
        waiting.splice(waiting.indexOf(next), 1)
        leave(new AppError('INTERRUPTED', 'It was cancelled before its turn'))
      }
      waiting.push(next)
      signal.addEventListener('abort', gone, { once: true })
    })
  return async (signal, work) => {
    if (running < most) running += 1
    else await turn(signal)
    try {
      return await work()
    } finally {
      // A place that somebody waits for is handed on, and never free in between.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
