// Bundles the program into `dist/app`. `npm ci`, `npm run build` and `npm test` call it.
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
import { join } from 'node:path'

import { bundled, bundledApart } from './bundle.js'
import { helpFiles } from './help-files.js'
import { notices } from './notices.js'
import { loaders } from './plugins.js'

const root = join(import.meta.dirname, '..', '..')
const app = join(root, 'dist', 'app')
/** The names of the files of the newest build. Its time is the start of that build. */
const list = join(app, 'files')
const entries = [
  'launch',
  'prebuilt-help-and-completion',
  'process-entry',
  'signer-process-main',
  'sandbox-daemon-main',
  'library',
]

try {
  if (!isUpToDate()) await build()
} catch (error) {
  const hint = error.code === 'ERR_MODULE_NOT_FOUND' ? '\nRun: npm ci' : ''
  process.stderr.write(`sluice is not built: ${error.message}${hint}\n`)
  // An installation without the development packages cannot build, and is otherwise complete.
  process.exitCode = process.env.npm_lifecycle_event === 'prepare' ? 0 : 1
}

/** Whether no source is newer than the build. A folder is newer if a file in it was added or removed. */
function isUpToDate() {
  if (!existsSync(list)) return false
  const built = statSync(list).mtimeMs
  const sources = ['src', 'bin'].flatMap((folder) => [
    folder,
    ...readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)),
  ])
  return [...sources, 'package-lock.json'].every((path) => statSync(join(root, path)).mtimeMs < built)
}

async function build() {
  const started = new Date()
  const { rolldown } = await import('rolldown')
  // Each process has its own bundle, so that none loads what only another one needs at once.
  const built = await Promise.all([
    ...entries.map((name) => bundled(rolldown, root, name, entries)),
    ...Object.keys(loaders).map((source) => bundledApart(rolldown, root, source)),
  ])
  const chunks = built.flat()
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds)
  put(
    [...chunks, ...(await helpFiles(root)), { fileName: 'THIRD_PARTY_NOTICES', code: notices(modules) }],
    started,
  )
}

/** Writes the files of a build. The chunks of the build before stay, because a running program may load them later. */
function put(files, started) {
  for (const path of [join(root, 'dist'), app]) {
    mkdirSync(path, { recursive: true })
    chmodSync(path, 0o755)
  }
  const before = existsSync(list) ? readFileSync(list, 'utf8').split('\n') : []
  const names = files.map(({ fileName }) => fileName)
  const write = (path, text) => {
    writeFileSync(`${path}.${process.pid}`, text, { mode: 0o644 })
    renameSync(`${path}.${process.pid}`, path)
  }
  // An entry names its chunks, so the chunks are written first.
  const isEntry = ({ fileName }) => entries.includes(fileName.replace(/\.js$/, ''))
  for (const { fileName, code } of [...files.filter((one) => !isEntry(one)), ...files.filter(isEntry)])
    write(join(app, fileName), code)
  const kept = new Set(['files', ...names, ...before])
  for (const name of readdirSync(app)) if (!kept.has(name)) rmSync(join(app, name), { recursive: true })
  write(list, names.join('\n'))
  utimesSync(list, started, started)
}
