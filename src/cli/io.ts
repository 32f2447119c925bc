import { Chalk, type ChalkInstance } from 'chalk'

/** One of the two output streams: where it goes, whether a person reads it there, and its colours. */
export type Stream = {
  write: (text: string) => void
  isTerminal: boolean
  columns: number
  paint: ChalkInstance
}

/** The terminal, and nothing but the terminal. Every byte that the program prints or asks for goes through here. */
export type Io = {
  /** The answer. The only thing that a pipe sees. */
  out: Stream
  /** The conversation: progress, notices, warnings, questions. */
  err: Stream
  /** Whether somebody is there to answer a question. */
  canAsk: boolean
  /** The terminal behind `err`, for the libraries that draw on it themselves. */
  drawOn?: NodeJS.WritableStream
}

/** How the standard streams are to be used: colours are one switch over every library that could draw one. */
export type IoOptions = {
  noColor: boolean
  noInput: boolean
  env: Readonly<Record<string, string | undefined>>
}

/** The process's own streams. */
export function stdio({ noColor, noInput, env }: IoOptions): Io {
  const { stdin, stdout, stderr } = process
  const plain = noColor || (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb'
  const stream = (to: NodeJS.WriteStream): Stream => ({
    write: (text) => void to.write(text),
    isTerminal: to.isTTY === true,
    columns: to.columns ?? 80,
    paint: new Chalk({ level: to.isTTY && !plain ? 2 : 0 }),
  })
  // Whoever reads us may leave; what we are doing must not depend on it.
  for (const to of [stdout, stderr]) to.on('error', () => undefined)
  return {
    out: stream(stdout),
    err: stream(stderr),
    drawOn: stderr,
    canAsk: stdin.isTTY === true && stderr.isTTY === true && !noInput,
  }
}
