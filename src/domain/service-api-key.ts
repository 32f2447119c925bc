import { AppError } from './errors.ts'

/** A key is one line of visible characters: anything else would be another header. */
export function checkedApiKey(apiKey: string): string {
  if (/^[\x21-\x7e]{1,512}$/.test(apiKey)) return apiKey
  throw new AppError('CONFIG_INVALID', 'The API key is not one line of visible characters', {
    hint: 'Set the API key in SLUICE_API_KEY.',
  })
}

type Addresses = { baseUrl: string; legacyBaseUrl?: string | undefined }

/** Whether a kept key was given for just these addresses: it goes to no others. */
export const isKeyFor = (kept: Addresses | undefined, { baseUrl, legacyBaseUrl }: Addresses): boolean =>
  kept !== undefined && kept.baseUrl === baseUrl && kept.legacyBaseUrl === legacyBaseUrl
