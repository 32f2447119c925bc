import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { selfSignedCertificate } from './self-signed-certificate.ts'

/** A PostgreSQL for tests: the URL of a user who may create databases, and the certificate of its authority if it offers TLS. */
export type PostgresServer = {
  url: string
  ca: string | null
  folder: string | null
  /** Stops the server, `fast` (its sessions end) or `immediate` (like a crash), and starts it again. */
  restart: (how: 'fast' | 'immediate') => Promise<void>
  stop: () => Promise<void>
}

/** The password of the tests' server. */
export const postgresPassword = 'only-for-tests'

/** The folder of the server's programs: on the PATH, or of Debian's newest version. */
function programs(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((one) => join(debian, one, 'bin')),
  ]
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))))
}

/** The user and group ids of `postgres`: the server does not run as root. */
function otherUser(): { uid: number; gid: number } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith('postgres:'))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** A certificate for 127.0.0.1 that is its own authority; `null` without openssl. */
function certificate(folder: string): string | null {
  try {
    selfSignedCertificate(join(folder, 'server.crt'), join(folder, 'server.key'))
    return join(folder, 'server.crt')
  } catch {
    return null
  }
}

/**
 * Starts a PostgreSQL on loopback in a temporary folder, or takes the one of SLUICE_TEST_DATABASE_URL. Returns a text that says why there is none.
 * `more` are settings for this server.
 */
export async function startPostgres(
  more: Readonly<Record<string, string>> = {},
): Promise<PostgresServer | string> {
  const { SLUICE_TEST_DATABASE_URL: given } = process.env
  if (given)
    return {
      ...{ url: given, ca: null, folder: null, stop: async () => undefined },
      restart: () => Promise.reject(new Error('this PostgreSQL is not ours to restart')),
    }
  const bin = programs()
  if (bin === undefined)
    return 'no PostgreSQL: install Debian\'s "postgresql", or set SLUICE_TEST_DATABASE_URL to a user who may create databases'
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? otherUser() : undefined
  if (isRoot && !user) return 'PostgreSQL does not run as root, and there is no user "postgres"'
  const folder = mkdtempSync(join(tmpdir(), 'sluice-postgres-'))
  const data = join(folder, 'data')
  writeFileSync(join(folder, 'password'), postgresPassword)
  const ca = certificate(folder)
  for (const name of ['.', ...readdirSync(folder)])
    if (user) chownSync(join(folder, name), user.uid, user.gid)
  const options = { ...user, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } }
  execFileSync(
    join(bin, 'initdb'),
    [
      ...['-D', data, '-U', 'sluice', '-E', 'UTF8', '--no-locale', '--no-sync', '--auth=scram-sha-256'],
      ...['--pwfile', join(folder, 'password')],
    ],
    { ...options, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const port = await freePort()
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: folder,
    fsync: 'off',
    // Its launcher may delay the end of a database by a minute.
    autovacuum: 'off',
    max_connections: '200',
    ...(ca !== null && { ssl: 'on', ssl_cert_file: ca, ssl_key_file: join(folder, 'server.key') }),
    ...more,
  }
  /** Starts the server on the data. Returns its process, or why it ended. */
  const begin = async () => {
    const child = spawn(
      join(bin, 'postgres'),
      ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const ended = once(child, 'close')
    let log = ''
    child.stderr.on('data', (text) => {
      log = `${log}${text}`.slice(-10_000)
    })
    while (!log.includes('ready to accept connections')) {
      if (child.exitCode !== null) return `PostgreSQL ended: ${log}`
      await setTimeout(10)
    }
    return { child, ended }
  }
  let running = await begin()
  if (typeof running === 'string') return running
  /** SIGINT is a fast shutdown, SIGQUIT an immediate one. */
  const end = async (signal: 'SIGINT' | 'SIGQUIT') => {
    if (typeof running === 'string') return
    running.child.kill(signal)
    await running.ended
  }
  return {
    url: `postgres://sluice:${postgresPassword}@127.0.0.1:${port}/postgres`,
    ca,
    folder,
    restart: async (how) => {
      await end(how === 'fast' ? 'SIGINT' : 'SIGQUIT')
      running = await begin()
      if (typeof running === 'string') throw new Error(running)
    },
    stop: async () => {
      await end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
