import type { LocalCli } from '../../cli/command-run-types.ts'
import type { Config, SecretsStorage } from '../../cli/settings-files-schema.ts'
import type { Stream } from '../../cli/terminal/io-types.ts'
import { fieldTable } from '../../cli/terminal/table.ts'
import { AppError } from '../../domain/errors.ts'
import { isKeyFor } from '../../domain/service-url-and-key.ts'
import { didYouMean } from '../../domain/text/did-you-mean.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'

type Kind = 'sandbox' | 'engine' | 'remote'

/** A profile as it is shown: whether it has a key, and never the key. */
type Shown = {
  name: string
  kind: Kind
  current: boolean
  baseUrl: string | null
  legacyBaseUrl: string | null
  /** The source of prices that the chains do not have. */
  pricesUrl: string | null
  /** The database of `serve`, without a password. */
  database: string | null
  hasApiKey: boolean
  /** The networks that it has RPCs for. */
  networks: string[]
  /** Where its key and its RPCs are. */
  secretsIn: SecretsStorage | null
}

/** Shows a built-in or saved profile; another name is CONFIG_INVALID. */
export async function shownProfile(cli: LocalCli, config: Config, name: string): Promise<Shown> {
  const { settings } = cli.program
  const current = (config.profile ?? 'sandbox') === name
  const none = {
    name,
    current,
    baseUrl: null,
    legacyBaseUrl: null,
    pricesUrl: null,
    database: null,
    hasApiKey: false,
    networks: [],
    secretsIn: null,
  }
  if (name === 'sandbox') return { ...none, kind: 'sandbox' }
  if (name === 'engine' || name === 'remote') {
    const { baseUrl, legacyBaseUrl, apiKey, rpc } = await cli.program.fromEnvironment()
    const service = {
      baseUrl: baseUrl ?? null,
      legacyBaseUrl: legacyBaseUrl ?? null,
      hasApiKey: apiKey !== undefined,
    }
    return { ...none, ...(name === 'remote' && service), kind: name, networks: Object.keys(rpc) }
  }
  const { profiles = {} } = config
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (!found) throw unknownProfile(name, config)
  // A list does not ask to unlock the keychain.
  const { keyFor, networks, storage: secretsIn } = await settings.outlineOf(name)
  if (found.kind === 'engine')
    return {
      ...none,
      kind: found.kind,
      pricesUrl: found.pricesUrl ?? null,
      database: found.database ?? null,
      networks,
      secretsIn,
    }
  const { kind, baseUrl, legacyBaseUrl = null } = found
  return { ...none, kind, baseUrl, legacyBaseUrl, hasApiKey: isKeyFor(keyFor, found), networks, secretsIn }
}

export function unknownProfile(name: string, { profiles = {} }: Config): AppError {
  const known = ['sandbox', 'engine', 'remote', ...Object.keys(profiles)]
  return new AppError('CONFIG_INVALID', `No profile "${sanitizeText(name)}"${didYouMean(name, known)}`, {
    next: advice`Known: ${known.join(', ')}. To create one: ${sluice('profile set', 'NAME', { '--base-url': 'URL' })}`,
  })
}

/** One profile in words. */
export const profileView = (
  { name, kind, current, baseUrl, legacyBaseUrl, pricesUrl, database, hasApiKey, networks, secretsIn }: Shown,
  to: Stream,
): string =>
  fieldTable(
    [
      ['profile', `${sanitizeText(name)}${current ? ' (in use)' : ''}`],
      ['kind', kind],
      baseUrl !== null && ['base url', sanitizeText(baseUrl)],
      legacyBaseUrl !== null && ['legacy base url', sanitizeText(legacyBaseUrl)],
      kind === 'remote' && ['api key', hasApiKey ? 'set, not shown' : 'none'],
      pricesUrl !== null && ['prices', sanitizeText(pricesUrl)],
      database !== null && ['database', sanitizeText(database)],
      ['rpcs', networks.length === 0 ? 'none' : sanitizeText(networks.join(', '))],
      secretsIn === 'keychain' && ['secrets', 'in the desktop keychain'],
    ],
    to,
  )

/** Ends a command with one profile. */
export const showProfile = (cli: LocalCli, value: Shown): void => cli.emit(value, profileView)
