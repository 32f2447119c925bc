import type { KeptProfile, ProfileSecrets, Settings } from '../../cli/settings-files-schema.ts'
import { AppError } from '../../domain/errors.ts'
import { rpcVariable } from '../../domain/networks.ts'
import { isKeyFor } from '../../domain/service-url-and-key.ts'
import { didYouMean } from '../../domain/text/did-you-mean.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { rpcVariables } from './rpc-settings.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The profile in use: `env` is the environment over the saved settings, and `apiKey` the saved key for
 * its own addresses. `announce` is set for the default sandbox. `notice` is a warning for the person.
 */
export type SelectedProfile = {
  name: string
  kind: 'sandbox' | 'engine' | 'remote'
  announce: boolean
  env: Env
  apiKey: string | undefined
  notice: string | undefined
  /** The source of the choice: flag, variable, file, or default. */
  origin: string
}

/** The built-in profiles; their settings are in the environment. */
export const builtInProfiles = ['sandbox', 'engine', 'remote'] as const

/**
 * Selects the profile of a command line: the flag, then SLUICE_PROFILE, then SLUICE_BASE_URL, then the saved choice,
 * then an RPC in the environment, then the sandbox. The environment overrides each setting of the profile.
 */
export async function selectProfile(
  env: Env,
  flag: string | undefined,
  settings: Pick<Settings, 'read' | 'secretsOf'>,
): Promise<SelectedProfile> {
  const named = flag ?? (env.SLUICE_PROFILE || undefined)
  const byName = flag === undefined ? 'SLUICE_PROFILE' : '--profile'
  if (named === undefined && env.SLUICE_BASE_URL) return builtIn(env, 'remote', 'SLUICE_BASE_URL')
  const isBuiltIn = builtInProfiles.find((one) => one === named)
  if (isBuiltIn) return builtIn(env, isBuiltIn, byName)
  const { profile: inUse, profiles = {} } = await settings.read()
  const name = named ?? inUse
  if (name === undefined) {
    const [rpc] = rpcVariables(env)
    return rpc ? builtIn(env, 'engine', rpc) : builtIn(env, 'sandbox', 'default')
  }
  const usual = builtInProfiles.find((one) => one === name)
  const origin = named === undefined ? 'config.json' : byName
  if (usual) return builtIn(env, usual, origin)
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (!found) throw unknown(name, [...builtInProfiles, ...Object.keys(profiles)])
  return { ...kept(env, name, found, await settings.secretsOf(name)), origin }
}

const unknown = (name: string, known: readonly string[]): AppError =>
  new AppError('CONFIG_INVALID', `No profile "${name}"${didYouMean(name, known)}`, {
    next: advice`Known: ${known.join(', ')}. To create one: ${sluice('profile set', { '--help': true })}`,
    details: { profile: name },
  })

function builtIn(env: Env, kind: SelectedProfile['kind'], origin: string): SelectedProfile {
  if (kind === 'engine' && rpcVariables(env).length === 0)
    throw new AppError('CONFIG_INVALID', 'The engine profile needs an RPC for at least one network', {
      next: 'Set SLUICE_RPC_<NETWORK> to an RPC URL, or to several, comma-separated.',
    })
  if (kind === 'remote' && !env.SLUICE_BASE_URL)
    throw new AppError('CONFIG_INVALID', 'The remote profile needs the base URL of the service', {
      next: 'Set SLUICE_BASE_URL and SLUICE_API_KEY.',
    })
  return {
    name: kind,
    kind,
    announce: origin === 'default',
    env,
    apiKey: undefined,
    notice: undefined,
    origin,
  }
}

/** Opens a saved profile. Its API key is for its own URLs: if the environment sets another URL, the key is not used. */
function kept(
  env: Env,
  name: string,
  profile: KeptProfile,
  { apiKey, rpc = {} }: ProfileSecrets,
): Omit<SelectedProfile, 'origin'> {
  const rpcs = Object.fromEntries(
    Object.entries(rpc).map(([network, urls]) => [rpcVariable({ name: network }), urls]),
  )
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value))
  if (profile.kind === 'engine') {
    const { pricesUrl, database } = profile
    const all = {
      ...rpcs,
      ...(pricesUrl && { SLUICE_PRICES_URL: pricesUrl }),
      ...(database && { SLUICE_DATABASE_URL: database }),
      ...given,
    }
    if (rpcVariables(all).length === 0)
      throw new AppError('CONFIG_INVALID', `The profile ${name} has no RPC`, {
        next: advice`Set SLUICE_RPC_<NETWORK>, then save it: ${sluice('profile set', name, { '--from-env': true })}`,
      })
    return { name, kind: 'engine', announce: false, env: all, apiKey: undefined, notice: undefined }
  }
  const { baseUrl, legacyBaseUrl } = profile
  const isElsewhere = Boolean(env.SLUICE_BASE_URL) && env.SLUICE_BASE_URL !== baseUrl
  const own = isElsewhere
    ? {}
    : { SLUICE_BASE_URL: baseUrl, ...(legacyBaseUrl && { SLUICE_LEGACY_BASE_URL: legacyBaseUrl }) }
  const legacyIsElsewhere =
    Boolean(env.SLUICE_LEGACY_BASE_URL) && env.SLUICE_LEGACY_BASE_URL !== legacyBaseUrl
  const other = isElsewhere ? 'SLUICE_BASE_URL' : legacyIsElsewhere ? 'SLUICE_LEGACY_BASE_URL' : undefined
  return {
    name,
    kind: 'remote',
    announce: false,
    env: { ...rpcs, ...own, ...given },
    apiKey: !other && isKeyFor(apiKey, profile) ? apiKey?.key : undefined,
    notice:
      other && `${other} overrides the URL of the profile ${name}; the API key of the profile is not used`,
  }
}
