import { z } from 'zod'

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
  z.strictObject({ kind: z.literal('engine') }),
])
export type KeptProfile = z.output<typeof KeptProfile>

/** What `config.json` holds: no secrets. */
export const Config = z.strictObject({
  /** The profile that answers when nothing else names one. */
  profile: z.string().optional(),
  /** The keystore that signs when nothing else names one. */
  wallet: z.string().optional(),
  profiles: z.record(ProfileName, KeptProfile).optional(),
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

/** What `secrets.json` holds, by profile; the file is its user's alone. */
export const SecretsFile = z.record(ProfileName, ProfileSecrets)

/** What a file has that does not fit, on one line; `undefined` for an error that is about something else. */
export const misfit = (cause: unknown): string | undefined =>
  cause instanceof z.ZodError ? z.prettifyError(cause).replace(/\s*\n\s*/g, ' ') : undefined

/** Settings that are not flags, and where they are kept. */
export type Settings = {
  read: () => Promise<Config>
  write: (config: Config) => Promise<void>
  /** Reads and writes with nobody else between them: of two that change something at once, one waits for the other. */
  alone: <value>(work: () => Promise<value>) => Promise<value>
  path: string
  /** What is kept in confidence for a profile. */
  secretsOf: (profile: string) => Promise<ProfileSecrets>
  /** Keeps that in a file of its own (0600); `undefined` forgets it. */
  keepSecrets: (profile: string, secrets: ProfileSecrets | undefined) => Promise<void>
}
