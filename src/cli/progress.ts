import type { Io } from './io.ts'

/** What goes on, said on stderr: finished lines stay, the current one moves on a terminal and is left out elsewhere. */
export type Teller = {
  /** A line that stays. */
  say: (line: string) => void
  /** What is being done now; on a terminal it turns until the next word. */
  doing: (line: string) => void
  /** Nothing is being done any more. */
  done: () => void
}

/** Tells on stderr; `quiet` says nothing at all. */
export async function teller({ err, drawOn }: Io, quiet: boolean): Promise<Teller> {
  if (quiet) return { say: () => undefined, doing: () => undefined, done: () => undefined }
  if (!err.isTerminal)
    return { say: (line) => err.write(`${line}\n`), doing: () => undefined, done: () => undefined }
  const { default: ora } = await import('ora')
  const spinner = ora({
    ...(drawOn && { stream: drawOn }),
    discardStdin: false,
    ...(err.paint.level === 0 && { color: false as never }),
  })
  return {
    say: (line) => {
      spinner.stop()
      err.write(`${line}\n`)
    },
    doing: (line) => void spinner.start(line),
    done: () => void spinner.stop(),
  }
}
