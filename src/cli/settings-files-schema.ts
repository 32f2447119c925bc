import { z } from 'zod'
import { schemaMismatchText } from '../domain/schema-mismatch-text.ts'

/** The name of a profile of one's own. */
export const ProfileName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,39}$/)
  .refine((name) => !['sandbox', 'engine', 'remote'].includes(name))

/** Where a deployment of the service is, or that the engine in this process answers. Keys and RPCs are kept beside it. */
export const KeptProfile = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('remote'),
    baseUrl: z.string(),
    /** Where the older pages are, if they are elsewhere. */
    legacyBaseUrl: z.string().optional(),
  }),
  z.strictObject({
    kind: z.literal('engine'),
    /** The base URL of the USD price source for tokens without an on-chain price; none is used without it. */
    pricesUrl: z.string().optional(),
    /** The database of `serve`: a SQLite file, or the URL of a PostgreSQL database without a password. */
    database: z.string().optional(),
  }),
])
export type KeptProfile = z.output<typeof KeptProfile>

/** The content of `config.json`; it has no secrets. */
export const Config = z.strictObject({
  /** The profile that answers when nothing else names one. */
  profile: z.string().optional(),
  /** The keystore that signs when nothing else names one. */
  wallet: z.string().optional(),
  profiles: z.record(ProfileName, KeptProfile).optional(),
  /** The keystores whose password is in the desktop keychain, with the name of each entry. */
  passwords: z.record(z.string(), z.string()).optional(),
})
export type Config = z.output<typeof Config>

/** The secrets of a profile: the API key of its deployment, and RPC URLs by network, which may contain tokens. */
export const ProfileSecrets = z.strictObject({
  /** The addresses that the API key was saved for. It is sent to no other address, even if the profile changes. */
  apiKey: z
    .strictObject({ key: z.string(), baseUrl: z.string(), legacyBaseUrl: z.string().optional() })
    .optional(),
  rpc: z.record(z.string(), z.string()).optional(),
})
export type ProfileSecrets = z.output<typeof ProfileSecrets>

/** Secrets in the desktop keychain: the name of the entry, and its parts that are not confidential. */
const InKeychain = z.strictObject({
  keychain: z.string(),
  /** The addresses that a key is for, where there is one. */
  keyFor: z.strictObject({ baseUrl: z.string(), legacyBaseUrl: z.string().optional() }).optional(),
  /** The networks that there are RPC URLs for. */
  networks: z.array(z.string()),
})

/** The content of `secrets.json`, by profile; only its user can read the file. */
export const SecretsFile = z.record(ProfileName, z.union([ProfileSecrets, InKeychain]))
export type SecretsFile = z.output<typeof SecretsFile>

/** Where something confidential is kept: in `secrets.json`, or in the keychain of the desktop. */
export type SecretsStorage = 'file' | 'keychain'

/** The public part of a profile's secrets, readable without opening them; `storage` is `null` without secrets. */
export type SecretsOutline = { storage: SecretsStorage | null } & Pick<
  z.output<typeof InKeychain>,
  'keyFor' | 'networks'
>

/** Describes on one line how a file does not match its schema; `undefined` for any other error. */
export const misfitOf = (cause: unknown): string | undefined =>
  cause instanceof z.ZodError ? schemaMismatchText(cause) : undefined

/** Settings that are not flags, and where they are kept. */
export type Settings = {
  read: () => Promise<Config>
  write: (config: Config) => Promise<void>
  /** Runs work under the settings lock, so that two processes never change the settings at once. */
  alone: <value>(work: () => Promise<value>) => Promise<value>
  path: string
  /** Reads the secrets of a profile. */
  secretsOf: (profile: string) => Promise<ProfileSecrets>
  /** Reads the public part of the secrets without opening them. */
  outlineOf: (profile: string) => Promise<SecretsOutline>
  /**
   * Saves the secrets in their own file (0600) or in the keychain; where they already are without
   * `storage`. `undefined` deletes them.
   */
  keepSecrets: (
    profile: string,
    secrets: ProfileSecrets | undefined,
    backend?: SecretsStorage | undefined,
  ) => Promise<void>
  /** Whether a working keychain is available. */
  hasKeychain: () => Promise<boolean>
  /** The password of a keystore, where it is in the keychain. */
  passwordOf: (wallet: string) => Promise<string | undefined>
  /** Saves a password in the keychain. `undefined` deletes it, and the answer says whether there was one. */
  keepPassword: (wallet: string, password: string | undefined) => Promise<boolean>
}
