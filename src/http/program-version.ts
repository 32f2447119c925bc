import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The version of the program, from its `package.json`, which is two folders above the source and the build alike. */
export const programVersion = (
  JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8')) as {
    version: string
  }
).version
