import { AppError } from '../../domain/errors.ts'

/** What a failed query says: a code of PostgreSQL (SQLSTATE), of Node or of TLS, or only a message of the driver. */
type Failure = { code: string; message: string }

const failureOf = (error: unknown): Failure => {
  const { code = '', message = '' } = error as { code?: unknown; message?: unknown }
  return { code: String(code), message: String(message) }
}

/** Errors of the driver that have no code, by their words (pg 8.23.1), and what each means. */
const driverErrors: readonly [words: RegExp, is: 'unreached' | 'cut' | 'tls' | 'password'][] = [
  [/timeout exceeded when trying to connect|timeout expired/i, 'unreached'],
  [/connection terminated|client has encountered a connection error|query read timeout/i, 'cut'],
  [/does not support ssl|error response to ssl|secure tls connection/i, 'tls'],
  [/password must be a|scram-server-first-message|^SASL/i, 'password'],
]
const driverSays = ({ message }: Failure) => driverErrors.find(([words]) => words.test(message))?.[1]

const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused',
  ENOENT: 'no server listens on its socket',
  ENOTFOUND: 'the host is unknown',
  EAI_AGAIN: 'the name of the host cannot be resolved now',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the connection timed out',
  EACCES: 'its socket may not be used by this user',
}

const cutCodes = ['ECONNRESET', 'EPIPE', 'ECONNABORTED', '57P01', '57P02', '57P05', '25P03']

/** Whether the connection ended, so that it is unknown whether a commit under way took place. */
export function isCut(error: unknown): boolean {
  const failure = failureOf(error)
  return cutCodes.includes(failure.code) || /^08/.test(failure.code) || driverSays(failure) === 'cut'
}

/** Whether the same may work soon: no connection, one that ended, a server that starts or has no free connection. */
export function isTransient(error: unknown): boolean {
  const failure = failureOf(error)
  const { code } = failure
  return (
    isCut(error) ||
    code in unreachable ||
    code === '57P03' ||
    code === '53300' ||
    driverSays(failure) === 'unreached'
  )
}

/** Whether a prepared statement is not as this connection prepared it: behind a PgBouncer the connection may be another one. */
export const isUnprepared = (error: unknown): boolean =>
  ['26000', '42P05', '0A000'].includes(failureOf(error).code)

/** Whether a transaction conflicted with another one and was rolled back: SERIALIZABLE or a deadlock, or a unique key that both inserted. */
export const isConflict = (error: unknown): boolean =>
  ['40001', '40P01', '23505'].includes(failureOf(error).code)

/** Whether a unique key is taken. */
export const isTaken = (error: unknown): boolean => failureOf(error).code === '23505'

const passwordHint =
  'Set the password in a file that SLUICE_DATABASE_PASSWORD_FILE names, in ~/.pgpass, or in SLUICE_DATABASE_URL.'

/** What an error means and what helps; `undefined` for an error of our own SQL. */
function meaning(failure: Failure): { why: string; hint?: string } | undefined {
  const { code, message } = failure
  const said = driverSays(failure)
  if (unreachable[code])
    return { why: unreachable[code], hint: 'Start PostgreSQL, or check host and port in the URL.' }
  if (said === 'unreached')
    return { why: 'it does not answer', hint: 'Check host and port in the URL, and the firewall.' }
  if (
    said === 'tls' ||
    /^(ERR_TLS_|ERR_SSL_|ERR_OSSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/.test(code)
  )
    return {
      why:
        said === 'tls'
          ? 'it does not offer TLS'
          : `its certificate is not accepted (${code === '' ? message : code})`,
      hint: 'Name the certificate of its authority: sslrootcert=/path/ca.pem. Without TLS, on a private network only: sslmode=disable.',
    }
  if (said === 'password') return { why: 'it asks for a password, and none is set', hint: passwordHint }
  if (isCut({ code, message })) return { why: 'the connection was cut' }
  switch (code) {
    case '28P01':
      return { why: 'the user or the password is wrong', hint: passwordHint }
    case '28000':
      return {
        why: 'it refuses this user from this address (pg_hba.conf)',
        hint: 'Allow the user, the database and the address in pg_hba.conf; it may also require TLS.',
      }
    case '3D000':
      return {
        why: 'the database does not exist',
        hint: 'Create it: createdb --encoding UTF8 --template template0 NAME',
      }
    case '42501':
      return {
        why: `the user has no permission (${message})`,
        hint: 'Make the user the owner of the database: alter database NAME owner to USER',
      }
    case '53100':
      return { why: 'its disk is full', hint: 'Free some space on the disk of PostgreSQL.' }
    case '53200':
      return { why: 'it has no memory left' }
    case '53300':
    case '53400':
      return {
        why: 'it has too many connections',
        hint: 'Raise max_connections of PostgreSQL, or lower pool_max_conns in the URL (default: 10 for each instance).',
      }
    case '25006':
      return { why: 'it is a read-only standby', hint: 'Use the URL of the primary.' }
    case '57P03':
      return { why: 'it is starting or stopping' }
    case '57014':
      return {
        why: 'a query took too long',
        hint: 'Raise statement_timeout in the URL (ms), or look at the load of PostgreSQL.',
      }
    case '40001':
    case '40P01':
      return { why: 'other writes conflicted for too long' }
    case 'XX001':
    case 'XX002':
      return { why: 'it is damaged', hint: 'Restore a backup.' }
    default:
      return undefined
  }
}

/**
 * Converts an error of PostgreSQL for the person who starts the program: STATE_UNUSABLE with the reason and what helps. `place` has no password.
 * An error of our own SQL is returned unchanged.
 */
export function postgresFault(error: unknown, place: string): unknown {
  if (error instanceof AppError) return error
  const found = meaning(failureOf(error))
  if (!found) return error
  return new AppError('STATE_UNUSABLE', `${place} cannot be used: ${found.why}`, {
    cause: error,
    details: { database: place },
    hint: found.hint ?? 'Check the log of PostgreSQL, then run the same command again.',
  })
}

/**
 * The same for a query of a running server, whose error a client may see: SERVICE_UNAVAILABLE, without the place, if it may work soon, with the
 * error for the person as its cause.
 */
export function postgresQueryFault(error: unknown, place: string): unknown {
  const known = postgresFault(error, place)
  const { code } = failureOf(error)
  const isSoon = isTransient(error) || ['40001', '40P01', '57014', '53100', '53200', '25006'].includes(code)
  return isSoon
    ? new AppError('SERVICE_UNAVAILABLE', 'The database does not answer now', { cause: known })
    : known
}

/** The error of a write whose connection ended during the commit, if PostgreSQL cannot tell whether it took place. */
export const unconfirmedWrite = (cause: unknown, place: string): AppError =>
  new AppError('WRITE_UNCONFIRMED', `${place} did not tell whether the change was stored`, {
    cause,
    hint: 'Look whether the change is there before you repeat it.',
  })
