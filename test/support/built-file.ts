import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of the build named by the stamp of a clone. */
export const builtFile = (root: string, name = ''): string =>
  join(root, readFileSync(join(root, 'dist', 'stamp'), 'utf8').split('\t')[0]!, name)
