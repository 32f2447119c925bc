import type { Globals } from '../../cli/options/global-options.ts'
import type { Settings } from '../../cli/settings-files-schema.ts'
import type { Io } from '../../cli/terminal/io-types.ts'
import type { SigningService } from '../../signing/signing-service-protocol.ts'
import type { Secrets } from '../environment-secrets.ts'
import type { Directories } from '../profiles/directories.ts'

/** Takes what was opened, and gives it back: whoever runs one command after the other closes it afterwards. */
export type Keep = <thing extends { close: () => unknown }>(thing: thing) => thing

/** What every profile is put together from. */
export type BackendInputs = {
  /** The name of the profile. */
  profile: string
  version: string
  dirs: Directories
  /** The environment, over what the profile keeps. */
  env: Readonly<Record<string, string | undefined>>
  settings: Settings
  secrets: Secrets
  desk: () => Promise<SigningService>
  io: Io
  globals: Globals
  /** When all that a command reads must be read, on the monotonic clock; `undefined` is no limit. */
  until: number | undefined
  now: () => number
  newId: () => string
  keep: Keep
}
