import { execFile, execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const require = createRequire(import.meta.url)
const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc')
let dir: string

/** A project of somebody else, where the package is installed and nothing beside. */
beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'bin', 'types.js')], { stdio: 'inherit' })
  dir = mkdtempSync(join(tmpdir(), 'sluice-typed-'))
  mkdirSync(join(dir, 'node_modules'))
  symlinkSync(root, join(dir, 'node_modules', 'sluice'))
  writeFileSync(join(dir, 'package.json'), '{ "type": "module" }')
  copyFileSync(join(root, 'test', 'library', 'typed.ts'), join(dir, 'typed.ts'))
  writeFileSync(join(dir, 'bare.ts'), "export { createEngine as make } from 'sluice'\n")
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const strict = [
  'strict',
  'exactOptionalPropertyTypes',
  'isolatedModules',
  'noImplicitOverride',
  'noPropertyAccessFromIndexSignature',
  'noUncheckedIndexedAccess',
  'verbatimModuleSyntax',
].map((name) => `--${name}`)

/** What the compiler complains about. */
const complaints = (file: string, flags: string[]) =>
  new Promise<string>((done) =>
    execFile(
      process.execPath,
      [compiler, '--noEmit', '--target', 'es2023', ...strict, ...flags, file],
      { cwd: dir },
      (error, out, err) => done(out + err || (error ? 'it did not run' : '')),
    ),
  )

const nodenext = ['--module', 'nodenext']
const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler']
test.each<[string, string, string[]]>([
  ['as Node finds it', 'typed.ts', nodenext],
  ['as Node finds it, with no look into declarations', 'typed.ts', [...nodenext, '--skipLibCheck']],
  ['as a bundler finds it', 'typed.ts', bundler],
  ['as a bundler finds it, with no look into declarations', 'typed.ts', [...bundler, '--skipLibCheck']],
  ['where neither Node nor a browser is known', 'bare.ts', [...nodenext, '--lib', 'es2023']],
])('a strict program of somebody else compiles against the library %s', async (_, file, flags) => {
  expect(await complaints(file, flags)).toBe('')
})

test('the types of the library name no other package, and say of each method what it is for', () => {
  const text = readFileSync(join(root, 'dist', 'index.d.ts'), 'utf8')
  expect(text).not.toMatch(/^import |\bimport\(| from '|\bz\./m)
  expect(text).toMatch(/\/\*\* One strategy, by id or slug\. \*\/\n {4}getStrategy: \(/)
})
