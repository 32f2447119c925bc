import { z } from 'zod'

/** What `config.json` holds: no secrets. */
export const Config = z.strictObject({
  /** The profile that answers when nothing else names one. */
  profile: z.string().optional(),
  /** The keystore that signs when nothing else names one. */
  wallet: z.string().optional(),
})
export type Config = z.output<typeof Config>
