import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compileContracts, digests, digestsFile, sourceDir } from './compile.ts'

test('sources, compiler and artifacts are those of the last npm run contracts', () => {
  expect(digests()).toEqual(JSON.parse(readFileSync(digestsFile, 'utf8')))
})

// The compiler takes long: SLUICE_CELLS=all npm test -- test/sandbox/contracts
test.runIf(process.env.SLUICE_CELLS === 'all')(
  'the committed artifacts are what the sources compile to',
  () => {
    for (const [file, text] of Object.entries(compileContracts()))
      expect(readFileSync(join(sourceDir, file), 'utf8') === text, file).toBe(true)
  },
)
