import { createRequire } from 'node:module'
import { foundryFile } from '../../../src/sandbox/anvil.ts'

/** Where `cast` is, which is an optional package; `undefined` where it is not there: what needs it is skipped by name. */
export function castPath(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(foundryFile('cast'))
  } catch {
    return undefined
  }
}
