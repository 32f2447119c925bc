import { join } from 'node:path'

/** A file of the build of a clone. */
export const builtFile = (root: string, name = ''): string => join(root, 'dist', 'app', name)
