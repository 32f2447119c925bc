import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { builtFile } from './support/built.ts'

const here = join(import.meta.dirname, '..')
const sentence = 'print the version'
let root: string

/** A clone of its own, so that nobody else's build is touched. */
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-build-'))
  for (const name of ['bin', 'src', 'completions', 'package.json', 'package-lock.json'])
    cpSync(join(here, name), join(root, name), { recursive: true, preserveTimestamps: true })
  symlinkSync(join(here, 'node_modules'), join(root, 'node_modules'))
  build()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const node = (...args: string[]) =>
  execFileSync(process.execPath, args, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: root },
  })
const build = () => node(join(root, 'bin', 'build.js'))
const help = () => node(join(root, 'bin', 'sluice.js'), '--help')
/** Says something else in a file, in place and at the same length: neither its folder nor a stamp knows. */
const reword = (path: string, words: string) =>
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(sentence, words.padEnd(sentence.length)))
const always = () =>
  readdirSync(builtFile(root)).find((name) => name.startsWith('start-always')) ?? 'no such chunk'

describe('the build', () => {
  it("is what runs, as long as it is what the sources say, is whole, and is nobody else's", () => {
    // Only the build is changed: so it is the build that speaks.
    reword(builtFile(root, always()), 'said by the build')
    expect(help()).toContain('said by the build')
    chmodSync(builtFile(root), 0o777)
    expect(help()).toContain(sentence)
    chmodSync(builtFile(root), 0o755)
    expect(help()).toContain('said by the build')
    const stamp = readFileSync(join(root, 'dist', 'stamp'))
    const start = builtFile(root, 'start.js')
    chmodSync(start, 0o666)
    expect(help()).toContain(sentence)
    chmodSync(start, 0o644)
    expect(help()).toContain('said by the build')
    // A power cut may leave what was written last without its bytes.
    const bytes = readFileSync(start)
    writeFileSync(start, '')
    expect(help()).toContain(sentence)
    writeFileSync(start, bytes)
    rmSync(builtFile(root, 'signer.js'))
    expect(help()).toContain(sentence)
    writeFileSync(join(root, 'dist', 'stamp'), stamp.subarray(0, 100))
    expect(help()).toContain(sentence)
    writeFileSync(join(root, 'dist', 'stamp'), stamp)
  })

  it('gives way to a source that is newer, until it is built again; what ran before keeps its own for a month', () => {
    const before = builtFile(root)
    const old = new Date(Date.now() - 40 * 86_400_000)
    utimesSync(before, old, old)
    reword(join(root, 'src', 'main.ts'), 'said by the source')
    expect(help()).toContain('said by the source')
    build()
    expect(builtFile(root)).not.toBe(before)
    expect(readFileSync(builtFile(root, always()), 'utf8')).toContain('said by the source')
    expect(existsSync(join(before, 'start.js'))).toBe(true)
  })

  it('goes a month after another one took its place; one is not called current where a source was written while it was read', () => {
    const before = builtFile(root)
    const [old, soon] = [-40, 1].map((days) => new Date(Date.now() + days * 86_400_000)) as [Date, Date]
    for (const name of readdirSync(join(root, 'dist'))) utimesSync(join(root, 'dist', name), old, old)
    utimesSync(join(root, 'src', 'main.ts'), soon, soon)
    build()
    expect(existsSync(before)).toBe(true)
    expect(existsSync(join(root, 'dist', 'stamp'))).toBe(false)
    expect(readdirSync(join(root, 'dist'))).toHaveLength(1)
  })

  it('gives the process that holds the keys nothing of the terminal', () => {
    const said = (process: string) =>
      readdirSync(builtFile(here))
        .filter((name) => name.startsWith(process))
        .map((name) => readFileSync(builtFile(here, name), 'utf8'))
        .join('')
    const [program, signer] = [said('start'), said('signer')]
    expect(signer).not.toBe('')
    // Of commander, chalk, ora, inquirer and the tables a word each that nobody else says.
    for (const word of [
      'CommanderError',
      'FORCE_COLOR',
      'isUnicodeSupported',
      'ExitPromptError',
      'colWidths',
    ]) {
      expect(program).toContain(word)
      expect(signer).not.toContain(word)
    }
  })

  it('loads few chunks, however much a command needs', () => {
    const loaded = (...args: string[]) => {
      const home = mkdtempSync(join(root, 'home-'))
      const env = { PATH: process.env.PATH, SLUICE_HOME: home }
      execFileSync(process.execPath, [join(here, 'bin', 'sluice.js'), ...args], { env })
      // What was loaded was compiled, and is kept so.
      const kept = readdirSync(join(home, 'cache', 'compiled'), { recursive: true, withFileTypes: true })
      return kept.filter((entry) => entry.isFile()).length
    }
    expect(loaded('--help')).toBeLessThan(5)
    expect(loaded('profile', 'list')).toBeLessThan(15)
    expect(loaded('deposit', '--help')).toBeLessThan(30)
  })
})
