import { join } from 'node:path'
import { spawn } from '@lydell/node-pty'
import type { IBufferCell, IBufferLine } from '@xterm/headless'
import headless from '@xterm/headless'

const bin = join(import.meta.dirname, '..', '..', 'bin', 'sluice.js')

/** The size of the terminal in a picture. */
export const size = { cols: 100, rows: 36 } as const

/** Text with one style, and its first column. `colour` is one of the sixteen, or none. */
export type Run = { column: number; text: string; colour?: number; bold: boolean; dim: boolean }

/** A terminal in which lines are typed one after another. */
export type Screen = {
  /** Runs a line to its end, or until a text appears, and returns the screen: a list of runs for each row. */
  type: (line: string, until?: string) => Promise<Run[][]>
}

/** Opens a screen with a home directory and none of our environment. */
export function screen(home: string): Screen {
  const model = new headless.Terminal({ ...size, allowProposedApi: true })
  const show = (text: string) => new Promise<void>((done) => model.write(text, done))
  const lines = () => {
    const { active } = model.buffer
    return Array.from({ length: size.rows }, (_, at) => active.getLine(active.baseY + at)!)
  }
  const rows = () => {
    const all = lines().map(runsOf)
    return all.slice(0, all.findLastIndex((row) => row.length > 0) + 1)
  }
  return {
    type: async (line, until) => {
      const began = model.buffer.active.baseY + model.buffer.active.cursorY > 0
      await show(`${began ? '\r\n' : ''}\u001b[2m$\u001b[22m \u001b[1msluice ${line}\u001b[22m\r\n`)
      const child = spawn(process.execPath, [bin, ...line.split(' ')], {
        ...size,
        cwd: home,
        env: { PATH: process.env.PATH ?? '', HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
      })
      const ended = new Promise<number>((done) => child.onExit(({ exitCode }) => done(exitCode)))
      const stands = new Promise<void>((done) =>
        child.onData((some) =>
          model.write(some, () => {
            const seen = lines().map((one) => one.translateToString(true))
            if (until !== undefined && seen.some((text) => text.includes(until))) done()
          }),
        ),
      )
      if (until === undefined) {
        const exit = await ended
        if (exit !== 0) throw new Error(`sluice ${line} ended with ${exit}`)
        await show('')
        return rows()
      }
      const isThere = await Promise.race([stands.then(() => true), ended.then(() => false)])
      const seen = rows()
      child.kill()
      const exit = await ended
      if (!isThere) throw new Error(`sluice ${line} ended with ${exit} and never showed ${until}`)
      return seen
    },
  }
}

/** A line as runs; two spaces end a run, so that columns keep their position. */
function runsOf(line: IBufferLine): Run[] {
  const runs: Run[] = []
  let open: Run | undefined
  let spaces = 0
  for (let column = 0; column < line.length; column++) {
    const cell = line.getCell(column)!
    const text = cell.getChars()
    if (text === '' || text === ' ') {
      spaces++
      continue
    }
    const look = lookOf(cell)
    if (open && spaces < 2 && sameLook(open, look)) open.text += ' '.repeat(spaces) + text
    else {
      open = { column, text, ...look }
      runs.push(open)
    }
    spaces = 0
  }
  return runs
}

function lookOf(cell: IBufferCell): Pick<Run, 'colour' | 'bold' | 'dim'> {
  if (!cell.isBgDefault() || cell.isInverse()) throw new Error('a picture has no backgrounds')
  if (!cell.isFgDefault() && !(cell.isFgPalette() && cell.getFgColor() < 16))
    throw new Error('a picture has sixteen colours')
  const colour = cell.isFgDefault() ? {} : { colour: cell.getFgColor() }
  return { ...colour, bold: cell.isBold() !== 0, dim: cell.isDim() !== 0 }
}

const sameLook = (one: Run, other: Pick<Run, 'colour' | 'bold' | 'dim'>): boolean =>
  one.colour === other.colour && one.bold === other.bold && one.dim === other.dim
