import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { madeBy, type Taken } from './make.ts'
import { packages } from './packages.ts'

const folder = join(import.meta.dirname, 'artifacts')
const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
const pieces = packages.flatMap((one) => one.pieces.map((piece) => [piece.name, one, piece] as const))

test.each(pieces)(
  '%s comes from the package, path and version in packages.ts (npm run artifacts)',
  (name, one, { path }) => {
    const taken: Taken = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
    expect(taken.madeBy).toBe(madeBy(taken))
    expect(taken).toMatchObject({ package: one.name, path, version: one.version, integrity: one.integrity })
    expect(taken.licence).toBe(one.licence)
    expect(readme).toContain(`\`${one.name}\` ${one.version}: ${one.licence}`)
  },
)

test('the artifacts folder has no other files and less than 1 MB', () => {
  const files = readdirSync(folder)
  expect(files.toSorted()).toEqual(pieces.map(([name]) => `${name}.json`).toSorted())
  const size = files.reduce((sum, file) => sum + readFileSync(join(folder, file)).length, 0)
  expect(size).toBeLessThan(1_000_000)
})
