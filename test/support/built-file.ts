import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of the build that the stamp of a clone names. */
export const builtFile = (root: string, name = ''): string =>
  join(root, readFileSync(join(root, 'dist', 'stamp'), 'utf8').split('\t')[0]!, name)
