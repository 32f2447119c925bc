// What the bundler changes in the code that it reads and writes, so that a start loads no more than it uses.
import { readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

/** What a module asks about its own place holds after it has moved into a chunk: files stay in `src`, entries are beside it. */
export const places = (root, entries) => ({
  name: 'places',
  transform(code, id) {
    const path = relative(join(root, 'src'), id)
    if (path.startsWith('..') || !code.includes('import.meta.dirname')) return null
    const folder = dirname(path).split(sep).join('/')
    return code
      .replace(/join\(import\.meta\.dirname, '\.\.', '([\w-]+)\.ts'\)/g, (_all, name) => {
        if (!entries.includes(name))
          throw new Error(`${path} starts ${name}.ts, which is not an entry of the build`)
        return `join(import.meta.dirname, '${name}.js')`
      })
      .replace(/import\.meta\.dirname(?!, '[\w-]+\.js')/g, `(import.meta.dirname + '/../../src/${folder}')`)
  },
})

/**
 * Node's own modules, got without the list of all their exports that an import makes: that list loads whatever any of
 * them would load when it is first touched, and takes longer than everything else at a start. Processes are begun by few
 * commands, so what begins them is got where it is used.
 */
export const builtins = {
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

/** The sources that load packages by `load`, which few runs need, and the CommonJS file of the build that has those packages. */
export const loaders = {
  'signing/ledger/transport': 'ledger-packages',
  'http/dispatcher': 'proxy-packages',
  'cli/output/jq': 'jq-packages',
  'store/sql/postgres': 'postgres-packages',
  'jobs/postgres-jobs': 'jobs-packages',
  'app/serving/otlp-traces': 'traces-packages',
}

/** In the build, `load` takes a package from that file. */
export const loadedApart = (root) => ({
  name: 'loaded-apart',
  transform(code, id) {
    const path = relative(join(root, 'src'), id).split(sep).join('/').replace(/\.ts$/, '')
    // The thread of jq takes its package from the file by itself.
    return loaders[path] === undefined || path === 'cli/output/jq'
      ? null
      : replaced(
          code,
          'const load = createRequire(import.meta.url)',
          `const load = (name) => createRequire(import.meta.url)('./${loaders[path]}.cjs')[name]()`,
        )
  },
})

/** The entry of such a file: the packages that a source loads, by name. Addons that are not installed beside the program are those of our package for the Ledger. */
export const packagesApart = (root, source) => ({
  name: 'packages-apart',
  resolveId: (id) => (id.startsWith('\0') ? id : null),
  load: (id) => {
    if (!id.startsWith('\0')) return null
    const code = readFileSync(join(root, 'src', `${source}.ts`), 'utf8')
    const names = [...code.matchAll(/\bload\(\s*'([^']+)',?\s*\)/g)].map(([, name]) => name)
    if (names.length === 0) throw new Error(`src/${source}.ts loads no package by load('...')`)
    return `module.exports = { ${names.map((name) => `'${name}': () => require('${name}')`).join(', ')} }`
  },
  renderChunk: (code) =>
    addons.test(code)
      ? `const addon = (name) => {
  try {
    return require(name)
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error
    return require('node:module').createRequire(require.resolve('@sluice-cli/ledger/package.json'))(name)
  }
}
${code.replace(new RegExp(addons, 'g'), 'addon("$1")')}`
      : null,
})

const addons = /\brequire\("(node-hid|usb)"\)/

/** Of undici, a pool of connections and what it is asked with; all of it takes twice as long to begin. */
export const agentOfUndici = {
  id: '\0undici',
  name: 'agent-of-undici',
  // Milo is another parser, for those who ask for it; here it would only be read at each start.
  resolveId: (id) => (id === 'undici' ? agentOfUndici.id : id.startsWith('../milo/') ? '\0milo' : null),
  load: (id) =>
    ({
      '\0milo': 'export default undefined',
      '\0undici': `import Agent from 'undici/lib/dispatcher/agent.js'
         import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
         import api from 'undici/lib/api/index.js'
         Object.assign(Dispatcher.prototype, api)
         export { Agent }`,
    })[id] ?? null,
  // HTTP/2 brings all of TLS with it; it is spoken where a server over TLS asks for it.
  transform: (code, id) =>
    /undici.lib.dispatcher.client\.js$/.test(id)
      ? replaced(
          code,
          "const connectH2 = require('./client-h2.js')",
          "const connectH2 = (...all) => require('./client-h2.js')(...all)",
        )
      : null,
}

/** What a call or an event is named by is written out and hashed once in a process, and not at each call: many contracts are asked the same. */
export const signaturesHashed = {
  name: 'signatures-hashed',
  transform: (code, id) =>
    /viem.*hash.hashSignature\.js$/.test(id)
      ? `const hashes = new Map()
         ${replaced(
           code,
           'return hash(sig);',
           `if (!hashes.has(sig) && hashes.size < 1000) hashes.set(sig, hash(sig));
            return hashes.get(sig) ?? hash(sig);`,
         )}`
      : /viem.*abi.prepareEncodeFunctionData\.js$/.test(id)
        ? `const selectors = new WeakMap()
           const selectorOf = (item) => {
             if (!selectors.has(item)) selectors.set(item, toFunctionSelector(formatAbiItem(item)))
             return selectors.get(item)
           }
           ${replaced(code, 'toFunctionSelector(formatAbiItem(abiItem))', 'selectorOf(abiItem)')}`
        : null,
}

function replaced(code, text, by) {
  if (!code.includes(text)) throw new Error(`the sources of a package no longer say: ${text}`)
  return code.replace(text, () => by)
}

/** Random bytes as Node makes them, where they are wanted: looking at its web cryptography begins all of that. */
export const randomOfNode = {
  name: 'random-of-node',
  resolveId: (id) => (id === '@noble/hashes/crypto' ? '\0random' : null),
  load: (id) =>
    id === '\0random'
      ? `const randomBytes = (size) => process.getBuiltinModule('node:crypto').randomBytes(size)
         export const crypto = { randomBytes }`
      : null,
}

/** Of zod, only what is used: the name `z` alone would bring all its languages. */
export const partsOfZod = (root) => ({
  name: 'parts-of-zod',
  transform: (code, id) =>
    id.startsWith(join(root, 'src'))
      ? code.replace("import { z } from 'zod'", "import * as z from 'zod'")
      : null,
})

/** ABIs that are written as people read them, as what is read out of them: that would be done anew at each start. */
export const abisRead = (root, viem) => ({
  name: 'abis-read',
  transform(code, id) {
    if (!id.startsWith(join(root, 'src'))) return null
    const parts = new Map()
    const filled = (text) => text.replace(/\$\{(\w+)\}/g, (all, name) => parts.get(name) ?? all)
    // What several of them have in common is written once, above them.
    for (const [, name, text] of code.matchAll(/^const (\w+) =\s*['`]([^'`\\]*)['`](?: as const)?;?$/gm))
      parts.set(name, filled(text))
    const texts = (lines) =>
      [...lines.replace(/\/\/.*$/gm, '').matchAll(/['`]([^'`]*)['`]|(\w+)/g)].map(([, text, name]) =>
        text === undefined ? (parts.get(name) ?? '${') : filled(text),
      )
    return code
      .replace(
        /\b(parseAbi|parseAbiParameters)\(\[((?:\s*(?:'[^'\\]*'|`[^`\\]*`|\w+|\/\/.*\n),?)+)\s*\]\)/g,
        (all, parse, lines) => {
          const read = texts(lines)
          return read.some((line) => line.includes('${')) ? all : JSON.stringify(viem[parse](read))
        },
      )
      .replace(/\bparseAbiParameters\(\s*['`]([^'`\\]*)['`],?\s*\)/g, (all, text) =>
        filled(text).includes('${') ? all : JSON.stringify(viem.parseAbiParameters(filled(text))),
      )
  },
})

/** Hashes of what is written in the sources, as what they are: each would be made anew at each start, before anything is asked for. */
export const hashesMade = (root, { toEventSelector, keccak256, toBytes }) => ({
  name: 'hashes-made',
  transform: (code, id) =>
    id.startsWith(join(root, 'src'))
      ? code
          .replace(
            /\btoEventSelector\(\s*'([^'\\]*)',?\s*\)/g,
            (_all, event) => `'${toEventSelector(event)}'`,
          )
          .replace(/\bkeccak256\(toBytes\('([^'\\]*)'\)\)/g, (_all, text) => `'${keccak256(toBytes(text))}'`)
      : null,
})
