// The lock: nothing but packages of a registry with a sha512, no addresses, no install script that is not forbidden by name, and in the production
// tree only names that somebody has looked at (production-tree.txt).
import { readFileSync } from 'node:fs'

const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8')
const lock = JSON.parse(read('../package-lock.json'))
const { allowScripts = {}, dependencies, devDependencies, optionalDependencies } = JSON.parse(read('../package.json'))
const reviewed = new Set(read('production-tree.txt').split('\n').filter((line) => line && !line.startsWith('#')))
const wrong = []

if (Object.values(allowScripts).some((allowed) => allowed !== false)) wrong.push('package.json: allowScripts lets a package run scripts')
for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }))
  if (!/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version)) wrong.push(`package.json: ${name} is not pinned: ${version}`)

const production = new Set()
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '') continue
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  if (entry.resolved) wrong.push(`${path}: the lock carries an address`)
  if (!entry.integrity?.startsWith('sha512-')) wrong.push(`${path}: no sha512`)
  if (entry.hasInstallScript && allowScripts[name] !== false) wrong.push(`${path}: has an install script that package.json does not forbid by name`)
  // The compiler's own platforms count as optional peers of viem's types; no user gets them.
  if (!entry.dev && !entry.devOptional && !name.startsWith('@typescript/')) production.add(name)
}
for (const name of production) if (!reviewed.has(name)) wrong.push(`${name} is new in the production tree: read it, then add it to .ci/production-tree.txt`)
for (const name of reviewed) if (!production.has(name)) wrong.push(`${name} is in .ci/production-tree.txt and not in the production tree any more`)

for (const line of wrong) process.stderr.write(`${line}\n`)
process.stdout.write(`lock: ${Object.keys(lock.packages).length - 1} packages, ${production.size} in production, ${wrong.length} wrong\n`)
process.exitCode = wrong.length === 0 ? 0 : 1
