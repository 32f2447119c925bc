// The lock: nothing but packages of a registry with a sha512, no addresses, no install script that is not forbidden by name, and in what a user gets
// only names that somebody has looked at (production-tree.txt): the packages whose code is in the build, and those that are installed beside it.
import { readFileSync } from 'node:fs'

const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8')
const lock = JSON.parse(read('../package-lock.json'))
const { allowScripts = {}, dependencies, devDependencies, optionalDependencies } = JSON.parse(read('../package.json'))
const reviewed = new Set(read('production-tree.txt').split('\n').filter((line) => line && !line.startsWith('#')))
const wrong = []

/** A folder of this repository that is a package: it is in the lock as itself, and as a link. */
const isOurs = (path, { link, resolved }) => (link ? /^src\/packages\/[\w-]+$/.test(resolved) : /^src\/packages\/[\w-]+$/.test(path))
const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

if (Object.values(allowScripts).some((allowed) => allowed !== false)) wrong.push('package.json: allowScripts lets a package run scripts')
for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }))
  if (!/^(\d+\.\d+\.\d+(-[\w.-]+)?|file:src\/packages\/[\w-]+)$/.test(version)) wrong.push(`package.json: ${name} is not pinned: ${version}`)

const production = new Set()
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '' || isOurs(path, entry)) continue
  const name = nameOf(path)
  if (entry.resolved) wrong.push(`${path}: the lock carries an address`)
  if (!entry.integrity?.startsWith('sha512-')) wrong.push(`${path}: no sha512`)
  if (entry.hasInstallScript && allowScripts[name] !== false) wrong.push(`${path}: has an install script that package.json does not forbid by name`)
  // The tests use cast.
  if (!entry.dev && !entry.devOptional && !name.startsWith('@foundry-rs/cast-')) production.add(name)
}

// The USB addons, which the package for the Ledger installs.
const installed = ['node-hid', 'usb']
for (const name of installed) installed.push(...Object.keys(lock.packages[`node_modules/${name}`].dependencies ?? {}))
for (const name of installed) production.add(name)

// What is in the build.
const notices = read('../dist/app/THIRD_PARTY_NOTICES')
for (const [, name] of notices.split(/^-+$/m)[1].matchAll(/^(\S+) \S+, /gm)) production.add(name)

for (const name of production) if (!reviewed.has(name)) wrong.push(`${name} is new in what a user gets: read it, then add it to .ci/production-tree.txt`)
for (const name of reviewed) if (!production.has(name)) wrong.push(`${name} is in .ci/production-tree.txt, and no user gets it any more`)

for (const line of wrong) process.stderr.write(`${line}\n`)
process.stdout.write(`lock: ${Object.keys(lock.packages).length - 1} packages, ${production.size} in production, ${wrong.length} wrong\n`)
process.exitCode = wrong.length === 0 ? 0 : 1
