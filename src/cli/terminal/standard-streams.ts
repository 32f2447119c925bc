import { Chalk } from 'chalk'
import { discardTyped } from './discard-typed-ahead.ts'
import type { Io, Stream } from './io-types.ts'
import { readPlainLine } from './plain-line.ts'
import { hasUnicode, hyperlink, isPainted, isSet, tellLibraries } from './terminal-abilities.ts'

/** The options of the standard streams; colours are one switch for every library. */
type IoOptions = {
  noColor: boolean
  noInput: boolean
  env: Record<string, string | undefined>
}

/** The process's own streams. */
export async function stdio({ noColor, noInput, env }: IoOptions): Promise<Io> {
  const { stdout, stderr } = process
  const isOn = (to: NodeJS.WriteStream) => isPainted({ noColor, env, isTerminal: to.isTTY === true })
  const [outPainted, errPainted] = [isOn(stdout), isOn(stderr)]
  const links =
    (stdout.isTTY && outPainted) || (stderr.isTTY && errPainted)
      ? (await import('terminal-link')).default
      : undefined
  // They draw on the conversation, and never on the answer.
  tellLibraries(env, errPainted)
  const stream = (to: NodeJS.WriteStream, painted: boolean, hasLinks = false): Stream => ({
    write: (text) => void to.write(text),
    isTerminal: to.isTTY === true,
    get columns() {
      return to.columns || 80
    },
    get rows() {
      return to.rows || 24
    },
    paint: new Chalk({ level: painted ? 2 : 0 }),
    ...(to.isTTY && painted && hasLinks && { link: hyperlink }),
    ...(to.isTTY && { ascii: !hasUnicode(env) }),
    // A terminal without a size has no columns, and redrawing counts lines.
    get redraws() {
      return to.isTTY === true && to.columns > 0 && env.TERM !== 'dumb' && !isSet(env.CI)
    },
    onResize: (draw) => {
      to.on('resize', draw)
      return () => void to.off('resize', draw)
    },
  })
  // A reader of the output may leave; the work must go on.
  for (const to of [stdout, stderr]) to.on('error', () => undefined)
  const unread = new AbortController()
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') unread.abort()
  })
  return {
    out: Object.assign(stream(stdout, outPainted, links?.isSupported), { unread: unread.signal }),
    err: stream(stderr, errPainted, links?.stderr.isSupported),
    drawOn: stderr,
    ...(env.TERM === 'dumb' && {
      plainLine: (how) => readPlainLine(process.stdin, (text) => void stderr.write(text), how),
    }),
    discardTyped: async () => discardTyped(process.stdin),
    whenUnread: (call) => {
      process.stdin.once('pause', call)
      return () => process.stdin.off('pause', call)
    },
    // The standard input is opened only when it is needed.
    get canAsk() {
      return !noInput && stderr.isTTY === true && process.stdin.isTTY === true
    },
  }
}
