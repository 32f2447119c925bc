import type { Settings } from '../cli/config.ts'
import type { Globals } from '../cli/globals.ts'
import type { Io } from '../cli/terminal/io.ts'

import type { Desk } from '../wallet/keys/words.ts'
import type { Directories } from './directories.ts'
import type { Secrets } from './secrets.ts'

/** Takes what was opened, and gives it back: whoever runs one command after the other closes it afterwards. */
export type Keep = <thing extends { close: () => unknown }>(thing: thing) => thing

/** What every profile is put together from. */
export type PlaceNeeds = {
  /** The name of the profile. */
  profile: string
  version: string
  dirs: Directories
  /** The environment, over what the profile keeps. */
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
  keep: Keep
}
