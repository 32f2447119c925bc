import { Chalk, type ChalkInstance } from 'chalk'

type Env = Readonly<Record<string, string | undefined>>

/** How a stream may be painted. */
type Palette = { noColor: boolean; env: Env; isTerminal: boolean }

const isSaid = (value: string | undefined): boolean => value !== undefined && value !== ''

/**
 * The one switch of all colours, links included. They are for terminals that know them, unless `--no-color` or `NO_COLOR` says otherwise;
 * nothing forces them into a pipe, where somebody else reads.
 */
export function isPainted({ noColor, env, isTerminal }: Palette): boolean {
  if (noColor || isSaid(env.NO_COLOR)) return false
  return isTerminal && env.TERM !== 'dumb' && env.CLICOLOR !== '0'
}

/** Tells the libraries that look at the environment by themselves (the questions, the spinner) what the switch says. */
function tellLibraries(env: Record<string, string | undefined>, isOn: boolean): void {
  delete env.FORCE_COLOR
  delete env.CLICOLOR_FORCE
  if (!isOn) env.NO_COLOR = '1'
}

/** Whether a terminal shows more than ASCII: a locale of UTF-8, and a terminal that is one. On Windows every one in use does. */
export function hasUnicode(env: Env, platform: string = process.platform): boolean {
  if (env.TERM === 'dumb' || env.TERM === 'linux') return false
  if (platform === 'win32') return true
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find(isSaid)
  return /utf-?8/i.test(locale ?? '')
}

/** One of the two output streams: where it goes, whether a person reads it there, and its colours. */
export type Stream = {
  write: (text: string) => void
  isTerminal: boolean
  /** How wide it is now: a window may be resized. */
  readonly columns: number
  /** How many lines it shows; missing where there is no end. */
  readonly rows?: number
  /** Whether what was written may be drawn anew: nobody's log, and a terminal that knows how and has a size now. */
  readonly redraws?: boolean
  /** Calls back whenever the window gets another size, until what it gives is called. */
  onResize?: (draw: () => void) => () => void
  paint: ChalkInstance
  /** A text that leads somewhere; missing where the terminal does not understand it. */
  link?: (text: string, url: string) => string
  /** Whether nothing but ASCII can be shown there; a pipe takes everything. */
  ascii?: boolean
  /** Ends once a write finds nobody who reads, such as after `head` has read enough: the system tells it no sooner. */
  unread?: AbortSignal
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
  /** Throws away what was typed until now, and tells whether there was a Ctrl-C among it. */
  discardTyped?: () => Promise<boolean>
  /** Calls when nobody reads any longer what is typed, as after Ctrl-D. The answer takes that back. */
  whenUnread?: (call: () => void) => () => void
}

/** Paint that leaves every text as it is. */
export const unpainted: ChalkInstance = new Chalk({ level: 0 })

/** How the standard streams are to be used: colours are one switch over every library that could draw one. */
type IoOptions = {
  noColor: boolean
  noInput: boolean
  env: Record<string, string | undefined>
}

/** A text that opens an address when it is clicked, for a terminal that understands it. */
export const hyperlink = (text: string, url: string): string =>
  `\u001b]8;;${url}\u0007${text}\u001b]8;;\u0007`

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
    // A terminal that nobody gave a size has no columns, and what is drawn anew is counted in lines.
    get redraws() {
      return to.isTTY === true && to.columns > 0 && env.TERM !== 'dumb' && !isSet(env.CI)
    },
    onResize: (draw) => {
      to.on('resize', draw)
      return () => void to.off('resize', draw)
    },
  })
  // Whoever reads us may leave; what we are doing must not depend on it.
  for (const to of [stdout, stderr]) to.on('error', () => undefined)
  const unread = new AbortController()
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') unread.abort()
  })
  return {
    out: Object.assign(stream(stdout, outPainted, links?.isSupported), { unread: unread.signal }),
    err: stream(stderr, errPainted, links?.stderr.isSupported),
    drawOn: stderr,
    discardTyped: async () => (await import('./flush-input.ts')).discardTyped(process.stdin),
    whenUnread: (call) => {
      process.stdin.once('pause', call)
      return () => process.stdin.off('pause', call)
    },
    // The standard input is opened when somebody wants to know about it, and not before.
    get canAsk() {
      return !noInput && stderr.isTTY === true && process.stdin.isTTY === true
    },
  }
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '' && value !== 'false'
