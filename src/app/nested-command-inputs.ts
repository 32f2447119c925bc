import type { Interrupt, ProfileDraft, RunAs } from '../cli/program-context-types.ts'
import type { Settings } from '../cli/settings-files-schema.ts'
import { AppError } from '../domain/errors.ts'
import { advice, sluice } from '../domain/text/next-step.ts'
import type { Secrets } from './environment-secrets-type.ts'

type Env = Readonly<Record<string, string | undefined>>
type Inputs = { env: Env; settings: Settings; secrets: Secrets }

/** Returns the inputs with a draft profile saved and without the environment variables that would override it. */
export const draftInputs = (
  { name, profile, secrets: own }: ProfileDraft,
  { env, settings, secrets }: Inputs,
): Inputs => ({
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

/** Returns the inputs that a nested command line overrides. */
export const derivedInputs = (
  how: RunAs,
  {
    env,
    secrets,
    settings,
    interrupt,
  }: { env: Env; secrets: Secrets; settings: Settings; interrupt: Interrupt },
) =>
  how.as === 'newcomer'
    ? { env: inSandbox(env), secrets: noSecrets, settings: noSettings }
    : {
        secrets: {
          ...noSecrets,
          apiKey: secrets.apiKey,
          serviceKeys: secrets.serviceKeys,
          rpcHeaders: secrets.rpcHeaders,
        },
        settings: { ...settings, passwordOf: async () => undefined },
        signingService: keyless,
        stdin: async () => how.stdin,
        quiet: true,
        interrupt: { ...interrupt, signal: AbortSignal.any([interrupt.signal, how.signal]) },
      }

/** Replaces the signing service: no process that holds keys is started. */
async function keyless(): Promise<never> {
  throw new AppError('KEY_REQUIRED', 'This server never signs; it only reads and plans', {
    next: advice`Give the wallet as an address; a person signs the plan: ${sluice('action submit', 'plan.json')}`,
  })
}

/** The environment with the sandbox as its only profile. */
const inSandbox = (env: Env) => ({
  ...Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => name !== 'SLUICE_PROFILE' && name !== 'SLUICE_BASE_URL' && !name.startsWith('SLUICE_RPC_'),
    ),
  ),
  SLUICE_PROFILE: 'sandbox',
})

const noSecrets: Secrets = { hasPrivateKey: false, password: undefined, apiKey: undefined }
const noSettings: Settings = {
  path: '',
  read: async () => ({}),
  write: async () => undefined,
  alone: (work) => work(),
  secretsOf: async () => ({}),
  outlineOf: async () => ({ storage: null, networks: [] }),
  keepSecrets: async () => undefined,
  hasKeychain: async () => false,
  passwordOf: async () => undefined,
  keepPassword: async () => false,
}
