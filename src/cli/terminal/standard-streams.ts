import { Chalk, type ChalkInstance } from 'chalk'
import { discardTyped } from './discard-typed-ahead.ts'
import type { Io, Stream } from './io-types.ts'

type Env = Readonly<Record<string, string | undefined>>

/** How a stream may be painted. */
type Palette = { noColor: boolean; env: Env; isTerminal: boolean }

const isSaid = (value: string | undefined): boolean => value !== undefined && value !== ''

/** Decides about all colours and links: on terminals that support them, unless `--no-color` or `NO_COLOR`; never in a pipe. */
export function isPainted({ noColor, env, isTerminal }: Palette): boolean {
  if (noColor || isSaid(env.NO_COLOR)) return false
  return isTerminal && env.TERM !== 'dumb' && env.CLICOLOR !== '0'
}

/** Passes the decision to libraries that read the environment (prompts, spinner). */
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

/** Paint that leaves every text as it is. */
export const unpainted: ChalkInstance = new Chalk({ level: 0 })

/** The options of the standard streams; colours are one switch for every library. */
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

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '' && value !== 'false'
