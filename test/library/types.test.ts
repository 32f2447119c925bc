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

/** A project of a user with only this package installed. */
beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'bin', 'build', 'types.js')], { stdio: 'inherit' })
  dir = mkdtempSync(join(tmpdir(), 'sluice-typed-'))
  mkdirSync(join(dir, 'node_modules', '@sluice-cli'), { recursive: true })
  symlinkSync(root, join(dir, 'node_modules', '@sluice-cli', 'sluice'))
  writeFileSync(join(dir, 'package.json'), '{ "type": "module" }')
  copyFileSync(join(root, 'test', 'library', 'typed.ts'), join(dir, 'typed.ts'))
  writeFileSync(join(dir, 'bare.ts'), "export { createEngine as make } from '@sluice-cli/sluice'\n")
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

/** The errors of the compiler. */
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
  ['with Node resolution', 'typed.ts', nodenext],
  ['with Node resolution and skipLibCheck', 'typed.ts', [...nodenext, '--skipLibCheck']],
  ['with bundler resolution', 'typed.ts', bundler],
  ['with bundler resolution and skipLibCheck', 'typed.ts', [...bundler, '--skipLibCheck']],
  ['without types of Node or the DOM', 'bare.ts', [...nodenext, '--lib', 'es2023']],
])('a strict TypeScript program compiles against the library %s', async (_, file, flags) => {
  expect(await complaints(file, flags)).toBe('')
})

test('the declarations import no other package and carry the comment of getStrategy', () => {
  const text = readFileSync(join(root, 'dist', 'index.d.ts'), 'utf8')
  expect(text).not.toMatch(/^import |\bimport\(| from '|\bz\./m)
  expect(text).toMatch(/\/\*\* One strategy, by id or slug\. \*\/\n {4}getStrategy: \(/)
})
