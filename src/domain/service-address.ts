import { AppError } from './errors.ts'

/** A key is one line of visible characters: anything else would be another header. */
export function checkedKey(apiKey: string): string {
  if (/^[\x21-\x7e]{1,512}$/.test(apiKey)) return apiKey
  throw new AppError('CONFIG_INVALID', 'The API key is not one line of visible characters', {
    hint: 'Set the API key in SLUICE_API_KEY.',
  })
}

/** An address that the key may travel to: https, or loopback. `what` names it where it is refused. */
export function checkedUrl(baseUrl: string, what: string): string {
  const url = URL.parse(baseUrl)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new AppError('CONFIG_INVALID', `The ${what} of the service is not a URL`)
  if (url.username || url.password || url.search || url.hash)
    throw new AppError('CONFIG_INVALID', `The ${what} of the service has more in it than a host and a path`, {
      hint: 'Set the API key in SLUICE_API_KEY, and leave everything from ? or before @ out of the URL.',
    })
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  if (url.protocol !== 'https:' && !isLoopback)
    throw new AppError(
      'CONFIG_INVALID',
      `The service at ${url.host} is not https, and an API key does not travel in the clear`,
      {
        hint: `Write https:// before the host of the ${what}; http:// is for this machine only (127.0.0.1, localhost).`,
      },
    )
  return baseUrl.replace(/\/+$/, '')
}

type Addresses = { baseUrl: string; legacyBaseUrl?: string | undefined }

/** Whether a kept key was given for just these addresses: it goes to no others. */
export const isKeyFor = (kept: Addresses | undefined, { baseUrl, legacyBaseUrl }: Addresses): boolean =>
  kept !== undefined && kept.baseUrl === baseUrl && kept.legacyBaseUrl === legacyBaseUrl
