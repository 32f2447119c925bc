import type { Settings } from '../../cli/config-schema.ts'
import type { Draft } from '../../cli/world.ts'
import type { Secrets } from './secrets.ts'

type Env = Readonly<Record<string, string | undefined>>
type Ground = { env: Env; settings: Settings; secrets: Secrets }

/** What a profile stands on that is not kept yet: as if it were, and with nothing of the environment that would stand in for its own. */
export const asKept = (
  { name, profile, secrets: own }: Draft,
  { env, settings, secrets }: Ground,
): Ground => ({
  env: Object.fromEntries(
    Object.entries(env).filter(
      ([variable]) => !/^SLUICE_(PROFILE|(LEGACY_)?BASE_URL|RPC_\w+)$/.test(variable),
    ),
  ),
  secrets: { ...secrets, apiKey: undefined },
  settings: {
    ...settings,
    read: async () => {
      const config = await settings.read()
      return { ...config, profiles: { ...config.profiles, [name]: profile } }
    },
    secretsOf: async (one) => (one === name ? own : settings.secretsOf(one)),
  },
})
