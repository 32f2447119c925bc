import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compileContracts, digests, digestsFile, sourceDir } from './compile.ts'

test('sources, compiler version and artifacts match the last npm run contracts', () => {
  expect(digests()).toEqual(JSON.parse(readFileSync(digestsFile, 'utf8')))
})

// Compiling takes long: SLUICE_CELLS=all npm test -- test/sandbox/contracts
test.runIf(process.env.SLUICE_CELLS === 'all')('compiling the sources gives the committed artifacts', () => {
  for (const [file, text] of Object.entries(compileContracts()))
    expect(readFileSync(join(sourceDir, file), 'utf8') === text, file).toBe(true)
})
