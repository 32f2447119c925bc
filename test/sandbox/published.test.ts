import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { madeBy, publishedDir } from './published.ts'
import { publishedPackages } from './published-packages.ts'

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

test('the folder contains the contracts, their licence texts and no other files', () => {
  const texts = publishedPackages.flatMap(({ terms }) => (terms ? [terms[1]] : []))
  expect(readdirSync(publishedDir).toSorted()).toEqual(
    ['README.md', 'licences', ...pieces.map(([name]) => `${name}.json`)].toSorted(),
  )
  expect(readdirSync(join(publishedDir, 'licences')).toSorted()).toEqual(texts.toSorted())
})

test('the README names a licence text in the folder for each licence of a contract', () => {
  for (const text of readdirSync(join(publishedDir, 'licences'))) expect(readme).toContain(`licences/${text}`)
})
