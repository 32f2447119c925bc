import { join } from 'node:path'
import { spawn } from '@lydell/node-pty'

const bin = join(import.meta.dirname, '../../../bin/sluice.js')

/** `sluice` in a pseudo-terminal, with typed answers. */
export type Typed = {
  /** Waits for a question after the last answer, then types. */
  answer: (question: string | RegExp, keys: string) => Promise<void>
  exit: Promise<number>
  /** All text written to the terminal. */
  all: () => string
  end: () => void
}

/** Starts `bin/sluice.js` in a pseudo-terminal, with a home directory and none of our environment. */
export function typing(home: string, args: readonly string[], env: Record<string, string> = {}): Typed {
  const child = spawn(process.execPath, [bin, ...args], {
    cols: 200,
    rows: 40,
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, TERM: 'xterm', NO_COLOR: '1', ...env },
  })
  let all = ''
  let seen = 0
  const waiting = new Set<() => void>()
  child.onData((text) => {
    all += text
    for (const look of waiting) look()
  })
  const exit = new Promise<number>((done) => child.onExit(({ exitCode }) => done(exitCode)))
  // Output contains cursor movements; questions are searched in the text without them.
  const words = () => all.slice(seen).replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '')
  return {
    exit,
    all: () => all,
    end: () => child.kill(),
    answer: (question, keys) =>
      new Promise<void>((done, failed) => {
        const look = () => {
          const stands = typeof question === 'string' ? words().includes(question) : question.test(words())
          if (!stands) return
          waiting.delete(look)
          seen = all.length
          child.write(keys)
          done()
        }
        waiting.add(look)
        look()
        void exit.then((code) =>
          failed(new Error(`it ended with ${code} and never asked ${question}: ${all}`)),
        )
      }),
  }
}
