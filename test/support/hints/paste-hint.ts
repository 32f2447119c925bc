import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'

/**
 * The words of the first command in a hint, as bash parses them when pasted. A flag alone belongs to
 * sluice. Nothing is executed: a stub only records its arguments, and no file may be created.
 */
export function pasted(hint: string): string[] {
  const [, named, flags = hint] =
    /(?:^|[ :])(?:((?:sluice|chmod|mv|ls) [\s\S]*)|(--[\s\S]*))$/.exec(hint) ?? []
  const command = named ?? `sluice ${flags}`
  const cwd = mkdtempSync(join(tmpdir(), 'sluice-pasted-'))
  const said = `said() { printf '%s\\0' "$@"; }; ${['sluice', 'chmod', 'mv', 'ls'].map((name) => `${name}() { said ${name} "$@"; }`).join('; ')}`
  const words = execFileSync('bash', ['-c', `${said}; ${command}`], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, LC_ALL: 'C.UTF-8' },
    encoding: 'utf8',
  })
  expect(readdirSync(cwd)).toEqual([])
  rmSync(cwd, { recursive: true })
  return words.split('\0').slice(0, -1)
}
