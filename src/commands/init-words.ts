import type { KeptProfile } from '../cli/config.ts'
import { rpcVariable } from '../domain/network-named.ts'
import { shellPath, shellWord } from '../domain/shell.ts'
import { plain } from '../domain/text.ts'
import type { Change, Said } from './profile-set.ts'

const urlsOf = (profile: KeptProfile) =>
  profile.kind === 'remote' ? profile : { baseUrl: undefined, legacyBaseUrl: undefined }

/** What becomes another in a profile that is there, a line each; of a secret only that it does. */
export function changesIn({ after, had, secrets }: Change, before: KeptProfile): string[] {
  const [from, to] = [urlsOf(before), urlsOf(after)]
  const line = (what: string, was = 'none', is = 'none') =>
    was === is ? [] : [`${what}: ${plain(was)} becomes ${plain(is)}`]
  const rpcs = Object.keys(secrets.rpc ?? {}).flatMap((network) => {
    const was = had.rpc?.[network]
    return was === secrets.rpc?.[network] ? [] : [`rpc ${plain(network)}: ${was ? 'another' : 'added'}`]
  })
  const key =
    had.apiKey?.key === secrets.apiKey?.key
      ? []
      : [
          `api key: ${secrets.apiKey ? (had.apiKey ? 'another' : 'added') : 'forgotten, as it was for other addresses'}`,
        ]
  return [
    ...line('kind', before.kind, after.kind),
    ...line('base url', from.baseUrl, to.baseUrl),
    ...line('legacy base url', from.legacyBaseUrl, to.legacyBaseUrl),
    ...key,
    ...rpcs,
  ]
}

/** The command that does the same without questions, and the variables that it takes secrets from: none is on the line. */
export function scriptFor(
  { name, after, had, secrets }: Change,
  { apiKey, options: { keychain, apiKeyFile = '-' } }: Said,
  { isCurrent, works }: { isCurrent: boolean; works: boolean },
): { command: string; environment: string[] } {
  const fresh = Object.keys(secrets.rpc ?? {}).filter(
    (network) => had.rpc?.[network] !== secrets.rpc?.[network],
  )
  const rpcs = fresh.map((name) => rpcVariable({ name }))
  const key = apiKey === undefined ? [] : rpcs.length > 0 ? ['SLUICE_API_KEY'] : []
  const { baseUrl, legacyBaseUrl } = urlsOf(after)
  const keyFile = apiKeyFile === '-' ? '-' : shellPath(apiKeyFile)
  const words = [
    'sluice init',
    shellWord(name),
    ...(baseUrl === undefined ? ['--kind engine'] : ['--base-url', shellWord(baseUrl)]),
    ...(legacyBaseUrl === undefined ? [] : ['--legacy-base-url', shellWord(legacyBaseUrl)]),
    ...(rpcs.length > 0 ? ['--from-env'] : apiKey === undefined ? [] : ['--api-key-file', keyFile]),
    ...(keychain ? ['--keychain'] : []),
    ...(isCurrent ? ['--use'] : []),
    // What does not work is kept by who says so.
    ...(works ? [] : ['--yes']),
  ]
  return { command: words.join(' '), environment: [...key, ...rpcs] }
}
