import { afterAll, afterEach, beforeAll, inject } from 'vitest'
import { type ProgramHome, programHome, spawnSluice } from '../spawn-program.ts'
import { type Sizes, type Terminal, terminal } from './pseudo-terminal.ts'

/** A home directory with a running sandbox, and the program in it, with or without a terminal; a line is the text after `sluice`. */
export type Terminals = {
  home: () => ProgramHome
  shown: (line: string, sizes?: Sizes) => Terminal
  sluice: (line: string) => ReturnType<typeof spawnSluice>
}

/** Gives the tests of a file this home directory; terminals are closed after each test. */
export function useTerminals(): Terminals {
  let home: ProgramHome
  const open: Terminal[] = []
  const sluice = (line: string) => spawnSluice(home.home, line.split(' '))
  beforeAll(async () => {
    home = programHome(inject('sandboxCache'))
    await sluice('sandbox up')
  })
  afterEach(() => {
    for (const one of open.splice(0)) one.end()
  })
  afterAll(() => home.end())
  return {
    home: () => home,
    sluice,
    shown: (line, sizes) => {
      const one = terminal(home.home, line.split(' '), sizes)
      open.push(one)
      return one
    },
  }
}
