import type { SettingOrigin } from '../../cli/program-context-types.ts'
import type { Settings } from '../../cli/settings-files-schema.ts'
import { allNetworks, rpcVariable } from '../../domain/networks.ts'
import { isPostgresUrl } from '../../domain/text/database-url.ts'
import {
  keyedServices,
  keyVariable,
  type PublicService,
  publicServiceNames,
  publicServices,
  serviceVariable,
} from '../../protocols/public-services.ts'
import type { Secrets } from '../environment-secrets-type.ts'
import type { Directories } from './directories.ts'
import { selectProfile } from './profile-selection.ts'
import { rpcHeadersVariable } from './rpc-headers.ts'
import { suggestedNetwork } from './rpc-settings.ts'
import { withoutSecrets } from './saved-secrets.ts'

type Needs = {
  env: Readonly<Record<string, string | undefined>>
  dirs: Directories
  secrets: Secrets
  settings: Settings
}

/** Removes credentials and query from a URL, because they may be secret. */
function shownUrl(value: string): string {
  const url = URL.parse(value)
  if (!url) return 'not a URL'
  const isPlain = !url.username && !url.password && !url.search && !url.hash
  return isPlain ? value : `${url.origin}${url.pathname} (query omitted)`
}

/** A SQLite file, or the host and name of a PostgreSQL database; the rest of a URL may be secret. */
function shownDatabase(value: string): string {
  if (!isPostgresUrl(value)) return value
  const url = URL.parse(value)
  return url ? `postgres://${url.host}${url.pathname}` : 'not a URL'
}

/** The URL of a public service that is asked, such as of a swap provider. */
const serviceRow =
  (env: Needs['env']) =>
  (name: PublicService): SettingOrigin => {
    const variable = serviceVariable(name)
    const set = env[variable]
    const value = set ? set.split(',').map(shownUrl).join(', ') : publicServices[name].base
    return { name: `${name} url`, value, origin: set ? variable : 'default' }
  }

/** Lists the effective settings and their sources. A secret is shown only as set, an RPC only as its host. */
export async function settingOrigins(
  flag: string | undefined,
  { env, dirs, secrets, settings }: Needs,
): Promise<SettingOrigin[]> {
  const closed = await selectProfile(env, flag, withoutSecrets(settings))
  const { storage: backend } = await settings.outlineOf(closed.name)
  // Listing settings does not unlock the keychain.
  const chosen = backend === 'file' ? await selectProfile(env, flag, settings) : closed
  const { wallet, passwords = {} } = await settings.read()
  const said = (variable: string): string => (env[variable] ? variable : `profile ${chosen.name}`)
  const kept = `profile ${chosen.name}, in ${backend === 'keychain' ? 'the keychain' : 'secrets.json'}`
  const directory = (name: keyof Directories, xdg: string): SettingOrigin => ({
    name: `${name} directory`,
    value: dirs[name],
    origin: env.SLUICE_HOME ? 'SLUICE_HOME' : env[xdg] ? xdg : 'default',
  })
  const urls = (['SLUICE_BASE_URL', 'SLUICE_LEGACY_BASE_URL'] as const).flatMap(
    (variable): SettingOrigin[] => {
      const value = chosen.env[variable]
      const name = variable === 'SLUICE_BASE_URL' ? 'base url' : 'legacy base url'
      return value && chosen.kind === 'remote'
        ? [{ name, value: shownUrl(value), origin: said(variable) }]
        : []
    },
  )
  const { SLUICE_PRICES_URL: asked } = chosen.env
  const prices: SettingOrigin[] =
    asked && chosen.kind === 'engine'
      ? [{ name: 'prices url', value: shownUrl(asked), origin: said('SLUICE_PRICES_URL') }]
      : []
  const databaseUrl = secrets.databaseUrl ?? chosen.env.SLUICE_DATABASE_URL
  const database: SettingOrigin[] =
    databaseUrl && chosen.kind !== 'remote'
      ? [
          {
            name: 'database',
            value: shownDatabase(databaseUrl),
            origin: secrets.databaseUrl ? 'SLUICE_DATABASE_URL' : said('SLUICE_DATABASE_URL'),
          },
        ]
      : []
  const services = chosen.kind === 'sandbox' ? [] : publicServiceNames.map(serviceRow(env))
  const keys = Object.keys(secrets.serviceKeys ?? {}).map((variable): SettingOrigin => {
    const name = keyedServices.find((one) => keyVariable(one) === variable)
    return name === undefined
      ? {
          name: 'key',
          value: `unknown service; known: ${keyedServices.map(keyVariable).join(', ')}`,
          origin: variable,
        }
      : { name: `${name} key`, value: 'set', origin: variable }
  })
  const headers = Object.keys(secrets.rpcHeaders ?? {}).map((variable): SettingOrigin => {
    const network = allNetworks.find((one) => rpcHeadersVariable(one) === variable)
    return network
      ? { name: `rpc ${network.name} headers`, value: 'set', origin: variable }
      : { name: 'rpc headers', value: 'unknown network', origin: variable }
  })
  const rpcs = Object.entries(chosen.env).flatMap(([variable, value]): SettingOrigin[] => {
    const [, network] = /^SLUICE_RPC_(\w+)$/.exec(variable) ?? []
    if (!network || !value || chosen.kind === 'sandbox') return []
    const name = `rpc ${network.toLowerCase().replaceAll('_', '-')}`
    if (!allNetworks.some((one) => rpcVariable(one) === variable))
      return [{ name, value: `unknown network${suggestedNetwork(variable, allNetworks)}`, origin: variable }]
    const hosts = value.split(',').map((url) => URL.parse(url.trim())?.host ?? 'not a URL')
    const isClosed = !env[variable] && backend === 'keychain'
    return [
      {
        name,
        value: isClosed ? 'set' : hosts.join(', '),
        origin: env[variable] ? variable : kept,
      },
    ]
  })
  return [
    { name: 'profile', value: chosen.name, origin: chosen.origin },
    { name: 'kind', value: chosen.kind, origin: chosen.name === chosen.kind ? chosen.origin : 'config.json' },
    ...urls,
    ...(secrets.apiKey
      ? [{ name: 'api key', value: 'set', origin: 'SLUICE_API_KEY' }]
      : chosen.apiKey
        ? [{ name: 'api key', value: 'set', origin: kept }]
        : []),
    ...rpcs,
    ...(chosen.kind === 'sandbox' ? [] : headers),
    ...prices,
    ...database,
    ...services,
    ...keys,
    ...(secrets.hasPrivateKey
      ? [{ name: 'signer', value: 'a private key', origin: 'SLUICE_PRIVATE_KEY' }]
      : wallet === undefined
        ? []
        : [{ name: 'signer', value: `keystore ${wallet}`, origin: 'config.json' }]),
    ...(secrets.password ? [{ name: 'password', value: 'set', origin: 'SLUICE_PASSWORD' }] : []),
    ...Object.keys(passwords).map((name) => ({
      name: `password of ${name}`,
      value: 'set',
      origin: 'the keychain',
    })),
    directory('config', 'XDG_CONFIG_HOME'),
    directory('data', 'XDG_DATA_HOME'),
    directory('cache', 'XDG_CACHE_HOME'),
  ]
}
