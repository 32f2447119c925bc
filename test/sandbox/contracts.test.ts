import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

import { compileContracts, contractsDir } from './compile.ts'

test('the committed artifacts are what the sources compile to', () => {
  for (const [file, text] of Object.entries(compileContracts()))
    expect(readFileSync(join(contractsDir, file), 'utf8') === text, file).toBe(true)
})
