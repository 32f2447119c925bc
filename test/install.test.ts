import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { foundryFile } from '../src/sandbox/anvil.ts'

// A JavaScript file without types.
const { nodeFile, isNewEnough } = (await import(`${'../bin/node-version'}.js`)) as {
  nodeFile: (platform: string, arch: string) => string
  isNewEnough: (version?: string) => boolean
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
type Manifest = {
  name: string
  version: string
  engines?: { node: string }
  os?: string[]
  cpu?: string[]
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}
const root = json('package.json') as Manifest
/** The packages that are made beside the program; the clone links them, so that their dependencies are its own. */
const ours = readdirSync(new URL('../src/packages', import.meta.url)).map(
  (name) => json(`src/packages/${name}/package.json`) as Manifest,
)
const pins = Object.assign(
  {},
  ...[root, ...ours].map((one) => ({ ...one.dependencies, ...one.optionalDependencies })),
) as Record<string, string>

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
    expect(pins[name]).toBe(entry.version)
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

describe('the packages beside the program', () => {
  test('have its version and scope, and the clone links each', () => {
    for (const { name, version } of ours) {
      expect([name, version]).toEqual([expect.stringMatching(/^@sluice-cli\/[\w-]+$/), root.version])
      expect(root.optionalDependencies![name]).toBe(`file:src/packages/${name.split('/')[1]}`)
    }
  })

  /** Whether a version is in a range of `engines`, which has only these operators. */
  const isIn = (version: string, range: string): boolean => {
    const number = (text: string) => text.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0)
    const holds = (one: string) => {
      const [, operator, bound] = /^(<|>=|\^)(.*)$/.exec(one)!
      const [is, at] = [number(version), number(bound!)]
      if (operator === '<') return is < at
      return is >= at && (operator === '>=' || version.split('.')[0] === bound!.split('.')[0])
    }
    return range.split(' || ').some((part) => part.split(' ').every(holds))
  }

  test.each(platforms)('bring Node on %s %s exactly where the installed one is too old', (os, cpu) => {
    const one = ours.find(({ name }) => name === `@sluice-cli/node-${os}-${cpu}`)!
    expect([one.os, one.cpu, Object.keys(one.dependencies!)]).toEqual([
      [os],
      [cpu],
      [nodeFile(os, cpu).split('/')[0]],
    ])
    const versions = [
      '18.20.8',
      '20.20.2',
      '22.21.9',
      '22.22.2',
      '23.11.0',
      '24.0.0',
      '24.14.9',
      '24.15.0',
      '24.21.0',
      '25.9.0',
      '26.0.0',
      '27.1.0',
    ]
    for (const version of versions) {
      expect([version, isIn(version, one.engines!.node)]).toEqual([
        version,
        !isIn(version, root.engines!.node),
      ])
      expect([version, isNewEnough(version)]).toEqual([version, isIn(version, root.engines!.node)])
    }
  })
})
