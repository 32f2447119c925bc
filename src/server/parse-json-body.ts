import { AppError } from '../domain/errors.ts'
import { ambiguousName, parseStrict, prototypeName } from '../http/strict-json.ts'
import { validationError } from './route-handler.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Parses a request body: JSON in UTF-8, without duplicate names and without `__proto__`. */
export function readBody(bytes: Buffer): unknown {
  const text = decoded(bytes)
  const value = parsed(text)
  const wrong = value !== null && typeof value === 'object' ? ambiguousName(text) : undefined
  if (wrong !== undefined)
    throw validationError([
      { path: wrong, message: wrong === prototypeName ? 'is not a field' : 'is given more than once' },
    ])
  return value
}

/** Refuses a charset other than UTF-8. */
export function refuseCharset(type: string | undefined): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json in UTF-8')
}

/** Refuses a compressed body. */
export function refuseEncoding(encoding: string | undefined): void {
  if (encoding !== undefined && !/^\s*(identity)?\s*$/i.test(encoding))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent without Content-Encoding')
}

function decoded(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new AppError('BAD_REQUEST', 'The body is not UTF-8', { cause })
  }
}

function parsed(text: string): unknown {
  try {
    return parseStrict(text)
  } catch (cause) {
    const isDeep = cause instanceof AppError
    throw new AppError('BAD_REQUEST', isDeep ? 'The body is nested too deeply' : 'The body is not JSON', {
      cause,
    })
  }
}
