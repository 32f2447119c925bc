import type { Settings } from '../cli/config-schema.ts'
import type { Interrupt, RunAs } from '../cli/world.ts'
import { AppError } from '../domain/errors.ts'
import type { Secrets } from './profiles/secrets.ts'

type Env = Readonly<Record<string, string | undefined>>

/** What another command line of this program is given instead of what this one was. */
export const givenAs = (
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
        secrets: { ...noSecrets, apiKey: secrets.apiKey },
        settings: { ...settings, passwordOf: async () => undefined },
        desk: keyless,
        stdin: async () => how.stdin,
        quiet: true,
        interrupt: { ...interrupt, signal: AbortSignal.any([interrupt.signal, how.signal]) },
      }

/** In the place of the desk: no process that holds keys is ever begun. */
async function keyless(): Promise<never> {
  throw new AppError('KEY_REQUIRED', 'This server never signs; it only reads and plans', {
    hint: 'Give the wallet as an address; a person signs the plan: sluice action submit plan.json',
  })
}

/** The environment with nothing in it that says where commands run but the sandbox. */
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
  outlineOf: async () => ({ place: null, networks: [] }),
  keepSecrets: async () => undefined,
  hasKeychain: async () => false,
  passwordOf: async () => undefined,
  keepPassword: async () => false,
}
