import { readFileSync } from 'node:fs'
import { type ConnectionOptions, getCACertificates } from 'node:tls'
import { AppError } from '../../domain/errors.ts'
import { decodeText } from '../../domain/text/decode-text.ts'
import { listFileCommand } from '../../domain/text/shell-quoting.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'

/** A PostgreSQL database: where it is, who uses it, and how. `ssl` is `false` without TLS; `shown` is its URL without a password. */
export type PostgresPlace = {
  host: string
  port: number
  user: string
  database: string
  /** From the URL only; `undefined` otherwise. */
  password: string | undefined
  ssl: ConnectionOptions | false
  applicationName: string
  /** Maximum number of connections of this process. */
  poolSize: number
  /** Time limit of a statement, in ms. */
  statementTimeoutMs: number
  shown: string
}

const noHost = 'no-host.invalid'

const example = 'postgres://sluice@db.example.com/sluice?sslmode=verify-full'

const refused = (why: string, hint = `Such as: ${example}`): AppError =>
  new AppError('CONFIG_INVALID', why, { next: hint })

const known = [
  'host',
  'port',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'application_name',
  'pool_max_conns',
  'statement_timeout',
] as const

/**
 * Parses the URL of a PostgreSQL database as libpq does, but strictly: user, host and database must be named, an unknown parameter is refused,
 * and without `sslmode` a host that is not this machine needs TLS with a verified certificate. CONFIG_INVALID otherwise; no error repeats the URL.
 */
export function postgresPlace(text: string): PostgresPlace {
  // As in libpq, a socket has no host before the path.
  const url = URL.parse(text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[/?]|$)/i, `$1${noHost}`))
  if (!url)
    throw refused(
      'The URL of the database is malformed',
      `Special characters of a password are percent-encoded. ${example}`,
    )
  const { searchParams: query } = url
  for (const name of new Set(query.keys())) {
    if (!known.some((one) => one === name))
      throw refused(
        `The URL of the database has an unknown parameter "${sanitizeText(name)}"`,
        `Known: ${known.join(', ')}`,
      )
    if (query.getAll(name).length > 1) throw refused(`The URL of the database has two values of ${name}`)
  }
  if (url.hash !== '')
    throw refused('The URL of the database has a part after #', 'Write # in a password as %23.')
  const host = decoded(query.get('host') ?? url.hostname.replace(noHost, '')).replace(/^\[(.*)\]$/, '$1')
  const database = decoded(url.pathname.replace(/^\//, ''))
  const user = decoded(url.username)
  for (const [name, value] of Object.entries({ user, host, database }))
    if (value === '' || value.includes('\0')) throw refused(`The URL of the database names no ${name}`)
  if (host.includes(','))
    throw refused(
      'The URL of the database names several hosts',
      'Name the primary, or the address that follows it.',
    )
  const port = whole(query.get('port') ?? (url.port || '5432'), 'port', 1, 65_535)
  const shownPort = port === 5432 ? '' : `:${port}`
  const isSocket = host.startsWith('/')
  return {
    host,
    port,
    user,
    database,
    password: url.password === '' ? undefined : decoded(url.password),
    ssl: isSocket ? false : tlsOf(query, host),
    applicationName: query.get('application_name') ?? 'sluice',
    poolSize: whole(query.get('pool_max_conns') ?? '10', 'pool_max_conns', 2, 1_000),
    statementTimeoutMs: whole(query.get('statement_timeout') ?? '30000', 'statement_timeout', 100, 3_600_000),
    shown: sanitizeText(
      `postgres://${url.username}@${isSocket ? '' : (host.includes(':') ? `[${host}]` : host) + shownPort}/${url.pathname.slice(1)}${isSocket ? `?host=${host}` : ''}`,
    ),
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch (cause) {
    if (!(cause instanceof URIError)) throw cause
    throw refused('The URL of the database has a % that encodes nothing', 'Write % in a password as %25.')
  }
}

function whole(text: string, name: string, least: number, most: number): number {
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  throw refused(`${name} of the database must be a whole number from ${least} to ${most}`)
}

const isThisMachine = (host: string): boolean => /^(localhost|127(\.[0-9]{1,3}){3}|::1)$/i.test(host)

/** TLS by `sslmode` (postgresql.org/docs/15/libpq-ssl.html): `require` encrypts without looking at the certificate, unless an authority is named. */
function tlsOf(query: URLSearchParams, host: string): ConnectionOptions | false {
  const mode = query.get('sslmode') ?? (isThisMachine(host) ? 'disable' : 'verify-full')
  if (mode === 'disable') return false
  if (mode === 'allow' || mode === 'prefer')
    throw refused(
      `sslmode=${mode} would send everything in the clear to a server that refuses TLS`,
      'Use sslmode=verify-full; on a private network without TLS: sslmode=disable.',
    )
  if (!['require', 'verify-ca', 'verify-full'].includes(mode))
    throw refused(
      `Unknown sslmode "${sanitizeText(mode)}"`,
      'Use verify-full, verify-ca, require or disable.',
    )
  const root = query.get('sslrootcert')
  const [cert, key] = [query.get('sslcert'), query.get('sslkey')]
  if ((cert === null) !== (key === null)) throw refused('sslcert and sslkey must be given together')
  return {
    rejectUnauthorized: mode !== 'require' || root !== null,
    ...(root !== null && { ca: root === 'system' ? getCACertificates('system') : fileText(root) }),
    ...(cert !== null && key !== null && { cert: fileText(cert), key: fileText(key) }),
    // Without the name of the host, any certificate of the authority is good.
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  }
}

function fileText(path: string): string {
  try {
    return decodeText(readFileSync(path)).text ?? ''
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', `Cannot read ${sanitizeText(path)}`, {
      cause,
      next: listFileCommand(path),
    })
  }
}

/** The password of a place in the text of a password file (postgresql.org/docs/15/libpq-pgpass.html): host:port:database:user:password, `*` is any. */
export function passwordInPassfile(
  text: string,
  { host, port, user, database }: PostgresPlace,
): string | undefined {
  // A socket in the default directory is `localhost` in a password file.
  const place = [host.startsWith('/') ? 'localhost' : host, String(port), database, user]
  for (const line of text.split(/\r?\n/)) {
    const found = line.startsWith('#') ? null : passfileLine.exec(line)
    if (!found) continue
    const [password, ...fields] = [found[5]!, ...found.slice(1, 5)].map((one) => one.replace(/\\(.)/g, '$1'))
    if (place.every((part, at) => fields[at] === '*' || fields[at] === part)) return password
  }
  return undefined
}

/** Four fields that end with a colon, and the rest. */
const passfileLine = /^((?:\\.|[^\\:])*):((?:\\.|[^\\:])*):((?:\\.|[^\\:])*):((?:\\.|[^\\:])*):(.+)$/
