import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesOf } from '../src/app/profiles/catalog-of-configured-networks.ts'
import { situations } from '../src/diagnosis/situations.ts'
import { publicNetworks } from '../src/domain/networks.ts'
import { swapDefinitions } from '../src/swaps/swap-provider-registry.ts'

const root = join(import.meta.dirname, '..')
const guide = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
const textOf = (path: string): string =>
  statSync(join(root, path)).isDirectory()
    ? globSync(`${path}/**/*.{ts,json}`, { cwd: root }).map(textOf).join('')
    : readFileSync(join(root, path), 'utf8')

/** The steps of a recipe. */
const stepsOf = (title: string): string[] => {
  const [, text] = guide.split(`**${title}**`)
  return [...text!.split('\n**')[0]!.matchAll(/^- \[ \] (.*)$/gm)].map(([, step]) => step!)
}
const pathsIn = (step: string): string[] =>
  [...step.matchAll(/`((?:src|test|bench|docs)\/[\w./-]+|README\.md)`/g)].map(([, path]) => path!)

/** The folder with the constants of each member, by the name in its schema. */
const folders = (room: string) =>
  new Map(
    globSync(`src/${room}/*/constants-schema.ts`, { cwd: root }).flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(/'([a-z0-9-]+)'/g)].map(
        ([, name]): [string, string] => [name!, basename(dirname(path))],
      ),
    ),
  )
const [protocolFolders, swapFolders] = [folders('protocols'), folders('swaps')]
const strategies = (await filesOf(publicNetworks)).flatMap((one) => one.strategies)
const families: string[] = [...new Set(strategies.map(({ constants }) => constants.family))]
const providers = swapDefinitions.map(({ name }) => name)
const registry = textOf('src/swaps/swap-provider-registry.ts')
const forks = providers.filter((name) => new RegExp(`like\\w+\\('${name}'`).test(registry))

/** What a step promises about a member and does not hold. */
function brokenPromises(step: string, name: string, folder: string | undefined): string[] {
  const first = pathsIn(step)[0]
  if (first === undefined || /NETWORK/.test(first)) return []
  if (first.includes('NAME')) {
    const path = first.replace('NAME', folder ?? 'NAME')
    return globSync(path, { cwd: root }).length === 1 ? [] : [`${name}: there is no ${path}`]
  }
  if (!step.startsWith('Its name in')) return []
  const isNamed = new RegExp(`(^|[^\\w-])${name}([^\\w-]|$)`, 'm').test(textOf(first))
  return isNamed ? [] : [`${name} is not in ${first}`]
}

test('every file that the guide names exists', () => {
  const named = pathsIn(guide).filter((path) => !/NAME|NETWORK|PATH/.test(path))
  expect(named.length).toBeGreaterThan(100)
  expect(named.filter((path) => globSync(path, { cwd: root }).length === 0)).toEqual([])
})

test('every situation of explain is found by a rule', () => {
  const others = globSync('src/{diagnosis,commands,cli}/**/*.ts', { cwd: root }).filter(
    (path) => path !== join('src', 'diagnosis', 'situations.ts'),
  )
  const text = others.map(textOf).join('')
  expect(Object.keys(situations).filter((name) => !text.includes(`'${name}'`))).toEqual([])
})

describe.each([
  ['A protocol.', families, (name: string) => protocolFolders.get(name)],
  [
    'A swap provider.',
    providers.filter((name) => !forks.includes(name)),
    (name: string) => swapFolders.get(name),
  ],
  ['A fork of a swap provider.', forks, () => undefined],
] as const)('%s', (title, names, folderOf) => {
  test('holds for every member', () => {
    expect(names.length).toBeGreaterThan(1)
    expect(
      names.flatMap((name) => stepsOf(title).flatMap((step) => brokenPromises(step, name, folderOf(name)))),
    ).toEqual([])
  })
})
