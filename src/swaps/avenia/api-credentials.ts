import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { checkedServiceUrl } from '../../domain/service-url-and-key.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { RequestToSign } from '../provider-api.ts'

const Line = z.string().regex(/^[!-~]{1,200}$/)

/**
 * The account file of Avenia: the API key, the RSA key (PEM) that signs requests, an optional sub-account, an optional API URL other than
 * the public one, and the partner's receiving accounts by network name.
 */
const Account = z.strictObject({
  apiKey: Line,
  privateKey: z.string().includes('PRIVATE KEY'),
  subAccountId: Line.optional(),
  url: z.string().optional(),
  desks: z.record(z.string(), CatalogAddress),
})

/** The credentials and settings of an account. */
export type AveniaAccount = Pick<z.output<typeof Account>, 'apiKey' | 'subAccountId' | 'url' | 'desks'> & {
  key: KeyObject
}

/** Parses an account file. CONFIG_INVALID otherwise; the error reveals none of its content. */
export function parseAccount(text: string, path: string): AveniaAccount {
  const account = read(text, path)
  const { url } = account
  return url === undefined ? account : { ...account, url: checkedServiceUrl(url, `url in ${path}`) }
}

function read(text: string, path: string): AveniaAccount {
  try {
    const { privateKey, ...account } = Account.parse(JSON.parse(text))
    const key = createPrivateKey(privateKey)
    if (key.asymmetricKeyType !== 'rsa') throw new TypeError('no RSA key')
    return { ...account, key }
  } catch (error) {
    const where = error instanceof z.ZodError ? error.issues[0]?.path.join('.') : undefined
    const what = where
      ? `its ${sanitizeText(where)} is missing or wrong`
      : 'it is not JSON, or has no RSA key'
    // The cause would reveal the content of the file.
    throw new AppError('CONFIG_INVALID', `${path} is not an account of Avenia: ${what}`, {
      next: 'For its format: docs/ramps.md',
    })
  }
}

/**
 * The authentication headers of a request: the API key, the time in epoch ms, and the signature (RSA, PKCS#1 v1.5, SHA-256, base64) of
 * time, method, path with query, and body (source: integration-guide.avenia.io).
 */
export function credentialHeaders({ apiKey, key }: AveniaAccount, request: RequestToSign, now: number) {
  const text = signedText(String(now), request)
  return {
    'x-api-key': apiKey,
    'x-api-timestamp': String(now),
    'x-api-signature': sign('sha256', Buffer.from(text), key).toString('base64'),
  }
}

/** The text that the signature covers. */
export const signedText = (time: string, { method, uri, body }: RequestToSign): string =>
  `${time}${method}${uri}${body}`
