import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
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
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandManifests, helpPages } from '../src/app/help-and-completion-manifests.ts'
import { buildProgram } from '../src/app/main.ts'
import { builtFile } from './support/built-file.ts'

const here = join(import.meta.dirname, '..')
const sentence = 'print the version'
let root: string

/** A copy of the project and its build, without their times, so that the tests change no shared build. */
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-build-'))
  for (const name of ['bin', 'src', 'dist', 'completions', 'package.json', 'package-lock.json'])
    cpSync(join(here, name), join(root, name), { recursive: true })
  symlinkSync(join(here, 'node_modules'), join(root, 'node_modules'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const options = () => ({ encoding: 'utf8', env: { PATH: process.env.PATH, HOME: root } }) as const
const node = (...args: string[]) => execFileSync(process.execPath, args, options())
const build = () => node(join(root, 'bin', 'build', 'build.js'))
const sluice = (...args: string[]) => node(join(root, 'bin', 'sluice.js'), ...args)
const reword = (path: string, words: string) =>
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(sentence, words))

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
    expect(
      [sluice('--help'), sluice('--help', '--no-color')].map((text) => text.includes('said by the pages')),
    ).toEqual([true, false])
    writeFileSync(words, bytes)
  })

  it('has the help page of every command as the program prints it, and a broken file of pages is not used', async () => {
    const path = builtFile(root, 'help-pages')
    const text = readFileSync(path, 'utf8')
    expect(text).toBe(helpPages(await commandManifests()))
    const pages = text.split('\n').flatMap((line) => Object.entries<string>(JSON.parse(line.split('\t')[1]!)))
    const version = pages.findIndex(([name]) => name === '--version')
    expect(pages.splice(version, 1)[0]![1]).toBe(sluice('--version', '--no-color'))
    for (const word of ['--version', '-V']) expect(sluice(word)).toBe(sluice('--version', '--no-color'))
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

  it('is the program: a copy runs, changed sources do not, and a missing build is named', () => {
    const main = join(root, 'src', 'app', 'main.ts')
    const source = readFileSync(main, 'utf8')
    reword(main, 'said by the source')
    expect(sluice('--help', '--no-color')).toContain(sentence)
    expect(node(join(root, 'src', 'app', 'launch.ts'), '--help')).toContain('said by the source')
    writeFileSync(main, source)
    const said = (...more: string[]) => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [join(root, 'bin', 'sluice.js'), '--help', ...more],
        options(),
      )
      return { status, stdout, stderr }
    }
    const app = join(root, 'dist', 'app')
    renameSync(app, `${app}.away`)
    const missing = { status: 12, stdout: '', stderr: 'sluice is not built. Run: npm run build\n' }
    for (const more of [[], ['--no-color']]) expect(said(...more)).toEqual(missing)
    renameSync(`${app}.away`, app)
    // A file that only the program needs: it is no error of the launcher.
    const start = builtFile(root, 'process-entry.js')
    renameSync(start, `${start}.away`)
    expect(said('--no-color').stderr).toContain('process-entry.js')
    renameSync(`${start}.away`, start)
  })

  it('is made again when a source is newer, and keeps the chunks of the build before', () => {
    const files = () => readFileSync(builtFile(root, 'files'), 'utf8').split('\n')
    const later = new Date(Date.now() + 86_400_000)
    // The other bundles take long to build and are not checked here.
    for (const name of ['signer-process-main', 'sandbox-daemon-main', 'library'])
      writeFileSync(join(root, 'src', 'app', `${name}.ts`), 'export {}\n')
    const main = join(root, 'src', 'app', 'main.ts')
    reword(main, 'said by the source')
    const before = files()
    writeFileSync(builtFile(root, 'process-entry-of-long-ago.js'), '')
    build()
    expect(sluice('--help', '--no-color')).toContain('said by the source')
    expect(readdirSync(builtFile(root)).toSorted()).toEqual(
      [...new Set(['files', ...before, ...files()])].toSorted(),
    )
    expect(before.filter((name) => !files().includes(name)).length).toBeGreaterThan(0)
    const { mtimeMs } = statSync(builtFile(root, 'files'))
    // No source is newer.
    utimesSync(builtFile(root, 'files'), later, later)
    build()
    expect(statSync(builtFile(root, 'files')).mtimeMs).toBe(later.getTime())
    expect(mtimeMs).toBeLessThan(later.getTime())
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
