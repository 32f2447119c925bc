import { createRequire } from 'node:module'
import { foundryFile } from '../../../src/sandbox/anvil.ts'

/** The path of the optional program `cast`; `undefined` if it is missing, and then its tests are skipped. */
export function castPath(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(foundryFile('cast'))
  } catch {
    return undefined
  }
}
