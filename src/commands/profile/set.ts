import type { LocalCli } from '../../cli/command-run-types.ts'
import type { FromEnvironment } from '../../cli/program-context-types.ts'
import type { KeptProfile, ProfileSecrets } from '../../cli/settings-files-schema.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import {
  checkedApiKey,
  checkedPricesUrl,
  checkedServiceUrl,
  isKeyFor,
} from '../../domain/service-url-and-key.ts'
import { refuseDatabasePassword } from '../../domain/text/database-url.ts'
import { advice, sameWith, sameWithout, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { readPrivateFile } from '../../signing/read-private-file.ts'
import { shownProfile, showProfile } from './show.ts'

/** The profile flags. */
type SetOptions = OptionsOf<'profile set'>

/** The settings and secrets given for a profile, before they are merged with the saved ones. */
export type Said = { options: SetOptions; given: FromEnvironment; apiKey: string | undefined }

/** `profile set` */
export async function setProfile(cli: LocalCli, name: string, options: SetOptions): Promise<void> {
  const { settings } = cli.program
  const said = await saidBy(cli, options)
  const config = await settings.alone(async () => keepProfile(cli, await changeOf(cli, name, said), said))
  showProfile(cli, await shownProfile(cli, config, name))
}

/** Reads the profile settings from flags, files and the environment. */
export async function saidBy(cli: LocalCli, options: SetOptions): Promise<Said> {
  const given = options.fromEnv ? await cli.program.fromEnvironment() : { rpc: {} }
  return { options, given, apiKey: await keyOf(cli, options, given) }
}

/** A profile as it is, if it is there, and as it is to be, each with its secrets. `isForgotten`: its key was for other addresses. */
export type Change = {
  name: string
  before: KeptProfile | undefined
  after: KeptProfile
  had: ProfileSecrets
  secrets: ProfileSecrets
  isForgotten: boolean
}

/** Merges the given settings into a profile; the others stay. Nothing is saved. */
export async function changeOf(
  { program }: LocalCli,
  name: string,
  { options, given, apiKey }: Said,
): Promise<Change> {
  const { ProfileName } = await import('../../cli/settings-files-schema.ts')
  if (!ProfileName.safeParse(name).success)
    throw new AppError('USAGE', `"${sanitizeText(name)}" is not a valid profile name`, {
      next: 'Use at most 40 lowercase letters, digits, dots, dashes and underscores; sandbox, engine and remote are reserved.',
    })
  const { profiles: own = {} } = await program.settings.read()
  const before = Object.hasOwn(own, name) ? own[name] : undefined
  const after = profileOf(name, before, options, given)
  const kept = await program.settings.secretsOf(name)
  if (apiKey !== undefined && after.kind !== 'remote')
    throw new AppError('USAGE', 'Only a remote profile has an API key', {
      next: advice`For a remote service: ${sameWith({ '--base-url': 'URL' }, '--kind')}`,
    })
  // An API key is saved with the addresses that it is for.
  const stays = after.kind === 'remote' && isKeyFor(kept.apiKey, after) ? kept.apiKey : undefined
  const fresh =
    after.kind === 'remote' && apiKey !== undefined ? { key: apiKey, ...addressesOf(after) } : stays
  const secrets: ProfileSecrets = { ...(fresh && { apiKey: fresh }), rpc: { ...kept.rpc, ...given.rpc } }
  const isForgotten = kept.apiKey !== undefined && fresh === undefined
  return { name, before, after, had: kept, secrets, isForgotten }
}

/** Writes it: secrets first, for a profile without them must not be where the next command runs. */
export async function keepProfile(
  cli: LocalCli,
  { name, after, secrets, isForgotten }: Change,
  { options: { keychain } }: Said,
) {
  const { settings } = cli.program
  if (isForgotten)
    cli.notice(
      advice`The API key was for other URLs and was removed. To set it again: ${sluice('profile set', name, { '--api-key-file': '-' })}`,
    )
  const backend = keychain === undefined ? undefined : keychain ? 'keychain' : 'file'
  await settings.keepSecrets(name, secrets, backend)
  const config = await settings.read()
  const next = { ...config, profiles: { ...config.profiles, [name]: after } }
  await settings.write(next)
  return next
}

const addressesOf = ({ baseUrl, legacyBaseUrl }: Extract<KeptProfile, { kind: 'remote' }>) => ({
  baseUrl,
  ...(legacyBaseUrl !== undefined && { legacyBaseUrl }),
})
function profileOf(
  name: string,
  before: KeptProfile | undefined,
  {
    kind: typed,
    baseUrl: typedUrl,
    legacyBaseUrl: typedLegacy,
    pricesUrl: typedPrices,
    database: typedDatabase,
  }: SetOptions,
  given: FromEnvironment,
): KeptProfile {
  const baseUrl = typedUrl ?? given.baseUrl ?? (before?.kind === 'remote' ? before.baseUrl : undefined)
  const kind =
    typed ??
    ((typedUrl ?? given.baseUrl)
      ? 'remote'
      : (before?.kind ?? (Object.keys(given.rpc).length > 0 ? 'engine' : undefined)))
  if (kind === undefined)
    throw new AppError('USAGE', `Profile ${name} needs a kind`, {
      next: advice`${sluice('profile set', name, { '--base-url': 'https://api.example.com' })}, or set SLUICE_BASE_URL or SLUICE_RPC_<NETWORK>, then: ${sluice('profile set', name, { '--from-env': true })}`,
    })
  if (kind === 'engine') {
    if (typedUrl !== undefined || typedLegacy !== undefined)
      throw new AppError('USAGE', 'An engine profile has no base URL', { next: sameWithout('--kind') })
    const same = before?.kind === 'engine' ? before.pricesUrl : undefined
    const prices = typedPrices === 'none' ? undefined : (typedPrices ?? same)
    const sameDatabase = before?.kind === 'engine' ? before.database : undefined
    const database = typedDatabase === 'none' ? undefined : (typedDatabase ?? sameDatabase)
    if (database !== undefined) refuseDatabasePassword(database, 'on the command line')
    return {
      kind,
      ...(prices !== undefined && { pricesUrl: checkedPricesUrl(prices, 'prices URL') }),
      ...(database !== undefined && { database }),
    }
  }
  if (typedDatabase !== undefined)
    throw new AppError('USAGE', 'Only an engine profile has a database', {
      next: advice`A remote service has its own: ${sameWithout('--database')}`,
    })
  if (typedPrices !== undefined)
    throw new AppError('USAGE', 'Only an engine profile uses a price API', {
      next: advice`A remote service provides prices itself: ${sameWithout('--prices-url')}`,
    })
  if (kind !== 'remote')
    throw new AppError('USAGE', `Unknown kind of profile "${sanitizeText(kind)}"`, {
      next: advice`Use engine or remote. The sandbox needs no settings: ${sluice('profile use', 'sandbox')}`,
    })
  if (baseUrl === undefined)
    throw new AppError('USAGE', `Profile ${name} needs the base URL of the service`, {
      next: sameWith({ '--base-url': 'URL' }),
    })
  const checked = checkedServiceUrl(baseUrl, 'base URL')
  // The older pages of another deployment are nothing to this one.
  const same = before?.kind === 'remote' && before.baseUrl === checked ? before.legacyBaseUrl : undefined
  const legacy = typedLegacy === 'none' ? undefined : (typedLegacy ?? given.legacyBaseUrl ?? same)
  return {
    kind,
    baseUrl: checked,
    ...(legacy !== undefined && { legacyBaseUrl: checkedServiceUrl(legacy, 'legacy base URL') }),
  }
}

async function keyOf(
  cli: LocalCli,
  { apiKeyFile }: SetOptions,
  given: FromEnvironment,
): Promise<string | undefined> {
  if (apiKeyFile === undefined) return given.apiKey === undefined ? undefined : checkedApiKey(given.apiKey)
  return checkedApiKey((apiKeyFile === '-' ? await cli.program.stdin() : readPrivateFile(apiKeyFile)).trim())
}
