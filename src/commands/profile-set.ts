import type { Aside } from '../cli/cli.ts'
import type { KeptProfile, ProfileSecrets } from '../cli/config.ts'
import type { FromEnvironment } from '../cli/world.ts'
import { AppError } from '../domain/errors.ts'
import { checkedKey, checkedUrl, isKeyFor } from '../domain/service-address.ts'
import { plain } from '../domain/text.ts'
import { readPrivateFile } from '../wallet/key-source.ts'
import { shownProfile, showProfile } from './profile-shown.ts'

type SetOptions = {
  kind?: string
  baseUrl?: string
  legacyBaseUrl?: string
  apiKeyFile?: string
  fromEnv?: boolean
}

/** `profile set` */
export async function setProfile(cli: Aside, name: string, options: SetOptions): Promise<void> {
  const { ProfileName } = await import('../cli/config.ts')
  if (!ProfileName.safeParse(name).success)
    throw new AppError('USAGE', `"${plain(name)}" cannot be the name of a profile`, {
      hint: 'Small letters, digits, dots, dashes and underscores, 40 at most; sandbox, engine and remote are there already.',
    })
  const { settings } = cli.world
  const config = await settings.read()
  const { profiles: own = {} } = config
  const before = Object.hasOwn(own, name) ? own[name] : undefined
  const given = options.fromEnv ? await cli.world.fromEnvironment() : { rpc: {} }
  const after = profileOf(name, before, options, given)
  const kept = await settings.secretsOf(name)
  const apiKey = await keyOf(cli, options, given)
  if (apiKey !== undefined && after.kind !== 'remote')
    throw new AppError('USAGE', 'Only a remote profile has an API key', { hint: 'Add --base-url URL.' })
  // A key is for the addresses that it was given for, of which it is kept together with.
  const stays = after.kind === 'remote' && isKeyFor(kept.apiKey, after) ? kept.apiKey : undefined
  if (kept.apiKey !== undefined && !stays && apiKey === undefined)
    cli.notice('The key was for other addresses, and is forgotten. Give it again: --api-key-file -')
  const fresh =
    after.kind === 'remote' && apiKey !== undefined ? { key: apiKey, ...addressesOf(after) } : stays
  const secrets: ProfileSecrets = { ...(fresh && { apiKey: fresh }), rpc: { ...kept.rpc, ...given.rpc } }
  await settings.keepSecrets(name, secrets)
  const profiles = { ...own, [name]: after }
  await settings.write({ ...config, profiles })
  showProfile(cli, await shownProfile(cli, { ...config, profiles }, name))
}

const addressesOf = ({ baseUrl, legacyBaseUrl }: Extract<KeptProfile, { kind: 'remote' }>) => ({
  baseUrl,
  ...(legacyBaseUrl !== undefined && { legacyBaseUrl }),
})

function profileOf(
  name: string,
  before: KeptProfile | undefined,
  { kind: typed, baseUrl: typedUrl, legacyBaseUrl: typedLegacy }: SetOptions,
  given: FromEnvironment,
): KeptProfile {
  const baseUrl = typedUrl ?? given.baseUrl ?? (before?.kind === 'remote' ? before.baseUrl : undefined)
  const kind =
    typed ??
    ((typedUrl ?? given.baseUrl)
      ? 'remote'
      : (before?.kind ?? (Object.keys(given.rpc).length > 0 ? 'engine' : undefined)))
  if (kind === undefined)
    throw new AppError('USAGE', `What kind of profile ${name} is was not said`, {
      hint: `sluice profile set ${name} --base-url https://..., or with RPCs in the environment: sluice profile set ${name} --from-env`,
    })
  if (kind === 'engine') {
    if (typedUrl !== undefined || typedLegacy !== undefined)
      throw new AppError('USAGE', 'A profile of kind engine has no base URL', { hint: 'Leave --kind out.' })
    return { kind }
  }
  if (kind !== 'remote')
    throw new AppError('USAGE', `There is no kind of profile "${plain(kind)}"`, {
      hint: 'engine or remote; the sandbox needs no settings: sluice profile use sandbox',
    })
  if (baseUrl === undefined)
    throw new AppError('USAGE', `Where the service of ${name} is was not said`, {
      hint: '--base-url https://...',
    })
  const checked = checkedUrl(baseUrl, 'base URL')
  // The older pages of another deployment are nothing to this one.
  const same = before?.kind === 'remote' && before.baseUrl === checked ? before.legacyBaseUrl : undefined
  const legacy = typedLegacy === 'none' ? undefined : (typedLegacy ?? given.legacyBaseUrl ?? same)
  return {
    kind,
    baseUrl: checked,
    ...(legacy !== undefined && { legacyBaseUrl: checkedUrl(legacy, 'legacy base URL') }),
  }
}

async function keyOf(
  cli: Aside,
  { apiKeyFile }: SetOptions,
  given: FromEnvironment,
): Promise<string | undefined> {
  if (apiKeyFile === undefined) return given.apiKey === undefined ? undefined : checkedKey(given.apiKey)
  return checkedKey((apiKeyFile === '-' ? await cli.world.stdin() : readPrivateFile(apiKeyFile)).trim())
}
