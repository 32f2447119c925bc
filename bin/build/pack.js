// Makes the packages of sluice in a folder, as `npm pack` does: `npm run pack:all -- FOLDER`. Each is laid out in a folder of its own first.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..', '..')
const packages = join(root, 'src', 'packages')
const manifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

const take = (folder, path, as = path) => cpSync(join(root, path), join(folder, as), { recursive: true })

const [to] = process.argv.slice(2)
if (to) await packAll(resolve(process.env.INIT_CWD ?? '.', to))
else {
  process.stderr.write('This repository makes several packages. Run: npm run pack:all -- FOLDER\n')
  process.exitCode = 1
}

async function packAll(folder) {
  for (const name of ['build.js', 'types.js'])
    execFileSync(process.execPath, [join(import.meta.dirname, name)], { stdio: 'inherit' })
  const staging = mkdtempSync(join(tmpdir(), 'sluice-pack-'))
  try {
    layOutProgram(join(staging, 'sluice'))
    for (const name of readdirSync(packages))
      cpSync(join(packages, name), join(staging, name), { recursive: true })
    await layOutSandbox(join(staging, 'sandbox'))
    mkdirSync(folder, { recursive: true })
    for (const name of readdirSync(staging)) {
      if (name !== 'sluice' && name !== 'sandbox') take(join(staging, name), 'LICENSE')
      nameRepository(join(staging, name))
      npmPack(join(staging, name), folder)
    }
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

/** The registry accepts a proof of origin only for a package that names the repository where it was made. */
function nameRepository(folder) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env
  if (!server || !repository) return
  const named = { ...manifest(folder), repository: { type: 'git', url: `git+${server}/${repository}.git` } }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(named, null, 2)}\n`)
}

function npmPack(folder, to) {
  const args = ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', to]
  const file = execFileSync('npm', args, {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  process.stdout.write(`${join(to, file.trim())}\n`)
}

/** The program: the build, and the files that processes read when they run. */
function layOutProgram(folder) {
  const files = ['sluice.js', 'hand-over.js', 'node-version.js', 'library.js'].map((name) =>
    join('bin', name),
  )
  for (const path of [
    ...files,
    'completions',
    'docs/man',
    'dist/index.d.ts',
    'src/server/page',
    'LICENSE',
    'README.md',
  ])
    take(folder, path)
  for (const name of readdirSync(join(root, 'src', 'engine', 'catalog')))
    if (name.endsWith('.json')) take(folder, join('src', 'engine', 'catalog', name))
  // Without the chunks of earlier builds.
  for (const name of readFileSync(join(root, 'dist', 'app', 'files'), 'utf8').split('\n'))
    take(folder, join('dist', 'app', name))
  renameSync(join(folder, 'dist', 'app', 'THIRD_PARTY_NOTICES'), join(folder, 'THIRD_PARTY_NOTICES'))
  const { name, version, description, license, type, bin, exports, optionalDependencies } = manifest(root)
  // What this repository takes from its own folders is in the registry under the same version. The sandbox and the USB addons are installed by those who want them.
  const kept = Object.entries(optionalDependencies).flatMap(([name, wanted]) => {
    if (name.startsWith('@sluice-cli/node-')) return [[name, version]]
    return name.startsWith('@napi-rs/') ? [[name, wanted]] : []
  })
  const man = 'docs/man/sluice.1'
  const made = {
    name,
    version,
    description,
    license,
    type,
    bin,
    man,
    exports,
    optionalDependencies: Object.fromEntries(kept),
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(made, null, 2)}\n`)
}

/** The contracts of the sandbox with their licences, and the key of the world that they make with the program of the same version. */
async function layOutSandbox(folder) {
  for (const name of readdirSync(join(root, 'src', 'sandbox', 'contracts')))
    if (!name.endsWith('.sol'))
      take(folder, join('src', 'sandbox', 'contracts', name), join('contracts', name))
  take(folder, 'src/sandbox/published', 'published')
  take(folder, 'LICENSE')
  const source = join(root, 'src', 'sandbox', 'genesis', 'genesis-cache.ts')
  const { genesisKey } = await import(pathToFileURL(source))
  writeFileSync(join(folder, 'genesis-key'), `${genesisKey()}\n`)
}
