import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { openJournal } from '../../src/store/journal/journal.ts'
import type { Journal } from '../../src/store/journal/journal-interface.ts'
import { attemptsIn } from './spawn-program.ts'
import type { Circumstances, useCommands } from './use-commands.ts'

/** The sandbox journal in a home directory. */
export const sandboxJournal = (home: string): Journal =>
  openJournal(join(home, 'data', 'sandbox', 'journal.db'), Date.now)

/** Copies the home directory of a test, to run later commands there as after restoring an older disk. The copies are removed after the test. */
export function useCopies({ run, home }: Pick<ReturnType<typeof useCommands>, 'run' | 'home'>) {
  const made: string[] = []
  afterEach(() => {
    for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true })
  })
  return () => {
    const above = mkdtempSync(join(tmpdir(), 'sluice-older-'))
    made.push(above)
    const copy = join(above, 'home')
    execFileSync('cp', ['-a', home(), copy])
    return {
      again: (line: string | readonly string[], { env, ...more }: Circumstances = {}) =>
        run(line, { ...more, env: { ...env, SLUICE_HOME: copy } }),
      attempts: () => attemptsIn(join(copy, 'data')),
      journal: () => sandboxJournal(copy),
    }
  }
}
