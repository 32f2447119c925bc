import type { Globals } from '../cli/globals.ts'
import type { Io } from '../cli/io.ts'
import type { Settings } from '../cli/world.ts'
import type { Desk } from '../wallet/signing/words.ts'
import type { Directories } from './directories.ts'
import type { Secrets } from './secrets.ts'

/** What every profile is put together from. */
export type PlaceNeeds = {
  version: string
  dirs: Directories
  env: Readonly<Record<string, string | undefined>>
  settings: Settings
  secrets: Secrets
  desk: () => Promise<Desk>
  io: Io
  globals: Globals
  /** When all that a command reads must be read, on the monotonic clock; `undefined` is no limit. */
  until: number | undefined
  now: () => number
  newId: () => string
}
