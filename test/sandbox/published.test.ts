import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { madeBy, publishedDir, publishedPackages } from './published.ts'

const readme = readFileSync(join(publishedDir, 'README.md'), 'utf8')
const pieces = publishedPackages.flatMap((one) =>
  one.pieces.map((piece) => [piece.name, one, piece] as const),
)

test.each(pieces)(
  '%s matches the package, version and licence recorded here (npm run contracts:published)',
  (name, one, { path, licence }) => {
    const { madeBy: by, ...made } = JSON.parse(readFileSync(join(publishedDir, `${name}.json`), 'utf8'))
    expect(by).toBe(madeBy(made))
    const { name: of, version, integrity } = one
    expect(made).toMatchObject({ package: of, version, integrity, path, licence })
    expect(readme).toMatch(new RegExp(`\`${of}\` ${version}: .*\`${name}\`.*${licence}`))
  },
)

test('the folder contains no other files', () => {
  expect(readdirSync(publishedDir).toSorted()).toEqual(
    ['BUSL_LICENSE', 'README.md', ...pieces.map(([name]) => `${name}.json`)].toSorted(),
  )
})
