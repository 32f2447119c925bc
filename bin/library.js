// The core as a library: the build of these very sources, or else the sources. Its types are in `dist/index.d.ts`.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { currentBuild, isNewEnough, whyNoSources } from './built.js'

if (!isNewEnough())
  throw new Error(
    `sluice needs Node 24.15 or newer (or 22.22.2 or newer in 22), and this is ${process.version}. Install it from https://nodejs.org.`,
  )

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const built = currentBuild(root)
const why = built ? undefined : whyNoSources(root)
if (why) throw new Error(why)

export const { AppError, createEngine, createRemote } = await import(
  built ? `../${built}/library.js` : '../src/app/library.ts'
)
