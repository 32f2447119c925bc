import type { Globals } from '../../cli/options/global-options.ts'
import type { Settings } from '../../cli/settings-files-schema.ts'
import type { Io } from '../../cli/terminal/io-types.ts'
import type { SigningService } from '../../signing/signing-service-protocol.ts'
import type { Secrets } from '../environment-secrets-type.ts'
import type { Directories } from '../profiles/directories.ts'

/** Registers an opened resource and returns it. A process that runs several commands closes it after its command. */
export type RegisterResource = <thing extends { close: () => unknown }>(thing: thing) => thing

/** The inputs that every profile is built from. */
export type BackendInputs = {
  /** The name of the profile. */
  profile: string
  version: string
  dirs: Directories
  /** The environment over the profile's saved settings. */
  env: Readonly<Record<string, string | undefined>>
  settings: Settings
  secrets: Secrets
  signingService: () => Promise<SigningService>
  /** The text of standard input. */
  stdin: () => Promise<string>
  io: Io
  globals: Globals
  now: () => number
  newId: () => string
  keep: RegisterResource
}
