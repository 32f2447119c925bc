import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { foundryFile } from '../src/sandbox/anvil.ts'

// A JavaScript file without types.
const { nodeFile } = (await import(`${'../bin/built'}.js`)) as {
  nodeFile: (platform: string, arch: string) => string
}

type Entry = {
  version: string
  os?: string | string[]
  cpu?: string | string[]
  bin?: Record<string, string>
  optional?: true
  optionalDependencies?: Record<string, string>
}
const json = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
const packages = json('package-lock.json').packages as Record<string, Entry>
const { optionalDependencies } = json('package.json') as { optionalDependencies: Record<string, string> }

const fits = (list: string | string[] | undefined, one: string) =>
  list === undefined || [list].flat().includes(one)
/** The package of a file in the lock file, if npm would install it on the platform. */
const installed = (file: string, os: string, cpu: string) => {
  const name = file
    .split('/')
    .slice(0, file.startsWith('@') ? 2 : 1)
    .join('/')
  const entry = packages[`node_modules/${name}`]
  return entry && fits(entry.os, os) && fits(entry.cpu, cpu)
    ? { name, entry, path: file.slice(name.length + 1) }
    : undefined
}

/** The platforms where the two install commands of the README must work. */
const platforms = [
  ['linux', 'x64'],
  ['linux', 'arm64'],
  ['darwin', 'x64'],
  ['darwin', 'arm64'],
  ['win32', 'x64'],
] as const

describe.each(platforms)('on %s %s', (os, cpu) => {
  test.each([
    ['Node', nodeFile(os, cpu)],
    ['anvil', foundryFile('anvil', os, cpu)],
    ['cast', foundryFile('cast', os, cpu)],
  ])('npm ci installs a pinned %s where the program looks for it', (_, file) => {
    const found = installed(file, os, cpu)
    expect(found, file).toBeDefined()
    const { name, entry, path } = found!
    expect(optionalDependencies[name]).toBe(entry.version)
    expect(entry.optional).toBe(true)
    expect(Object.values(entry.bin!).map((one) => one.replace(/^\.\//, ''))).toContain(path)
  })

  test('the installed Node is 24.15 or newer in 24, or 26 and newer', () => {
    const [major, minor] = installed(nodeFile(os, cpu), os, cpu)!.entry.version.split('.').map(Number)
    expect(major! >= 26 || (major === 24 && minor! >= 15)).toBe(true)
  })
})

test('the lock file has an entry for every optional dependency, so that npm ci installs it', () => {
  const names = new Set(
    Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 13)),
  )
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies: of = {} }]) =>
    Object.keys(of).flatMap((name) => (names.has(name) ? [] : `${path}: ${name}`)),
  )
  expect(missing).toEqual([])
})
