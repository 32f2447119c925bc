// Writes `dist/index.d.ts`: the types of the library in one file that imports nothing. `npm ci` and `npm run build` call it.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import { bundled } from './declarations.js'

const root = join(import.meta.dirname, '..', '..')
const target = join(root, 'dist', 'index.d.ts')
const work = join(root, 'dist', `types.${process.pid}`)

/** Types that are read off schemas. As what a constant holds, the compiler writes them out, and nobody needs the schemas. */
const probe = [
  ['Service', 'api/service-type'],
  ['Strategy', 'api/strategy'],
  ['MarketConstants', 'protocols/market-constants-union'],
]
  .map(
    ([name, path]) => `import type { ${name} as Type${name} } from '../../src/${path}.ts'
declare const of${name}: Type${name}
export const ${name} = { ...of${name} }
`,
  )
  .join('')

/** A signal as the program that imports this knows it: Node's, the browser's, or none. */
const signal =
  'type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } } ? Known : never;\n'

try {
  const compiler = located('typescript/package.json')
  const first = `// The types of the library. Made by bin/build/types.js: ${fingerprint()}\n`
  // Without the compiler, as after an installation for production, what is there stays.
  if (compiler && !(existsSync(target) && readFileSync(target, 'utf8').startsWith(first)))
    write(first + signal + declarations(join(dirname(compiler), 'bin', 'tsc')))
} catch (error) {
  process.stderr.write(`The types of the library are not made anew: ${error.message}\n`)
  // An installation that is whole but for this is not undone.
  process.exitCode = process.env.npm_lifecycle_event === 'prepare' ? 0 : 1
} finally {
  rmSync(work, { recursive: true, force: true })
}

function located(name) {
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch {
    return undefined
  }
}

/** Names what the types are made of. */
function fingerprint() {
  const sources = readdirSync(join(root, 'src'), { recursive: true })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join('src', path))
  const others = ['bin/build/declarations.js', 'bin/build/types.js', 'package-lock.json', 'tsconfig.json']
  const hash = createHash('sha256')
  for (const path of [...sources.sort(), ...others])
    hash.update(`${path}\0`).update(readFileSync(join(root, path)))
  return hash.digest('hex').slice(0, 16)
}

function declarations(compiler) {
  mkdirSync(work, { recursive: true })
  writeFileSync(join(work, 'probe.ts'), probe)
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    noCheck: true,
    rootDir: '../..',
    outDir: 'out',
  }
  const files = ['probe.ts', '../../src/app/library.ts']
  writeFileSync(
    join(work, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, files, include: [] }),
  )
  const { status, stdout, error } = spawnSync(process.execPath, [compiler, '-p', work], { encoding: 'utf8' })
  if (status !== 0) throw error ?? new Error(stdout.trim())
  const out = join(work, 'out')
  const text = bundled(
    join(out, 'src', 'app', 'library.d.ts'),
    join(out, 'dist', `types.${process.pid}`, 'probe.d.ts'),
  )
  const docs = readFileSync(join(out, 'src', 'api', 'routes.d.ts'), 'utf8').matchAll(
    /^ {4}readonly (\w+): \{$[\s\S]*?^ {8}readonly doc: '(.*)';$/gm,
  )
  return [...docs]
    .reduce((all, [, name, doc]) => all.replace(`\n    ${name}: (`, `\n    /** ${doc} */$&`), text)
    .replace(/\bAbortSignal;/g, 'Signal;')
}

function write(text) {
  writeFileSync(`${target}.${process.pid}`, text, { mode: 0o644 })
  renameSync(`${target}.${process.pid}`, target)
}
