import { z } from 'zod'
import { misfit } from '../domain/schema-mismatch.ts'

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
    /** Who is asked for USD prices that the chains do not say; without it, nobody. */
    pricesUrl: z.string().optional(),
  }),
])
export type KeptProfile = z.output<typeof KeptProfile>

/** What `config.json` holds: no secrets. */
export const Config = z.strictObject({
  /** The profile that answers when nothing else names one. */
  profile: z.string().optional(),
  /** The keystore that signs when nothing else names one. */
  wallet: z.string().optional(),
  profiles: z.record(ProfileName, KeptProfile).optional(),
  /** The keystores whose password is in the keychain of the desktop, each with its name there. */
  passwords: z.record(z.string(), z.string()).optional(),
})
export type Config = z.output<typeof Config>

/** What is confidential about a profile: the key of its deployment, and RPC URLs by network, which may hold tokens. */
export const ProfileSecrets = z.strictObject({
  /** Kept together with the addresses that it was given for: it goes to no others, whatever the profile says later. */
  apiKey: z
    .strictObject({ key: z.string(), baseUrl: z.string(), legacyBaseUrl: z.string().optional() })
    .optional(),
  rpc: z.record(z.string(), z.string()).optional(),
})
export type ProfileSecrets = z.output<typeof ProfileSecrets>

/** Of secrets that are in the keychain of the desktop: under which name, and what of them is not confidential. */
const InKeychain = z.strictObject({
  keychain: z.string(),
  /** The addresses that a key is for, where there is one. */
  keyFor: z.strictObject({ baseUrl: z.string(), legacyBaseUrl: z.string().optional() }).optional(),
  /** The networks that there are RPC URLs for. */
  networks: z.array(z.string()),
})

/** What `secrets.json` holds, by profile; the file is its user's alone. */
export const SecretsFile = z.record(ProfileName, z.union([ProfileSecrets, InKeychain]))
export type SecretsFile = z.output<typeof SecretsFile>

/** Where something confidential is kept: in `secrets.json`, or in the keychain of the desktop. */
export type SecretsStorage = 'file' | 'keychain'

/** What is known of the secrets of a profile without opening them; `null` is the place of none. */
export type SecretsOutline = { storage: SecretsStorage | null } & Pick<
  z.output<typeof InKeychain>,
  'keyFor' | 'networks'
>

/** What a file has that does not fit, on one line; `undefined` for an error that is about something else. */
export const misfitOf = (cause: unknown): string | undefined =>
  cause instanceof z.ZodError ? misfit(cause) : undefined

/** Settings that are not flags, and where they are kept. */
export type Settings = {
  read: () => Promise<Config>
  write: (config: Config) => Promise<void>
  /** Reads and writes with nobody else between them: of two that change something at once, one waits for the other. */
  alone: <value>(work: () => Promise<value>) => Promise<value>
  path: string
  /** What is kept in confidence for a profile. */
  secretsOf: (profile: string) => Promise<ProfileSecrets>
  /** What can be said of it without opening it. */
  outlineOf: (profile: string) => Promise<SecretsOutline>
  /** Keeps that in a file of its own (0600) or in the keychain, where nothing is said in the place where it is; `undefined` forgets it. */
  keepSecrets: (
    profile: string,
    secrets: ProfileSecrets | undefined,
    backend?: SecretsStorage | undefined,
  ) => Promise<void>
  /** Whether there is a keychain that keeps what it is given. */
  hasKeychain: () => Promise<boolean>
  /** The password of a keystore, where it is in the keychain. */
  passwordOf: (wallet: string) => Promise<string | undefined>
  /** Keeps it there; `undefined` forgets it, and says whether there was one. */
  keepPassword: (wallet: string, password: string | undefined) => Promise<boolean>
}
