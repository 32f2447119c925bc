import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { publicNetworks } from '../../src/domain/networks.ts'

test('docs/finality.md lists every public mainnet with its depth and a source', () => {
  const page = readFileSync(new URL('../../docs/finality.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| ([a-z]+) \| (\d+) \| [^|]+ \| ([^|]{20,}) \|$/gm)]
  const told = rows.map(([, name, depth]) => ({ name, depth: Number(depth) }))
  const known = publicNetworks.filter(({ testnet }) => !testnet).map(({ name, depth }) => ({ name, depth }))
  const byName = (a: { name?: string | undefined }, b: { name?: string | undefined }) =>
    String(a.name).localeCompare(String(b.name))
  expect(told.toSorted(byName)).toEqual(known.toSorted(byName))
})
