// The core as a library: the build of these very sources, or else the sources. Its types are in `src/index.ts`.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { currentBuild } from './built.js'

const built = currentBuild(join(dirname(fileURLToPath(import.meta.url)), '..'))

export const { AppError, createEngine, createRemote } = await import(
  built ? `../${built}/index.js` : '../src/index.ts'
)
