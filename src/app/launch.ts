import childProcess from 'node:child_process'
import { lstatSync, mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { extname, isAbsolute, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { maySign, readCommandLine } from '../domain/command-line/read-command-line.ts'

/*
 * The first code of every process of the program: it keeps signals, takes the secrets out of the environment before anything
 * else is loaded, and starts the signer early. It imports only modules of Node and the reader of command lines, which reads
 * nothing else.
 */

/** The build has JavaScript files beside this one. `npm run dev` runs the sources. */
const extension = extname(import.meta.url)
const beside = (name: string) => new URL(`./${name}${extension}`, import.meta.url)
const isWindows = process.platform === 'win32'

/** What the signer inherits of the environment: where its files are. */
const inherited =
  /^(HOME|PATH|TMPDIR|TEMP|TMP|USERPROFILE|APPDATA|LOCALAPPDATA|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|XDG_(CONFIG|DATA|CACHE)_HOME|SLUICE_(HOME|PROFILE|ANVIL|AVENIA_FILE))$/
/** What the signer only knows to be set. */
const onlyNamed = /^SLUICE_(BASE_URL|RPC_\w+)$/

const argv = process.argv.slice(2)

// A signal that came before anything is loaded is handled by what is loaded: it knows whether something was signed.
let wasStopped = process.env.SLUICE_STOPPED === String(process.ppid)
delete process.env.SLUICE_STOPPED
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    wasStopped = true
  })
if (process.env.SLUICE_LAUNCHER === String(process.ppid))
  process.send?.('listening', undefined, undefined, () => process.disconnect())

const { privateKey, ...secrets } = takeSecrets()
if (!(mayAskForCompletionOrHelp() && !wasStopped && (await isAnsweredFromManifests()))) await startProgram()

async function startProgram(): Promise<void> {
  const line = readCommandLine(argv)
  // A server for other programs has nothing that can sign.
  const isMcp = line.command === 'mcp'
  const startSigner = signerStarter(
    isMcp ? { privateKey: undefined, signerUrl: undefined } : { privateKey, signerUrl: secrets.signerUrl },
  )
  // The signer starts before the code for the terminal is loaded; one that was not started here is started when it is needed.
  if (!wasStopped && maySign(line)) startSigner()
  const cache = compileCache()
  if (cache) enableCompileCache(cache)
  const { start } = (await import(beside('process-entry').href)) as typeof import('./process-entry.ts')
  const known = isMcp ? { ...secrets, password: undefined, signerUrl: undefined } : secrets
  await start(argv, { hasPrivateKey: !isMcp && Boolean(privateKey), ...known }, startSigner, () => wasStopped)
}

/** The environment as pairs. Windows does not distinguish `Path` from `PATH`: the names are upper case there. */
function variables(): [string, string | undefined][] {
  const all = Object.entries(process.env)
  return isWindows ? all.map(([name, value]) => [name.toUpperCase(), value]) : all
}

/** Reads the secrets of the environment and removes them from it, so that no other process inherits them. */
function takeSecrets() {
  const taken = (name: string): string | undefined => {
    const value = process.env[name]
    delete process.env[name]
    return value === undefined ? undefined : asWritten(value)
  }
  const secrets = {
    privateKey: taken('SLUICE_PRIVATE_KEY'),
    password: taken('SLUICE_PASSWORD'),
    apiKey: taken('SLUICE_API_KEY'),
    signerUrl: taken('SLUICE_SIGNER_URL') || undefined,
    databaseUrl: taken('SLUICE_DATABASE_URL') || undefined,
    serviceKeys: {} as Record<string, string>,
    rpcHeaders: {} as Record<string, string>,
  }
  for (const [name, value] of variables()) {
    const group = /^SLUICE_RPC_\w+_HEADERS$/.test(name)
      ? secrets.rpcHeaders
      : /^SLUICE_\w+_KEY$/.test(name)
        ? secrets.serviceKeys
        : undefined
    if (!group) continue
    if (value) group[name] = asWritten(value)
    delete process.env[name]
  }
  return secrets
}

/** A secret without the byte order mark and the one line end that a file of variables may add, as `decodeText` reads a file. */
function asWritten(secret: string): string {
  return secret.replace(/^\ufeff/, '').replace(/\r\n$|[\r\n]$/, '')
}

/** Whether it is worth to look: whoever answers reads the line. */
function mayAskForCompletionOrHelp(): boolean {
  return (
    argv[0] === '__complete' || ['--help', '-h', 'help'].includes(argv.at(-1) ?? '') || argv[0] === 'help'
  )
}

/** Answers from the manifests that the build wrote, without loading the program. */
async function isAnsweredFromManifests(): Promise<boolean> {
  if (extension === '.ts') return false
  const { answerFromManifests } = (await import(
    beside('prebuilt-help-and-completion').href
  )) as typeof import('./prebuilt-help-and-completion.ts')
  return answerFromManifests(
    argv,
    process.env,
    fileURLToPath(new URL('./command-manifests', import.meta.url)),
  )
}

/**
 * The directory for compiled code; `undefined` if there is none that only this user can write. Creates it.
 */
function compileCache(): string | undefined {
  const { SLUICE_HOME: own, XDG_CACHE_HOME: xdg, USERPROFILE: profile } = process.env
  const home = process.env.HOME || (isWindows ? profile : undefined)
  const root = own
    ? join(own, 'cache')
    : xdg && isAbsolute(xdg)
      ? xdg
      : home && isAbsolute(home) && join(home, '.cache')
  if (!root || !isAbsolute(root)) return undefined
  // Windows has no owner and mode that Node can read. The files in the folder of the user belong to the user.
  if (isWindows && !(profile && resolve(root).startsWith(resolve(profile) + sep))) return undefined
  const cache = own ? join(root, 'compiled') : join(root, 'sluice', 'compiled')
  for (const path of own ? [own, root, cache] : [root, join(root, 'sluice'), cache])
    try {
      if (!lstatSync(path, { throwIfNoEntry: false })) mkdirSync(path, { mode: 0o700 })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return undefined
    }
  const found = lstatSync(cache)
  const isOurs = found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid())
  return isOurs && (isWindows || (found.mode & 0o077) === 0) ? cache : undefined
}

/** Returns a function that starts the signer once. The private key and the URL of another signer reach it by its pipe. */
function signerStarter(key: { privateKey: string | undefined; signerUrl: string | undefined }) {
  const { privateKey, signerUrl } = key
  const env = Object.fromEntries(
    variables().flatMap(([name, value]) =>
      inherited.test(name) ? [[name, value]] : onlyNamed.test(name) && value ? [[name, 'set']] : [],
    ),
  )
  const started = () => {
    const child = childProcess.spawn(process.execPath, [fileURLToPath(beside('signer-process-main'))], {
      stdio: ['pipe', 'pipe', 'inherit'],
      // A compile cache could be written by another program.
      env: { ...env, NODE_DISABLE_COMPILE_CACHE: '1' },
    })
    // The first request to a signer that could not start reports that.
    child.on('error', () => undefined)
    child.stdin.on('error', () => undefined)
    const redraws = process.env.TERM !== 'dumb'
    const first = JSON.stringify({ argv, privateKey: privateKey ?? null, signerUrl, redraws })
    // The reader of lines would end a line at these two characters.
    child.stdin.write(`${first.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`)
    return child
  }
  let child: ReturnType<typeof started> | undefined
  return () => {
    child ??= started()
    return child
  }
}
