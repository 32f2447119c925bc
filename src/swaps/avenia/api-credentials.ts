import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { checkedServiceUrl } from '../../domain/service-url-and-key.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { Signable } from '../provider-api.ts'

const Line = z.string().regex(/^[!-~]{1,200}$/)

/**
 * The file of an account at Avenia: its API key, the RSA key (PEM) that signs requests, a sub-account if there is one, another API than
 * the public one, and the account of the partner that tokens are sent to, by the name of the network.
 */
const Account = z.strictObject({
  apiKey: Line,
  privateKey: z.string().includes('PRIVATE KEY'),
  subAccountId: Line.optional(),
  url: z.string().optional(),
  desks: z.record(z.string(), CatalogAddress),
})

/** What signs the requests of an account, and what of it else is used. */
export type AveniaAccount = Pick<z.output<typeof Account>, 'apiKey' | 'subAccountId' | 'url' | 'desks'> & {
  key: KeyObject
}

/** Reads an account out of the text of its file. CONFIG_INVALID otherwise, which says nothing of what is in it. */
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
    // The cause would repeat what is in the file.
    throw new AppError('CONFIG_INVALID', `${path} is not an account of Avenia: ${what}`, {
      hint: 'What belongs into it: docs/ramps.md',
    })
  }
}

/**
 * The headers that authenticate a request: the API key, the time in epoch ms, and the signature (RSA, PKCS#1 v1.5, SHA-256, base64) of time,
 * method, path with query, and body (source: integration-guide.avenia.io).
 */
export function signedHeaders({ apiKey, key }: AveniaAccount, request: Signable, now: number) {
  const text = signedText(String(now), request)
  return {
    'x-api-key': apiKey,
    'x-api-timestamp': String(now),
    'x-api-signature': sign('sha256', Buffer.from(text), key).toString('base64'),
  }
}

/** The text that is signed. */
export const signedText = (time: string, { method, uri, body }: Signable): string =>
  `${time}${method}${uri}${body}`
