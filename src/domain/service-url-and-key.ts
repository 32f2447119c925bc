import { AppError } from './errors.ts'

/** Checks a URL to which the API key is sent: https, or loopback. `what` names it in errors. */
export function checkedServiceUrl(baseUrl: string, what: string): string {
  const url = URL.parse(baseUrl)
  if (!url) throw new AppError('CONFIG_INVALID', `The ${what} of the service is not a URL`)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new AppError('CONFIG_INVALID', `The ${what} of the service must begin with http:// or https://`)
  if (url.username || url.password || url.search || url.hash)
    throw new AppError('CONFIG_INVALID', `The ${what} of the service must contain only a host and a path`, {
      next: 'Set the API key in SLUICE_API_KEY, and remove the part after ? and before @ from the URL.',
    })
  if (!isSafe(url))
    throw new AppError(
      'CONFIG_INVALID',
      `The service at ${url.host} is not https; an API key is sent only over https`,
      {
        next: `Write https:// before the host of the ${what}; http:// is for this machine only (127.0.0.1, localhost).`,
      },
    )
  return baseUrl.replace(/\/+$/, '')
}

/**
 * Checks the URL of a public service, such as for prices: https or loopback, without credentials. `where` names its
 * source in errors.
 */
export function checkedPricesUrl(
  said: string,
  where: string,
  hint = 'Such as https://coins.llama.fi, or none to use no price service.',
): string {
  const url = URL.parse(said)
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash
  if (isPlain && isSafe(url)) return said.replace(/\/+$/, '')
  throw new AppError('CONFIG_INVALID', `${where} is not an https URL of a host and a path`, {
    next: hint,
  })
}

/** Whether traffic to a URL cannot be read by others: https, or this machine. */
export const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))

const isHeaderText = (text: string, most: number) => /^[\x21-\x7e]+$/.test(text) && text.length <= most

/**
 * Checks the key of a service, which may be a signed token: one line of visible characters. CONFIG_INVALID names the variable, never the
 * key.
 */
export function checkedServiceKey(key: string, variable: string): string {
  if (isHeaderText(key, 4_096)) return key
  throw new AppError('CONFIG_INVALID', `${variable} is not one line of visible characters`, {
    next: `Set the key in ${variable} again, or unset it.`,
  })
}

/** Checks an API key: one line of visible characters, because anything else could inject a header. */
export function checkedApiKey(apiKey: string): string {
  if (isHeaderText(apiKey, 512)) return apiKey
  throw new AppError('CONFIG_INVALID', 'The API key is not one line of visible characters', {
    next: 'Set the API key in SLUICE_API_KEY.',
  })
}

type Addresses = { baseUrl: string; legacyBaseUrl?: string | undefined }

/** Whether a stored key was given for exactly these URLs; it is sent to no others. */
export const isKeyFor = (kept: Addresses | undefined, { baseUrl, legacyBaseUrl }: Addresses): boolean =>
  kept !== undefined && kept.baseUrl === baseUrl && kept.legacyBaseUrl === legacyBaseUrl
