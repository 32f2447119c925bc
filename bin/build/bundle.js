// One process of the program as chunks: what stands together, and what is loaded by itself.
import { join } from 'node:path'

import {
  abisRead,
  agentOfUndici,
  builtins,
  hashesMade,
  loadedApart,
  loaders,
  packagesApart,
  partsOfZod,
  places,
  randomOfNode,
  signaturesHashed,
} from './plugins.js'

// Native addons: they find their binaries from where their own packages are. The one of pg is never asked for.
const external = /^(@napi-rs\/|node-hid$|usb$|pg-native$)/

/**
 * What is loaded in the same runs, one after the other: it stands in as few chunks as can be, as each one costs at each
 * start. What is in none of them is loaded by few, in chunks as they fall out.
 */
const ways = {
  completion: ['cli/help/complete-word', 'commands/completion', 'app/completion-values'],
  lists: ['commands/config', 'commands/strategies/strategies', 'commands/yield-recommend'],
  own: [
    'commands/init/init',
    'commands/customer-api-keys',
    'commands/profile/profile',
    'store/engine/store',
    'store/api-keys/keys',
    'store/sql/sqlite',
    'app/backends/sandbox-backend',
  ],
  remote: [
    'api/routes',
    'remote/client',
    'app/backends/machine-rate-limiter',
    'app/backends/remote-backend',
    agentOfUndici.id,
  ],
  chains: [
    'engine/engine',
    'chain/rpc/failover',
    'sandbox/daemon-client',
    agentOfUndici.id,
    'store/engine/store',
    'store/sql/sqlite',
    'app/backends/engine-backend',
    'app/backends/sandbox-backend',
    'app/backends/sandbox-databases',
  ],
  signing: [
    'commands/action/action',
    'commands/deposit',
    'commands/swap/swap',
    'commands/transfer',
    'commands/withdraw',
    'store/journal/journal',
    'signing/keystore/curve-precomputation',
    'app/signing/signer-choice',
    'app/signing/signer-process',
    agentOfUndici.id,
  ],
}

/** The chunks of one process. */
export async function bundled(rolldown, root, name, entries) {
  const viem = await import('viem/utils')
  const entry = join(root, 'src', 'app', `${name}.ts`)
  const bundle = await rolldown({
    cwd: root,
    input: { [name]: entry },
    platform: 'node',
    checks: { bundlerTimings: false },
    external,
    preserveEntrySignatures: 'allow-extension',
    // What one process loads late, another one may load at once.
    onLog: (level, log, show) => log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT' && show(level, log),
    plugins: [
      places(root, entries),
      loadedApart(root),
      agentOfUndici,
      randomOfNode,
      partsOfZod(root),
      abisRead(root, viem),
      hashesMade(root, viem),
      signaturesHashed,
      builtins,
    ],
  })
  const options = {
    format: 'esm',
    // Every start reads all of what it loads, and nobody reads comments there.
    comments: false,
    entryFileNames: '[name].js',
    chunkFileNames: `${name}-[name]-[hash].js`,
  }
  const apart = await bundle.generate(options)
  if (apart.output.length === 1) {
    await bundle.close()
    return apart.output
  }
  const groups = together(root, entry, apart.output)
  const { output } = await bundle.generate({ ...options, codeSplitting: { groups } })
  await bundle.close()
  return output
}

/** The packages that a source loads apart, as one CommonJS file: several of them do not run in Node as ESM, and few runs need them. */
export async function bundledApart(rolldown, root, source) {
  const name = loaders[source]
  const bundle = await rolldown({
    cwd: root,
    input: { [name]: `\0${name}` },
    platform: 'node',
    checks: { bundlerTimings: false },
    external,
    resolve: { conditionNames: ['node', 'require'] },
    plugins: [packagesApart(root, source)],
    onLog: (level, log, show) => log.code !== 'EVAL' && show(level, log),
  })
  const { output } = await bundle.generate({ format: 'cjs', comments: false, entryFileNames: '[name].cjs' })
  await bundle.close()
  return output
}

/** A chunk for what an entry loads in any case, and one for each set of ways that need the same; found by how the program falls apart without. */
function together(root, entry, chunks) {
  const chunkAt = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const chunkOf = new Map(chunks.flatMap((chunk) => chunk.moduleIds.map((id) => [id, chunk])))
  const needed = new Map(chunks.map((chunk) => [chunk, new Set()]))
  const add = (way, chunk) => {
    if (!chunk || needed.get(chunk).has(way)) return
    needed.get(chunk).add(way)
    for (const name of chunk.imports) add(way, chunkAt.get(name))
  }
  add('always', chunkOf.get(entry))
  for (const [way, modules] of Object.entries(ways))
    for (const module of modules)
      add(way, chunkOf.get(module) ?? chunkOf.get(join(root, 'src', `${module}.ts`)))
  const names = new Map(
    [...needed].map(([chunk, of]) => [chunk, of.has('always') ? 'always' : [...of].join('-')]),
  )
  merge(names)
  // What more ways need comes first: a chunk takes along what its modules import.
  return [...new Set(names.values())]
    .filter((name) => name !== '')
    .sort((a, b) => b.split('-').length - a.split('-').length)
    .sort((a, b) => (b === 'always') - (a === 'always'))
    .map((name) => ({ name, test: (id) => names.get(chunkOf.get(id)) === name }))
}

/** A chunk of fewer letters costs more by being one than by being loaded where nobody needs it. */
const fewest = 32_000

/** What would be a small chunk goes along with the next one that everybody loads who needs it. */
function merge(names) {
  const sizes = new Map()
  for (const [{ code }, name] of names) sizes.set(name, (sizes.get(name) ?? 0) + code.length)
  const has = (name, ways) => ways.every((way) => name.split('-').includes(way))
  const large = [...sizes.keys()]
    .filter((name) => name !== '' && sizes.get(name) >= fewest)
    .sort((a, b) => a.split('-').length - b.split('-').length)
  for (const [chunk, name] of names)
    if (name !== '' && name.includes('-') && !large.includes(name))
      names.set(chunk, large.find((one) => has(one, name.split('-'))) ?? name)
}
