import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtFile } from '../support/built-file.ts'

const root = join(import.meta.dirname, '..', '..')
let dir: string
let installed: string

/** Packs with `npm pack` and unpacks to where `npm install` would. */
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'sluice-package-'))
  installed = join(dir, 'node_modules', 'sluice')
  mkdirSync(installed, { recursive: true })
  execFileSync(process.execPath, [join(root, 'bin', 'pack.js')], { stdio: 'inherit' })
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', dir], { cwd: root, stdio: 'pipe' })
  const [packed] = globSync('*.tgz', { cwd: dir })
  execFileSync('tar', ['-xzf', join(dir, packed!), '-C', installed, '--strip-components', '1'])
  symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Runs Node without the environment variables of the test. */
function run(...args: string[]) {
  const env = { PATH: process.env.PATH, HOME: join(dir, 'home') }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: dir, env, encoding: 'utf8' })
  return { exit: status, out: stdout, err: stderr }
}
const sluice = (...args: string[]) => run(join(installed, 'bin', 'sluice.js'), ...args)

const program = `import { AppError, createEngine } from 'sluice'
const engine = await createEngine({ rpcs: { base: 'http://127.0.0.1:1' } })
const found = await engine.getStrategy({ id: 'nothing' }).catch((error) => error)
console.log(found instanceof AppError && found.code)
await engine.close()
`
const library = () => {
  writeFileSync(join(dir, 'program.mjs'), program)
  return run('program.mjs')
}

test('the packed package runs as a program and as a library', () => {
  expect(sluice('--version')).toEqual({ exit: 0, out: '0.1.0\n', err: '' })
  expect(sluice('completion', 'fish')).toMatchObject({ exit: 0, out: expect.stringContaining('sluice') })
  expect(library()).toEqual({ exit: 0, out: 'STRATEGY_NOT_FOUND\n', err: '' })
})

test("the packed package has the data files, one build, the man page and only the sandbox's genesis sources", () => {
  const inside = (pattern: string) =>
    globSync(pattern, { cwd: installed, exclude: ['node_modules'] }).toSorted()
  const read = globSync('src/**/*.*', { cwd: root }).filter(
    // The name of the sandbox world is derived from the sources that deploy it.
    (path) => !/\.(ts|sol)$/.test(path) || path.startsWith('src/sandbox/genesis/'),
  )
  expect(read.length).toBeGreaterThan(30)
  expect(inside('src/**/*.*')).toEqual(read.toSorted())
  expect(inside('dist/*').length).toBe(3)
  expect(existsSync(join(installed, 'docs', 'man', 'sluice.1'))).toBe(true)
})

test('a package without a usable build says so, as a program with exit 12 and as a library', () => {
  const build = builtFile(installed)
  chmodSync(build, 0o777)
  const said = /no build in dist that is whole .* it came without its sources\. Run `npm ci`/
  expect(sluice('--version')).toEqual({ exit: 12, out: '', err: expect.stringMatching(said) })
  expect(library()).toMatchObject({ exit: 1, err: expect.stringMatching(said) })
  chmodSync(build, 0o755)
  expect(sluice('--version').exit).toBe(0)
  rmSync(join(installed, 'dist'), { recursive: true })
  expect(sluice('--version')).toEqual({ exit: 12, out: '', err: expect.stringMatching(said) })
  // Like a copied clone that was never built.
  cpSync(join(root, 'src', 'app', 'process-entry.ts'), join(installed, 'src', 'app', 'process-entry.ts'))
  expect(sluice('--version')).toEqual({
    exit: 12,
    out: '',
    err: expect.stringContaining('and Node runs no TypeScript in node_modules.'),
  })
})
