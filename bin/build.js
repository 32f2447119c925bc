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
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

import { currentBuild, mark } from './built.js'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'dist')
const entries = ['start', 'signer', 'daemon', 'index']
const month = 30 * 86_400_000

// Servers and hardware: loaded by few, and at home in their own packages.
const external = /^(fastify|prom-client|rxjs|@ledgerhq\/|@napi-rs\/|@modelcontextprotocol\/)/

/** What a module asks about its own place holds after it has moved into a chunk: files stay in `src`, entries are beside it. */
const places = {
  name: 'places',
  transform(code, id) {
    const path = relative(join(root, 'src'), id)
    if (path.startsWith('..') || !code.includes('import.meta.dirname')) return null
    const folder = dirname(path).split(sep).join('/')
    return code
      .replace(/join\(import\.meta\.dirname, '\.\.', '(\w+)\.ts'\)/g, (_all, name) => {
        if (!entries.includes(name))
          throw new Error(`${path} starts ${name}.ts, which is not an entry of the build`)
        return `join(import.meta.dirname, '${name}.js')`
      })
      .replace(/import\.meta\.dirname(?!, '\w+\.js')/g, `(import.meta.dirname + '/../../src/${folder}')`)
  },
}

/**
 * Node's own modules, got without the list of all their exports that an import makes: that list loads whatever any of
 * them would load when it is first touched, and takes longer than everything else at a start. Processes are begun by few
 * commands, so what begins them is got where it is used.
 */
const builtins = {
  name: 'builtins',
  renderChunk: (code) => {
    let text = code
    const imports = /^import (?:(?:\* as )?([\w$]+))?(?:, )?(\{[^}]*\})? ?from "(node:[\w/]+)";$/gm
    for (const [line, whole, named, name] of code.matchAll(imports)) {
      const got = `globalThis.process.getBuiltinModule("${name}")`
      const isLate = whole && !named && name === 'node:child_process'
      const parts = named && `const ${named.replaceAll(' as ', ': ')} = ${got};`
      text = text.replace(line, () =>
        isLate ? '' : [whole && `const ${whole} = ${got};`, parts].filter(Boolean).join(' '),
      )
      if (isLate)
        text = text.replace(
          new RegExp(`(?<![\\w$.])${whole.replaceAll('$', '\\$')}\\.`, 'g'),
          () => `${got}.`,
        )
    }
    return text
  },
}

/** What an entry loads in any case stands in one chunk: every further one costs at each start. */
function together(entry) {
  const always = new Set()
  const plugin = {
    name: 'together',
    buildEnd() {
      const add = (id) => {
        if (always.has(id)) return
        always.add(id)
        for (const next of this.getModuleInfo(id).importedIds) add(next)
      }
      add(entry)
    },
  }
  return { plugin, group: { name: 'always', test: (id) => always.has(id) } }
}

/** Of undici, a pool of connections and what it is asked with; all of it takes twice as long to begin. */
const agentOfUndici = {
  name: 'agent-of-undici',
  resolveId: (id) => (id === 'undici' ? '\0undici' : null),
  load: (id) =>
    id === '\0undici'
      ? `import Agent from 'undici/lib/dispatcher/agent.js'
         import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
         import api from 'undici/lib/api/index.js'
         Object.assign(Dispatcher.prototype, api)
         export { Agent }`
      : null,
}

/** Of zod, only what is used: the name `z` alone would bring all its languages. */
const partsOfZod = {
  name: 'parts-of-zod',
  transform: (code, id) =>
    id.startsWith(join(root, 'src'))
      ? code.replace("import { z } from 'zod'", "import * as z from 'zod'")
      : null,
}

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
  const built = await Promise.all(entries.map((name) => bundled(rolldown, name)))
  const read = new Set(built.flatMap(({ inputs }) => inputs))
  put(
    built.flatMap(({ output }) => output),
    [...read],
    started,
  )
}

async function bundled(rolldown, name) {
  const entry = join(root, 'src', `${name}.ts`)
  const { plugin, group } = together(entry)
  const bundle = await rolldown({
    cwd: root,
    input: { [name]: entry },
    platform: 'node',
    external,
    // What one process loads late, another one may load at once.
    onLog: (level, log, show) => log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT' && show(level, log),
    plugins: [places, agentOfUndici, partsOfZod, plugin, builtins],
  })
  const { output } = await bundle.generate({
    format: 'esm',
    codeSplitting: { groups: [group] },
    entryFileNames: '[name].js',
    chunkFileNames: `${name}-[name]-[hash].js`,
  })
  const inputs = (await bundle.watchFiles).map((path) => relative(root, path).split(sep).join('/'))
  await bundle.close()
  return { output, inputs: inputs.filter((path) => path.startsWith('src/')) }
}

/**
 * Puts the build in place: a folder for each, named for what is in it, and last the stamp that names the folder. A program
 * that runs meanwhile keeps its own folder, which goes a month after another build took its place.
 */
function put(output, inputs, started) {
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
  const read = [...inputs.sort(), 'bin/build.js', 'package-lock.json']
  if (read.every((path) => statSync(join(root, path)).mtimeMs < started))
    write(join(dist, 'stamp'), [`dist/${name}`, ...read].map((path) => mark(root, path)).join('\n'))
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
