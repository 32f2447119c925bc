import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { companionFolder, isClone } from '../../store/companion-package.ts'

/**
 * Returns the folder that has the contracts of the sandbox in `contracts` and `published`: `src/sandbox` in a clone, else the package
 * `@sluice-cli/sandbox`. Throws ANVIL_NOT_FOUND with the command that installs that package.
 */
export const sandboxData = (): string =>
  isClone() ? join(import.meta.dirname, '..') : companionFolder('sandbox', 'ANVIL_NOT_FOUND')

/** Returns the key of genesis that `npm run pack:all` wrote into the package; undefined in a clone, where contracts may change. */
export const packedGenesisKey = (): string | undefined =>
  isClone() ? undefined : readFileSync(join(sandboxData(), 'genesis-key'), 'utf8').trim()
