// The core as a library. Its types are in `dist/index.d.ts`.
import { isNewEnough } from './node-version.js'

if (!isNewEnough())
  throw new Error(
    `sluice needs Node 24.15 or newer (or 22.22.2 or newer in 22), and this is ${process.version}. Install it from https://nodejs.org.`,
  )

export const { AppError, createEngine, createRemote } = await import('../dist/app/library.js')
