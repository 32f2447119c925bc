import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandManifests, helpPages } from '../src/app/help-and-completion-manifests.ts'
import { buildProgram } from '../src/app/main.ts'
import { builtFile } from './support/built-file.ts'

const here = join(import.meta.dirname, '..')
const sentence = 'print the version'
let root: string

const soon = new Date('2026-01-02')
const sourceOf = (command: string) => join(root, 'src', 'commands', `${command}.ts`)

/** Copies a file or folder with its times, because the build compares them. */
const take = (path: string) => execFileSync('cp', ['-a', join(here, path), join(root, path)])

/** A copy of the project and its build, so that the tests change no shared build. */
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-build-'))
  for (const name of ['bin', 'src', 'completions', 'package.json', 'package-lock.json']) take(name)
  mkdirSync(join(root, 'dist'))
  const folder = relative(here, builtFile(here))
  take(folder)
  const stamp = readFileSync(join(here, 'dist', 'stamp'), 'utf8')
  // A copied folder may have another size.
  const { size, mtimeMs } = statSync(join(root, folder))
  writeFileSync(join(root, 'dist', 'stamp'), stamp.replace(/.*/, `${folder}\t${size}\t${mtimeMs}`))
  symlinkSync(join(here, 'node_modules'), join(root, 'node_modules'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const node = (...args: string[]) =>
  execFileSync(process.execPath, args, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: root },
  })
const build = () => node(join(root, 'bin', 'build.js'))
const sluice = (...args: string[]) => node(join(root, 'bin', 'sluice.js'), ...args)
/** The help as the program itself prints it: a further option bypasses the stored manifests. */
const help = () => sluice('--help', '--no-color')
/** Changes the phrase in a file, in place and at the same length, so that neither folder nor stamp shows it. */
const reword = (path: string, words: string) =>
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(sentence, words.padEnd(sentence.length)))

describe('the build', () => {
  it('stores the manifests of the sources, and answers help and completion from them as the program would', async () => {
    expect(readFileSync(builtFile(root, 'command-manifests'), 'utf8')).toBe(await commandManifests())
    for (const line of [[], ['strategies', 'list']])
      expect(sluice(...line, '--help')).toBe(sluice(...line, '--help', '--no-color'))
    // An option before the command makes the program itself complete it.
    for (const line of [['str'], ['strategies', '']])
      expect(sluice('__complete', '--', ...line)).toBe(sluice('__complete', '--', '--quiet', ...line))
    const words = builtFile(root, 'help-pages')
    const bytes = readFileSync(words)
    reword(words, 'said by the pages')
    expect([sluice('--help'), help()].map((text) => text.includes('said by the pages'))).toEqual([
      true,
      false,
    ])
    // A manifest depends only on the sources of its own command: a newer transfer source leaves it valid.
    const touched = (path: string, work: () => void) => {
      utimesSync(path, soon, soon)
      work()
      take(relative(root, path))
    }
    const shown = () => sluice('completion', '--help')
    writeFileSync(
      words,
      readFileSync(words, 'utf8').replaceAll('Print the completion', 'PRINT THE COMPLETION'),
    )
    touched(sourceOf('transfer'), () => expect(shown()).toContain('PRINT THE COMPLETION'))
    touched(sourceOf('completion'), () => expect(shown()).not.toContain('PRINT THE COMPLETION'))
    writeFileSync(words, bytes)
  })

  it('has the help page of every command as the program prints it, and a broken file of pages is not used', async () => {
    const path = builtFile(root, 'help-pages')
    const text = readFileSync(path, 'utf8')
    expect(text).toBe(helpPages(await commandManifests()))
    const pages = text.split('\n').flatMap((line) => Object.entries<string>(JSON.parse(line.split('\t')[1]!)))
    expect(pages.length).toBeGreaterThan(70)
    for (const [name, page] of pages) {
      const words = name.split(' ').filter(Boolean)
      const printed: string[] = []
      const io = {
        out: { write: (more: string) => void printed.push(more), columns: 80, paint: { level: 0 } },
      }
      const program = await buildProgram(words, { version: '', io } as never)
      await program.parseAsync([...words, '--help'], { from: 'user' }).catch(() => undefined)
      expect({ name, printed: printed.join('') }).toEqual({ name, printed: page })
    }
    writeFileSync(path, '{')
    expect(sluice('deposit', '--help')).toBe(pages.find(([name]) => name === 'deposit')![1])
    writeFileSync(path, text)
  })

  it('runs while it matches the sources, is complete and is writable only by its owner', () => {
    // Only the build has these words, so they show that the build ran.
    reword(builtFile(root, 'process-entry.js'), 'said by the build')
    expect(help()).toContain('said by the build')
    chmodSync(builtFile(root), 0o777)
    expect(help()).toContain(sentence)
    chmodSync(builtFile(root), 0o755)
    expect(help()).toContain('said by the build')
    const source = sourceOf('transfer')
    renameSync(source, `${source}.away`)
    expect(help()).toContain(sentence)
    renameSync(`${source}.away`, source)
    expect(help()).toContain('said by the build')
    const stamp = readFileSync(join(root, 'dist', 'stamp'))
    const start = builtFile(root, 'process-entry.js')
    chmodSync(start, 0o666)
    expect(help()).toContain(sentence)
    chmodSync(start, 0o644)
    expect(help()).toContain('said by the build')
    // A power cut may leave the last written file without its bytes.
    const bytes = readFileSync(start)
    writeFileSync(start, '')
    expect(help()).toContain(sentence)
    writeFileSync(start, bytes)
    rmSync(builtFile(root, 'signer-process-main.js'))
    expect(help()).toContain(sentence)
    writeFileSync(join(root, 'dist', 'stamp'), stamp.subarray(0, 100))
    expect(help()).toContain(sentence)
    writeFileSync(join(root, 'dist', 'stamp'), stamp)
  })

  it('is bypassed while a source is newer; a rebuild keeps the build used before and removes an unused old one', () => {
    const before = builtFile(root)
    const gone = join(root, 'dist', '0'.repeat(16))
    mkdirSync(gone)
    const [old, later] = [-40, 1].map((days) => new Date(Date.now() + days * 86_400_000)) as [Date, Date]
    for (const folder of [before, gone]) utimesSync(folder, old, old)
    const main = join(root, 'src', 'app', 'main.ts')
    reword(main, 'said by the source')
    for (const shown of [help(), sluice('--help')]) expect(shown).toContain('said by the source')
    utimesSync(main, later, later)
    // The other bundles take long to build and are not checked here.
    for (const name of ['signer-process-main', 'sandbox-daemon-main', 'library'])
      writeFileSync(join(root, 'src', 'app', `${name}.ts`), 'export {}\n')
    build()
    // A source modified during the build may be half read, so this build is not marked current.
    expect(readdirSync(join(root, 'dist'))).toHaveLength(2)
    expect(existsSync(join(before, 'process-entry.js'))).toBe(true)
    const built = readdirSync(join(root, 'dist')).map((name) => join(root, 'dist', name, 'process-entry.js'))
    expect(built.some((start) => readFileSync(start, 'utf8').includes('said by the source'))).toBe(true)
  })

  it('gives the signer process no terminal package', () => {
    const said = (process: string) =>
      readdirSync(builtFile(here))
        .filter((name) => name.startsWith(process))
        .map((name) => readFileSync(builtFile(here, name), 'utf8'))
        .join('')
    const [program, signer] = [said('process-entry'), said('signer-process-main')]
    expect(signer).not.toBe('')
    // One word each that only commander, chalk, ora, inquirer and the table package contain.
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

  it('loads few chunks: none for help, and below 20 for the other commands', () => {
    const loaded = (...args: string[]) => {
      const home = mkdtempSync(join(root, 'home-'))
      const env = { PATH: process.env.PATH, SLUICE_HOME: home }
      execFileSync(process.execPath, [join(here, 'bin', 'sluice.js'), ...args], { env })
      // Every loaded chunk is compiled and cached.
      const folder = join(home, 'cache', 'compiled')
      if (!existsSync(folder)) return 0
      const kept = readdirSync(folder, { recursive: true, withFileTypes: true })
      return kept.filter((entry) => entry.isFile()).length
    }
    expect(loaded('--help')).toBe(0)
    expect(loaded('--help', '--no-color')).toBeLessThan(5)
    expect(loaded('profile', 'list')).toBeLessThan(20)
    expect(loaded('deposit', '--help', '--no-color')).toBeLessThan(20)
  })
})
