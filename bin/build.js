// Bundles the program into `dist`: one chunk for each thing that is loaded by itself. `npm ci` and `npm run build` call it.
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { currentBuild, mark } from './built.js'
import { bundled, bundledApart } from './bundle.js'
import { writeManifests } from './command-manifests.js'
import { notices } from './notices.js'
import { loaders } from './plugins.js'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'dist')
const entries = [
  'prebuilt-help-and-completion',
  'process-entry',
  'signer-process-main',
  'sandbox-daemon-main',
  'library',
]
const makers = [
  'bin/build.js',
  'bin/bundle.js',
  'bin/command-manifests.js',
  'bin/notices.js',
  'bin/licences/jq.txt',
  'bin/licences/oniguruma.txt',
  'bin/plugins.js',
  'src/app/help-and-completion-manifests.ts',
]
const month = 30 * 86_400_000

try {
  const rolldown = currentBuild(root) ? undefined : await loaded()
  // Without what builds it, as after an installation for production, the program runs from its sources.
  if (rolldown) await build(rolldown)
} catch (error) {
  process.stderr.write(`sluice is not built, and runs from its sources, which is slower: ${error.message}\n`)
  // An installation that is whole but for this is not undone.
  process.exitCode = process.env.npm_lifecycle_event === 'prepare' ? 0 : 1
}

async function loaded() {
  try {
    return (await import('rolldown')).rolldown
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    return undefined
  }
}

async function build(rolldown) {
  const started = Date.now()
  // Each process has a build of its own: what one of them needs at once is nothing that another one should load.
  const built = await Promise.all([
    ...entries.map((name) => bundled(rolldown, root, name, entries)),
    ...Object.keys(loaders).map((source) => bundledApart(rolldown, root, source)),
  ])
  const read = new Set(built.flatMap(({ inputs }) => inputs))
  const [front, start] = built
  const words = await writeManifests(root, {
    modules: front.output.flatMap(({ moduleIds }) => moduleIds),
    imports: new Map([...front.imports, ...start.imports]),
  })
  const ofWords = new Set([
    ...makers,
    'package-lock.json',
    ...front.output.map(({ fileName }) => fileName),
    'command-manifests',
    'help-pages',
  ])
  const chunks = built.flatMap(({ output }) => output)
  put(
    [
      ...chunks,
      ...words.output,
      { fileName: 'THIRD_PARTY_NOTICES', code: notices(chunks.flatMap(({ moduleIds }) => moduleIds)) },
    ],
    [...read],
    (path) => (ofWords.has(path) ? ['*'] : words.namesOf(path)),
    started,
  )
}

/**
 * Puts the build in place: a folder for each, named for what is in it, and last the stamp that names the folder. A program
 * that runs meanwhile keeps its own folder, which goes a month after another build took its place.
 */
function put(output, inputs, namesOf, started) {
  const hash = createHash('sha256')
  for (const { fileName, code } of output.toSorted((a, b) => (a.fileName < b.fileName ? -1 : 1)))
    hash.update(`${fileName}\0${code}\0`)
  const name = hash.digest('hex').slice(0, 16)
  const folder = join(dist, name)
  for (const path of [dist, folder]) {
    mkdirSync(path, { recursive: true })
    chmodSync(path, 0o755)
  }
  retire(name)
  const write = (path, text) => {
    writeFileSync(`${path}.${process.pid}`, text, { mode: 0o644 })
    renameSync(`${path}.${process.pid}`, path)
  }
  for (const { fileName, code } of output) write(join(folder, fileName), code)
  // What was written while it was read may be half in it: such a build is not called current.
  const read = [...inputs.sort(), ...makers, 'package-lock.json']
  if (read.every((path) => statSync(join(root, path)).mtimeMs < started))
    write(
      join(dist, 'stamp'),
      [
        mark(root, `dist/${name}`),
        ...output.map(({ fileName }) => marked(`dist/${name}/${fileName}`, namesOf(fileName))),
        ...read.map((path) => marked(path, namesOf(path))),
      ].join('\n'),
    )
}

/** A line of the stamp: a file as it is, and the commands whose manifests depend on it. */
function marked(path, names) {
  return [mark(root, path), ...(names.length > 0 ? [names.join(' ')] : [])].join('\t')
}

/** Ends the build before: from now on its month counts. Those whose month is over go. */
function retire(next) {
  const stamp = join(dist, 'stamp')
  const [before] = existsSync(stamp) ? readFileSync(stamp, 'utf8').split('\t') : []
  rmSync(stamp, { force: true })
  const now = new Date()
  if (before && existsSync(join(root, before))) utimesSync(join(root, before), now, now)
  for (const name of readdirSync(dist))
    if (name !== next && now - statSync(join(dist, name)).mtimeMs > month)
      rmSync(join(dist, name), { recursive: true })
}
