import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

import { findAnvil } from '../../src/sandbox/anvil.ts'
import { genesis } from '../../src/sandbox/genesis/cache.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    sandboxCache: string
    anvil: string
  }
}

/** Builds the sandbox's genesis once, before any test file; later runs find it where it was left. */
export default async function setup(project: TestProject): Promise<void> {
  const { SLUICE_ANVIL: explicit, PATH: path } = process.env
  const anvil = findAnvil({ ...(explicit ? { explicit } : {}), ...(path ? { path } : {}) })
  const cache = join(tmpdir(), 'sluice-test-cache')
  await genesis(cache, anvil)
  project.provide('sandboxCache', cache)
  project.provide('anvil', anvil)
}
