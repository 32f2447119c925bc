import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { spawn } from '@lydell/node-pty'
import headless from '@xterm/headless'

const bin = join(import.meta.dirname, '../../../bin/sluice.js')

/** `sluice` in a pseudo-terminal, with the visible screen. */
export type Terminal = {
  /** Waits until the screen contains a text. */
  shows: (text: string | RegExp) => Promise<void>
  /** The text of the screen and of its scrollback, without trailing blanks of lines. */
  screen: () => Promise<string>
  /** The lines that continue the line before, because it was too long. */
  overflow: () => Promise<string[]>
  type: (keys: string) => void
  resize: (columns: number, rows: number) => void
  /** Resizes the screen alone: the program learns it only by `resize`. */
  narrow: (columns: number, rows: number) => void
  /** Removes the size of the terminal, like a window that is briefly gone. */
  unsize: () => void
  /** All bytes written. */
  bytes: () => string
  exit: Promise<number>
  end: () => void
}

/** The size of the terminal, whether the terminal does not report it, and additional environment. */
export type Sizes = { columns?: number; rows?: number; isUnsized?: boolean; env?: Record<string, string> }

/** Starts `bin/sluice.js` in a pseudo-terminal with a model of the screen, a home directory, and none of our environment. */
export function terminal(
  home: string,
  args: readonly string[],
  { columns = 80, rows = 24, isUnsized = false, env = {} }: Sizes = {},
): Terminal {
  const model = new headless.Terminal({ cols: columns, rows, scrollback: 1000, allowProposedApi: true })
  const program = [process.execPath, bin, ...args]
  // Like the terminal of a container or a job, which has no size.
  const [file, ...rest] = isUnsized
    ? ['sh', '-c', 'stty cols 0 rows 0 && exec "$@"', 'sh', ...program]
    : program
  const child = spawn(file!, rest, {
    cols: columns,
    rows,
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
  })
  let bytes = ''
  const waiting = new Set<() => void>()
  const text = () => {
    const { buffer } = model
    const lines = Array.from({ length: buffer.active.length }, (_, at) =>
      buffer.active.getLine(at)!.translateToString(true),
    )
    return lines.join('\n').trimEnd()
  }
  child.onData((some) => {
    bytes += some
    model.write(some, () => {
      for (const look of waiting) look()
    })
  })
  const exit = new Promise<number>((done) => child.onExit(({ exitCode }) => done(exitCode)))
  const settled = () => new Promise<void>((done) => model.write('', done))
  return {
    exit,
    bytes: () => bytes,
    type: (keys) => child.write(keys),
    // A program that draws without end ignores a softer signal.
    end: () => child.kill('SIGKILL'),
    resize: (wide, high) => {
      child.resize(wide, high)
      model.resize(wide, high)
    },
    narrow: (wide, high) => model.resize(wide, high),
    unsize: () => void execFileSync('stty', ['-F', `/proc/${child.pid}/fd/2`, 'cols', '0', 'rows', '0']),
    screen: async () => {
      await settled()
      return text()
    },
    overflow: async () => {
      await settled()
      const { active } = model.buffer
      return Array.from({ length: active.length }, (_, at) => active.getLine(at)!)
        .filter(({ isWrapped }) => isWrapped)
        .map((line) => line.translateToString(true))
    },
    shows: (wanted) =>
      new Promise<void>((done, failed) => {
        const look = () => {
          const now = text()
          if (!(typeof wanted === 'string' ? now.includes(wanted) : wanted.test(now))) return
          waiting.delete(look)
          done()
        }
        waiting.add(look)
        look()
        void exit.then(async (code) => {
          await settled()
          look()
          failed(new Error(`it ended with ${code} and never showed ${wanted}:\n${text()}`))
        })
      }),
  }
}

/** Whether a terminal was restored: the cursor is visible, there is no colour, and the main screen is active. */
export function isLeftClean(bytes: string): boolean {
  const last = (on: string, off: string) => bytes.lastIndexOf(on) >= bytes.lastIndexOf(off)
  return (
    last('\u001b[?25h', '\u001b[?25l') &&
    last('\u001b[?1049l', '\u001b[?1049h') &&
    last('\u001b[?2004l', '\u001b[?2004h')
  )
}
