import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix, relative, sep } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', 'src')
const files = globSync('**/*.ts', { cwd: root })
  .map((file) => file.split(sep).join('/'))
  .toSorted()
const source = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
const textOf = (file: string) => source.get(file)!

/** Which folders a folder may import from, besides itself. */
const mayImport: Record<string, readonly string[]> = {
  domain: [],
  api: ['domain'],
  http: ['domain'],
  store: ['domain'],
  jobs: ['domain', 'store'],
  chain: ['domain', 'http', 'store'],
  protocols: ['domain', 'chain'],
  swaps: ['domain', 'http', 'chain', 'protocols'],
  remote: ['domain', 'api', 'http', 'store'],
  server: ['domain', 'api', 'http', 'store'],
  events: ['domain', 'api', 'http', 'store', 'jobs'],
  engine: ['domain', 'api', 'http', 'store', 'events', 'chain', 'protocols', 'swaps'],
  guard: ['domain', 'store', 'chain', 'protocols', 'swaps'],
  signing: ['domain', 'http', 'store', 'chain', 'protocols', 'guard'],
  planning: ['domain', 'store', 'chain', 'protocols', 'swaps', 'guard', 'signing'],
  transactions: ['domain', 'http', 'store', 'chain', 'protocols', 'swaps', 'guard', 'signing', 'planning'],
  diagnosis: ['domain', 'store', 'chain', 'protocols', 'swaps', 'guard', 'planning', 'transactions'],
  sandbox: ['domain', 'http', 'store', 'chain', 'protocols', 'swaps'],
  cli: ['domain', 'api', 'chain', 'protocols', 'guard', 'signing', 'planning', 'transactions', 'diagnosis'],
  commands: [
    'cli',
    'domain',
    'api',
    'chain',
    'protocols',
    'swaps',
    'guard',
    'signing',
    'planning',
    'transactions',
    'diagnosis',
  ],
}

/** The folder that assembles the program and starts the processes. It may import anything. */
const isEntry = (file: string) => file.startsWith('app/')
const layerOf = (file: string) => (isEntry(file) ? 'app' : file.slice(0, file.indexOf('/')))
const within =
  (...layers: string[]) =>
  (file: string) =>
    layers.includes(layerOf(file))

/** Packages that only certain files may import. */
const alone: [package_: RegExp, who: string, may: (file: string) => boolean][] = [
  [/^undici$/, 'http', within('http')],
  [/^node:sqlite$|^better-sqlite3$|^pg$|^postgres$/, 'store', within('store')],
  [/^pg-boss$/, 'jobs', within('jobs')],
  // The sandbox serves HTTP as the attestation service and as the daemon, on loopback, in these two files only.
  [
    /^(node:)?https?2?$/,
    'server',
    (file) => within('server')(file) || /^sandbox\/(loopback-server|control-server)\.ts$/.test(file),
  ],
  [/^viem\/accounts$/, 'signing and sandbox', within('signing', 'sandbox')],
  [/^(chalk|cli-table3|ora|inquirer|@inquirer\/.*)(\/.*)?$/, 'cli', within('cli')],
  [/^@ledgerhq\/|^rxjs$/, 'the Ledger', (file) => file === 'signing/ledger/transport.ts'],
  [
    /^commander$/,
    'commands, cli and main',
    (file) => within('commands', 'cli')(file) || file === 'app/main.ts',
  ],
  [/^@modelcontextprotocol\//, 'mcp', (file) => file === 'commands/mcp.ts'],
  [/^(node:)?child_process$/, 'sandbox and app', within('sandbox', 'app')],
]

/** The imports of a file, also by `import()` and in types. */
const importsOf = (file: string) => importsIn(textOf(file))
function importsIn(source: string): string[] {
  const text = withoutComments(source)
  const statements = /(?:^|\n)\s*(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*['"]([^'"]+)['"]/g
  const dynamic = /\b(?:import|require|require\.resolve)\(\s*['"`]([^'"`]+)['"`]/g
  return [...text.matchAll(statements), ...text.matchAll(dynamic)].map(([, name]) => name!)
}
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
const withoutTypes = (text: string) =>
  withoutComments(text)
    .replace(/^(?:import|export) type\b[^;'"`]*from '[^']+'$/gm, '')
    .replace(/(?<!await )\bimport\('[^']+'\)(?=\.\w)/g, '')
const target = (file: string, name: string) => posix.normalize(posix.join(posix.dirname(file), name))

const relativeEdges = (names: (file: string) => string[]) =>
  files.flatMap((file) =>
    names(file)
      .filter((name) => name.startsWith('.') && name.endsWith('.ts'))
      .map((name) => ({ file, to: target(file, name) })),
  )
const edges = relativeEdges(importsOf)
/** What a file loads when it runs, without types. */
const loads = relativeEdges((file) => importsIn(withoutTypes(textOf(file))))
const packages = files.flatMap((file) =>
  importsOf(file)
    .filter((name) => !name.startsWith('.'))
    .map((name) => ({ file, name })),
)
/** Lines of code that match the pattern, as `file:line text`. */
const lines = (list: readonly string[], pattern: RegExp) =>
  list.flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((line, at) =>
        !/^\s*(\*|\/\/|\/\*)/.test(line) && pattern.test(line) ? [`${file}:${at + 1} ${line.trim()}`] : [],
      ),
  )

test('importsIn finds every form of import and ignores comments', () => {
  const text = [
    "import a from 'a'",
    "import { b1,\n  type b2 } from 'b'",
    "import type { c } from './c.ts'",
    "import 'd'",
    "export { e } from 'e'",
    "  const f = await import('./f.ts')",
    "type G = import('./g.ts').G",
    "// import h from 'h'",
    "/* import i from 'i' */",
    " * import('j')",
    "const k = createRequire(import.meta.url).resolve('k')",
  ]
  const seen = text.map((line) => importsIn(line))
  expect(seen).toEqual([['a'], ['b'], ['./c.ts'], ['d'], ['e'], ['./f.ts'], ['./g.ts'], [], [], ['j'], []])
})

test('the top level has only what belongs there', () => {
  const kept = readdirSync(join(root, '..')).filter((name) => !name.startsWith('.'))
  expect(kept.filter((name) => !['dist', 'node_modules', 'coverage'].includes(name)).toSorted()).toEqual(
    [
      ...['CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package-lock.json', 'package.json'],
      ...['bench', 'bin', 'completions', 'docs', 'src', 'test', 'tsconfig.json'],
    ].toSorted(),
  )
})

describe('imports', () => {
  test('every file is in a folder that the table lists', () => {
    const known = [...Object.keys(mayImport), 'app']
    expect(files.filter((file) => !known.includes(layerOf(file)))).toEqual([])
    expect(files.length).toBeGreaterThan(80)
    expect(edges.length).toBeGreaterThan(300)
  })

  test('every relative import names an existing file with its extension', () => {
    const relativeNames = files.flatMap((file) =>
      importsOf(file)
        .filter((name) => name.startsWith('.'))
        .map((name) => [file, name] as const),
    )
    expect(
      relativeNames.filter(
        ([file, name]) =>
          !/\.(ts|json)$/.test(name) || (name.endsWith('.ts') && !source.has(target(file, name))),
      ),
    ).toEqual([])
  })

  test('only chain/ uses the peers of a network and its endpoint and batch modules', () => {
    const others = files.filter((file) => !within('chain')(file))
    expect(lines(others, /\bpeers?\b/)).toEqual([])
    const inside = /^chain\/rpc\/(endpoint|batch)\.ts$/
    expect(edges.filter(({ file, to }) => !within('chain')(file) && inside.test(to))).toEqual([])
  })

  test.each(Object.entries(mayImport))('%s imports only itself and %j', (layer, others) => {
    const breaches = edges
      .filter(({ file }) => layerOf(file) === layer)
      .filter(({ to }) => layerOf(to) !== layer && !others.includes(layerOf(to)))
    expect(breaches.map(({ file, to }) => `${file} -> ${to}`)).toEqual([])
  })

  test('no folder has more than 25 files', () => {
    const sizes = Map.groupBy(files, (file) => file.slice(0, Math.max(0, file.lastIndexOf('/'))))
    expect([...sizes].filter(([, all]) => all.length > 25).map(([room]) => room)).toEqual([])
  })

  test('test has the folders of src, at most 25 test files each', () => {
    const tests = globSync('**/*.test.ts', { cwd: import.meta.dirname }).map((file) =>
      file.split(sep).join('/'),
    )
    const folders = Map.groupBy(tests, (file) => file.slice(0, Math.max(0, file.lastIndexOf('/'))))
    const rooms = new Set(tests.filter((file) => file.includes('/')).map((file) => file.split('/')[0]!))
    // The library is tested as an installed package.
    expect([...rooms].filter((room) => !files.some((file) => file.startsWith(`${room}/`)))).toEqual([
      'library',
    ])
    expect([...folders].filter(([, all]) => all.length > 25).map(([folder]) => folder)).toEqual([])
  })

  test.each(alone)('%s is imported only by %s', (package_, _, may) => {
    expect(packages.filter(({ file, name }) => package_.test(name) && !may(file))).toEqual([])
  })

  test('domain and api import only zod and pure helpers', () => {
    // @scure/base computes checksums of Bitcoin addresses without side effects.
    const pure = /^(zod|viem|viem\/utils|@scure\/base)$/
    expect(packages.filter(({ file, name }) => within('domain', 'api')(file) && !pure.test(name))).toEqual([])
    expect(lines(files.filter(within('domain', 'api')), /^import (?!type\b).*from 'viem'/)).toEqual([])
  })

  test('no calldata check imports an encoder, a market adapter or a provider', () => {
    const check = /^(export )?(function|const) check\w+Calldata\b/m
    const checks = files.filter((file) => within('protocols', 'swaps')(file) && check.test(textOf(file)))
    expect(checks.length).toBeGreaterThan(20)
    const reach = (file: string, seen = new Set<string>()): Set<string> => {
      for (const { file: from, to } of edges) if (from === file && !seen.has(to)) reach(to, seen.add(to))
      return seen
    }
    const breaches = checks.flatMap((file) =>
      [...reach(file)]
        .filter((to) => /\/(encode|market-adapter|provider)\.ts$/.test(to))
        .map((to) => `${file} -> ${to}`),
    )
    expect(breaches).toEqual([])
  })

  test('no protocol or swap provider imports the folder of another, except the shared ones', () => {
    const folderOf = (file: string) => /^(protocols|swaps)\/([^/]+)\//.exec(file)?.[0]
    // LI.FI sends to another chain by a deposit of Across. All providers with a service read its answers alike.
    const shared = /^(protocols\/(shared|erc4626)|swaps\/(across|service-answers))\//
    const breaches = edges.filter(({ file, to }) => {
      const [own, other] = [folderOf(file), folderOf(to)]
      return (
        own !== undefined &&
        other !== undefined &&
        own !== other &&
        !shared.test(to) &&
        own !== 'protocols/shared/'
      )
    })
    expect(breaches.map(({ file, to }) => `${file} -> ${to}`)).toEqual([])
  })

  test('no arrow between the folders of transactions/ runs back up', () => {
    const order = [
      'steps',
      'nonces',
      'bridge',
      '',
      'attempts',
      'confirmation',
      'outcome',
      'execution',
      'operations',
    ]
    const rank = (file: string) => order.indexOf(file.split('/').slice(1, -1).join('/'))
    const inside = edges.filter(({ file, to }) => within('transactions')(file) && within('transactions')(to))
    expect(inside.filter(({ file, to }) => rank(to) < 0 || rank(file) < rank(to))).toEqual([])
  })

  test('no file loads itself through others', () => {
    const next = (file: string) => loads.filter((edge) => edge.file === file).map(({ to }) => to)
    const done = new Set<string>()
    const circles: string[] = []
    const walk = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) {
        circles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
        return
      }
      if (done.has(file)) return
      for (const to of next(file)) walk(to, [...path, file])
      done.add(file)
    }
    for (const file of files) walk(file, [])
    expect(circles).toEqual([])
  })
})

describe('the signer', () => {
  /** Every file that an entry loads, directly or through others. */
  const reachOf = (entry: string) => {
    const seen = new Set<string>()
    const visit = (file: string) => {
      if (seen.has(file)) return
      seen.add(file)
      for (const { file: from, to } of edges) if (from === file) visit(to)
    }
    visit(entry)
    return seen
  }

  test('loads no terminal package, engine, remote, server or command', () => {
    const loaded = [...reachOf('app/signer-process-main.ts')]
    expect(loaded.length).toBeGreaterThan(30)
    const foreign = packages.filter(
      ({ file, name }) =>
        loaded.includes(file) &&
        /^(chalk|cli-table3|ora|commander|inquirer|@inquirer\/.*)(\/.*)?$/.test(name),
    )
    expect(foreign).toEqual([])
    expect(loaded.filter(within('engine', 'remote', 'server', 'commands'))).toEqual([])
  })

  test('is the only process that loads the code that opens keys', () => {
    const keys = [
      'signing/keystore/private-key-signer.ts',
      'signing/keystore/encrypted-key-file.ts',
      'signing/keystore/encryption.ts',
      'signing/signing-service.ts',
    ]
    expect(keys.filter((file) => !source.has(file))).toEqual([])
    expect(keys.filter((file) => reachOf('app/process-entry.ts').has(file))).toEqual([])
    expect(keys.filter((file) => !reachOf('app/signer-process-main.ts').has(file))).toEqual([])
  })
})

describe('the code style', () => {
  test('only the entries and the standard streams use process', () => {
    const may = (file: string) => isEntry(file) || file === 'cli/terminal/standard-streams.ts'
    const touches = /\bprocess\.(stdout|stderr|stdin|exit|exitCode|argv|env|chdir|cwd)\b/
    expect(
      lines(
        files.filter((file) => !may(file)),
        touches,
      ),
    ).toEqual([])
  })

  test('contracts, headers and nonce counts are each read through one file', () => {
    const readers = ['chain/eth-call.ts', 'chain/head.ts', 'chain/nonce-count.ts']
    const others = [
      // They tell the requests of others apart: to check answers, to remember them, to play a faulty node.
      ...['chain/rpc/quantities.ts', 'engine/once-per-block.ts'],
      ...['sandbox/faults/rpc-proxy.ts', 'sandbox/world.ts'],
      // The name of a way of simulation, and of what a node cannot do.
      ...['cli/schema/plan.ts', 'guard/assurance.ts', 'guard/simulation/eth-call-simulation.ts'],
      ...['guard/simulation/simulate.ts', 'app/doctor/rpc-capability-findings.ts'],
    ]
    const names = /\beth_(call|getBlockByNumber|getTransactionCount)\b/
    const found = files.filter((file) => lines([file], names).length > 0)
    expect(found).toEqual([...readers, ...others].toSorted())
    // Only these encode a read and decode its answer.
    expect(files.filter((file) => /\bdecodeFunctionResult\b/.test(textOf(file)))).toEqual([
      'chain/call.ts',
      'chain/multicall.ts',
    ])
  })

  test('no file writes to the console', () => {
    expect(lines(files, /\bconsole\.\w+/)).toEqual([])
  })

  test('only store/durable-files.ts renames, links and flushes files, which Windows and some file systems refuse', () => {
    const calls = /\b(renameSync|linkSync|fsyncSync|rename|link)\b[^;]*\bfrom 'node:fs(\/promises)?'/
    const found = files.filter((file) => calls.test(textOf(file)))
    expect(found).toEqual(['store/durable-files.ts'])
  })

  test('only the writer of documents writes to stdout', () => {
    const writes = lines(files, /(?<!std)\bout\.write\(/).map((line) => line.split(':')[0])
    expect([...new Set(writes)]).toEqual(['cli/output/document-writer.ts'])
  })

  test('only the renderer makes the text of a command, so that it is for the signer and the profile of the line that ran', () => {
    const others = {
      'domain/text/next-step.ts': 'defines both',
      'cli/next-step-text.ts': 'the renderer',
      'domain/errors.ts': 'the text of an error where no line ran; the program renders its `next`',
      'cli/diagnose-action.ts': 'evidence for another machine',
      'cli/signing-flow/withdrawal-queue-notes.ts': 'stored with the plan',
      'app/backends/sandbox-backend.ts': 'commands about the sandbox and its first use, of no profile',
    }
    const makers = files.filter((file) => lines([file], /\b(commandLine|adviceText)\b/).length > 0)
    expect(makers).toEqual(Object.keys(others).toSorted())
  })

  test('no file is longer than 400 lines', () => {
    const length = (file: string) => textOf(file).split('\n').length - 1
    expect(files.filter((file) => length(file) > 400).map((file) => `${file}: ${length(file)}`)).toEqual([])
  })

  test('no default exports, interfaces, enums, namespaces or barrels', () => {
    expect(lines(files, /^export default\b|\bas default\b/)).toEqual([])
    expect(lines(files, /^\s*(export )?(declare )?interface \w/)).toEqual([])
    expect(lines(files, /^\s*(export )?(declare )?(const )?enum \w/)).toEqual([])
    expect(lines(files, /^\s*(export )?(declare )?namespace \w/)).toEqual([])
    expect(lines(files, /^export (type )?(\*|\{).*from '\./)).toEqual([])
    expect(
      files.filter(
        (file) => file.endsWith('/index.ts') && !lines([file], /^export (const|function|async)/).length,
      ),
    ).toEqual([])
  })

  test('the only class is AppError', () => {
    expect(
      lines(files, /^\s*(export )?(abstract )?class \w/).map((line) => line.replace(/:\d+/, '')),
    ).toEqual(['domain/errors.ts export class AppError extends Error {'])
  })

  test('no name is exported twice, but for parts that several siblings have', () => {
    // A command is named as it is typed, a part of a provider or protocol as in its siblings.
    const shared =
      /^(deposit|withdraw|transfer|list|show|watch|provider|fillQuery|pathText|pathsOf|priceQueries|exits)$/
    const parts = ['provider.ts', 'definition.ts', 'market-adapter.ts']
    const homes = new Map<string, Set<string>>()
    for (const file of files)
      for (const [, name] of textOf(file).matchAll(
        /^export (?:declare )?(?:async )?(?:const|let|function\*?|type|class) (\w+)/gm,
      ))
        homes.set(name!, (homes.get(name!) ?? new Set()).add(file))
    const twice = [...homes].flatMap(([name, of]) => {
      const names = new Set([...of].map((file) => posix.basename(file)))
      const isPart = names.size === 1 || [...names].every((one) => parts.includes(one))
      return of.size === 1 || isPart || shared.test(name) ? [] : [`${name}: ${[...of].join(', ')}`]
    })
    expect(twice).toEqual([])
  })

  test('what another room uses has a name of several words or a doc comment', () => {
    const imported = new Map<string, Set<string>>()
    for (const file of files)
      for (const [, names, name] of textOf(file).matchAll(
        /^import (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm,
      )) {
        const to = target(file, name!)
        if (layerOf(to) === layerOf(file)) continue
        const used = imported.get(to) ?? new Set()
        imported.set(to, used)
        for (const one of names!.split(','))
          used.add(
            one
              .trim()
              .replace(/^type /, '')
              .replace(/ as .*$/, ''),
          )
      }
    const bare = files.flatMap((file) => {
      const all = textOf(file).split('\n')
      return all.flatMap((line, at) => {
        const name = /^export (?:declare )?(?:async )?(?:const|let|function\*?|type|class) (\w+)/.exec(
          line,
        )?.[1]
        if (name === undefined || !imported.get(file)?.has(name)) return []
        // A name of several words may say it all.
        if (/[a-z0-9][A-Z]/.test(name)) return []
        if (all[at - 1]?.trimEnd().endsWith('*/')) return []
        // The first signature of an overloaded function documents all.
        if (all.slice(0, at).some((before) => before.startsWith(`export function ${name}`))) return []
        // A type derived from a value of the same file is documented by that value.
        const value = /^export type \w+ = .*\btypeof (\w+)/.exec(line)?.[1]
        if (value && new RegExp(`^(export )?const ${value}\\b`, 'm').test(textOf(file))) return []
        return [`${file}:${at + 1} ${name}`]
      })
    })
    expect(bare).toEqual([])
  })

  test("no file has a TODO or a path of a developer's machine", () => {
    expect(files.filter((file) => /\b(TODO|FIXME|XXX|HACK)\b/.test(textOf(file)))).toEqual([])
    const tests = globSync('**/*.ts', { cwd: import.meta.dirname })
    const here = relative(import.meta.dirname, import.meta.filename)
    const foreign = tests
      .filter((file) => file !== here)
      .filter((file) =>
        /\b(TODO|FIXME|XXX)\b|\/work\//.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
      )
    expect(foreign).toEqual([])
    expect(files.filter((file) => /\/(work|home|Users)\//.test(textOf(file)))).toEqual([])
  })

  test('no catch is empty', () => {
    expect(files.filter((file) => /catch\s*(\([^)]*\))?\s*\{\s*\}/.test(textOf(file)))).toEqual([])
  })

  test('files are named in kebab-case', () => {
    expect(files.filter((file) => !/^([a-z0-9-]+\/)*[a-z0-9-]+(\.d)?\.ts$/.test(file))).toEqual([])
  })
})
