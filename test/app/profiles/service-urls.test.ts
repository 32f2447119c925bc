import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { knownCatalog, wholeCatalog } from '../../../src/app/profiles/catalog-of-configured-networks.ts'
import { directories } from '../../../src/app/profiles/directories.ts'
import { publicNetworks, rpcVariable } from '../../../src/domain/networks.ts'
import {
  keyedBaseOf,
  publicServiceNames,
  publicServices,
  serviceOfUrl,
  serviceVariable,
} from '../../../src/protocols/public-services.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const root = join(import.meta.dirname, '..', '..', '..', 'src')
const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const dirs = directories({ SLUICE_HOME: '/nowhere' })
const rpcs = Object.fromEntries(publicNetworks.map((one) => [rpcVariable(one), 'http://127.0.0.1:1']))

/** All URLs in a value, but not those of sources, explorers and pictures, which are only shown. */
function urlsIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string')
    return /^https?:/.test(value) && !/source|explorer|logo/i.test(name) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => urlsIn(inner, Array.isArray(value) ? name : key))
}

/** Hosts that are only shown to a person: explorers of networks, pages in hints, and pictures. */
const shown = [
  ...publicNetworks.flatMap(({ explorer }) => (explorer === null ? [] : [new URL(explorer).host])),
  ...['mempool.space', 'getfoundry.sh', 'github.com', 'sqlite.org', 'jqlang.org', 'coins.llama.fi'],
  ...['raw.githubusercontent.com', 'coin-images.coingecko.com', 'www.iana.org', 'www.standardwebhooks.com'],
]

test('every public host in the source is a service with a setting, or is only shown', () => {
  const files = globSync('**/*.ts', { cwd: root })
  const found = files.flatMap((file) =>
    [
      ...readFileSync(join(root, file), 'utf8').matchAll(/https:\/\/[\w.-]+\.[a-z]{2,}(?::\d+)?[\w./:-]*/g),
    ].map(([url]) => url),
  )
  expect(found.length).toBeGreaterThan(20)
  // What is asked only with a key may have a host of its own; the same setting replaces it.
  const keyed = publicServiceNames.map((name) => keyedBaseOf(name, publicServices[name].base))
  const at = 'https://proxy.example/base'
  expect(publicServiceNames.map((name) => keyedBaseOf(name, at))).toEqual(publicServiceNames.map(() => at))
  const unset = found.filter(
    (url) =>
      serviceOfUrl(url) === undefined &&
      !keyed.includes(url) &&
      !shown.includes(new URL(url).host) &&
      !/(^|\.)example(\.|$)/.test(new URL(url).hostname),
  )
  expect(unset).toEqual([])
})

test('every URL of the catalogue follows the setting of its service, and only that one', async () => {
  const catalog = await knownCatalog(dirs, { ...rpcs })
  const urls = [...new Set(urlsIn(catalog))]
  expect(urls.length).toBeGreaterThan(20)
  expect(urls.filter((url) => serviceOfUrl(url) === undefined)).toEqual([])
  for (const name of publicServiceNames) {
    const env = { ...rpcs, [serviceVariable(name)]: 'https://proxy.example/base/' }
    for (const [some, plain] of [
      [await knownCatalog(dirs, env), catalog],
      [await wholeCatalog(dirs, env), await wholeCatalog(dirs, rpcs)],
    ] as const) {
      const { base } = publicServices[name]
      const before = urlsIn(plain)
      const expected = before.map((url) =>
        serviceOfUrl(url) === name ? `https://proxy.example/base${url.slice(base.length)}` : url,
      )
      expect(urlsIn(some)).toEqual(expected)
    }
  }
})

test('config list shows the URL of each public service with its origin', async () => {
  const env = { SLUICE_RPC_BASE: 'http://127.0.0.1:1', SLUICE_RELAY_URL: 'https://relay.example/?key=secret' }
  const { json, out } = await run('config list --show-origin --json', { env })
  expect(out).not.toContain('secret')
  for (const name of publicServiceNames)
    expect(json.items).toContainEqual(
      name === 'relay'
        ? { name: 'relay url', value: 'https://relay.example/ (query omitted)', origin: 'SLUICE_RELAY_URL' }
        : { name: `${name} url`, value: publicServices[name].base, origin: 'default' },
    )
})

test.each(publicServiceNames)('the URL of %s must be https without a query', async (name) => {
  for (const url of ['http://proxy.example', 'https://proxy.example/?key=1', 'nowhere'])
    await expect(knownCatalog(dirs, { ...rpcs, [serviceVariable(name)]: url })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(serviceVariable(name)),
    })
})
