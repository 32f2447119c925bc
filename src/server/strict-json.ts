import { AppError } from '../domain/errors.ts'
import { parseStrict } from '../net/json.ts'
import { poisonous, refusal } from './answer.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A request's body: JSON in UTF-8 in which no object has a name twice or a name that the language would take for its own. */
export function readBody(bytes: Buffer): unknown {
  const text = decoded(bytes)
  const value = parsed(text)
  if (value !== null && typeof value === 'object') refuseTwice(text)
  return value
}

/** JSON is UTF-8, whatever else a type may say. */
export function refuseCharset(type: string | undefined): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'A body is application/json in UTF-8')
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
    throw new AppError('BAD_REQUEST', isDeep ? 'The body nests too deep' : 'The body is not JSON', { cause })
  }
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/** JSON.parse keeps the last of two equal names, and another reader the first: such a body has two meanings. The text is JSON already. */
function refuseTwice(text: string): void {
  const open: (Set<string> | undefined)[] = []
  let isName = false
  for (const [found] of text.matchAll(token)) {
    if (found === '{' || found === '[') open.push(found === '{' ? new Set() : undefined)
    else if (found === '}' || found === ']') open.pop()
    const names = open.at(-1)
    if (found.startsWith('"')) {
      if (isName && names) add(names, JSON.parse(found) as string)
      isName = false
    } else isName = found === '{' || (found === ',' && names !== undefined)
  }
}

function add(names: Set<string>, name: string): void {
  if (names.has(name)) throw refusal([{ path: name, message: 'is given more than once' }])
  if (name === poisonous) throw refusal([{ path: name, message: 'is no field' }])
  names.add(name)
}
