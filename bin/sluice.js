#!/usr/bin/env node
// Plain JavaScript that any Node can parse: finds a Node that is new enough, then hands over.
import { currentBuild, isNewEnough, nodeFile, whyNoSources } from './built.js'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
const isWindows = () => process.platform === 'win32'

// An import of one of these would load all that its exports may ever need.
const builtin = (name) => process.getBuiltinModule(name)

if (isNewEnough()) await run()
else await handOver()

async function run() {
  const { join } = builtin('node:path')
  const root = join(import.meta.dirname, '..')
  const argv = process.argv.slice(2)
  // What a signal ends before anything is loaded is told by what is loaded: it knows whether an earlier command signed something.
  let stopped = process.env.SLUICE_STOPPED === String(process.ppid)
  delete process.env.SLUICE_STOPPED
  for (const signal of signals)
    process.on(signal, () => {
      stopped = true
    })
  if (process.env.SLUICE_LAUNCHER === String(process.ppid))
    process.send?.('listening', () => process.disconnect())
  // A key in the environment is read once, before anything else is imported, and inherited by nobody.
  const secrets = {
    privateKey: written(process.env.SLUICE_PRIVATE_KEY),
    password: written(process.env.SLUICE_PASSWORD),
    apiKey: written(process.env.SLUICE_API_KEY),
    signerUrl: written(process.env.SLUICE_SIGNER_URL) || undefined,
    // The keys of services, by variable.
    serviceKeys: {},
    // The headers for the RPCs of a network, by variable.
    rpcHeaders: {},
  }
  for (const name of ['SLUICE_PRIVATE_KEY', 'SLUICE_PASSWORD', 'SLUICE_API_KEY', 'SLUICE_SIGNER_URL'])
    delete process.env[name]
  for (const [name, value] of variables())
    if (/^SLUICE_RPC_\w+_HEADERS$/.test(name)) {
      if (value) secrets.rpcHeaders[name] = written(value)
      delete process.env[name]
    } else if (/^SLUICE_\w+_KEY$/.test(name)) {
      if (value) secrets.serviceKeys[name] = written(value)
      delete process.env[name]
    }
  const asked = stopped ? undefined : asksAbout(argv)
  if (asked && (await answered(root, argv, asked))) return
  // What was built of these very sources, or else the sources.
  const built = currentBuild(root)
  const why = built ? undefined : whyNoSources(root)
  if (why) {
    process.stderr.write(`${why}\n`)
    process.exitCode = 12
    return
  }
  // What serves other programs has nothing that could sign.
  if (words(argv)[0] === 'mcp') secrets.privateKey = secrets.password = secrets.signerUrl = undefined
  const startSigner = signer(
    secrets,
    join(root, built ? `${built}/signer-process-main.js` : 'src/app/signer-process-main.ts'),
  )
  // The process that holds the keys begins before anything of the terminal is loaded.
  if (!stopped && signs(argv)) startSigner()
  try {
    const cache = compiled()
    if (cache) builtin('node:module').enableCompileCache(cache)
    const { start } = await import(built ? `../${built}/process-entry.js` : '../src/app/process-entry.ts')
    const { privateKey, ...others } = secrets
    await start(argv, { hasPrivateKey: Boolean(privateKey), ...others }, startSigner, () => stopped)
  } catch (error) {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND' || !/Cannot find package/.test(error.message)) throw error
    process.stderr.write(
      `sluice: its dependencies are not installed. Run: npm ci\n(${error.message.split('\n')[0]})\n`,
    )
    process.exitCode = 12
  }
}

/** The environment as pairs. Windows does not tell `Path` from `PATH`: there the names are in capitals, as they are asked for here. */
function variables() {
  const all = Object.entries(process.env)
  return isWindows() ? all.map(([name, value]) => [name.toUpperCase(), value]) : all
}

/**
 * A secret without the byte order mark and the one line end that a file of variables may add, as `decodeText` and `withoutLineEnd` of
 * src/domain/text/decode-text.ts read a file.
 */
function written(secret) {
  return secret?.replace(/^\ufeff/, '').replace(/\r\n$|[\r\n]$/, '')
}

/** The command that a line wants to know about, and nothing else: its help, or how the line may go on. `*` where it names none. */
function asksAbout(argv) {
  const isHelp = ['--help', '-h'].includes(argv.at(-1)) && !argv.includes('--json')
  const isAsked = argv[0] === '__complete' || isHelp
  return isAsked ? (words(argv).find((word) => word !== '__complete') ?? '*') : undefined
}

/** Whether such a line had its answer off the manifests of the build, without the program. */
async function answered(root, argv, command) {
  const built = currentBuild(root, command)
  if (!built) return false
  if (argv[0] !== '__complete' && printedPage(argv.slice(0, -1), `${root}/${built}/help-pages`)) return true
  const { answerFromManifests } = await import(`../${built}/prebuilt-help-and-completion.js`)
  return answerFromManifests(argv, process.env, `${root}/${built}/command-manifests`)
}

/** Whether the page of a command was written as the build made it. A terminal gets one of its own width, and what is not plain words a closer look. */
function printedPage(names, path) {
  const { fstatSync, readFileSync, writeSync } = builtin('node:fs')
  let left
  try {
    if (fstatSync(1).isCharacterDevice()) return false
    const start = `\n${names[0] ?? ''}\t`
    const pages = `\n${readFileSync(path, 'utf8')}`
    const at = pages.indexOf(start)
    if (at < 0) return false
    const end = pages.indexOf('\n', at + 1)
    const line = JSON.parse(pages.slice(at + start.length, end < 0 ? undefined : end))
    const page = Object.hasOwn(line, names.join(' ')) ? line[names.join(' ')] : undefined
    if (page === undefined) return false
    left = Buffer.from(page)
  } catch {
    return false
  }
  try {
    while (left.length > 0) left = left.subarray(writeSync(1, left))
  } catch (error) {
    // The reader may be gone. A pipe that is full takes the rest later, and what else is wrong is told as by every command.
    if (error.code !== 'EPIPE') process.stdout.write(left)
  }
  return true
}

/** Where compiled code is kept: a directory of ours, that nobody else can write into. Without one, nothing is kept. */
function compiled() {
  const { lstatSync, mkdirSync } = builtin('node:fs')
  const { isAbsolute, join, resolve, sep } = builtin('node:path')
  const { SLUICE_HOME: own, XDG_CACHE_HOME: xdg, USERPROFILE: profile } = process.env
  const home = process.env.HOME || (isWindows() ? profile : undefined)
  const root = own
    ? join(own, 'cache')
    : xdg && isAbsolute(xdg)
      ? xdg
      : home && isAbsolute(home) && join(home, '.cache')
  if (!root || !isAbsolute(root)) return undefined
  // Windows has no owner and no mode that Node could read: what is in the folder of the user is the user's.
  if (isWindows() && !(profile && resolve(root).startsWith(resolve(profile) + sep))) return undefined
  const steps = own
    ? [own, root, join(root, 'compiled')]
    : [root, join(root, 'sluice'), join(root, 'sluice', 'compiled')]
  for (const path of steps) {
    try {
      if (!lstatSync(path, { throwIfNoEntry: false })) mkdirSync(path, { mode: 0o700 })
    } catch (error) {
      if (error.code !== 'EEXIST') return undefined
    }
  }
  const found = lstatSync(steps.at(-1))
  const isOurs = found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid())
  return isOurs && (isWindows() || (found.mode & 0o077) === 0) ? steps.at(-1) : undefined
}

/** The words of a command line that are no flags and no values of the global ones: the command comes first. */
function words(argv) {
  const taken = ['--profile', '--fields', '--timeout']
  return argv.filter((word, at) => !word.startsWith('-') && !taken.includes(argv[at - 1]))
}

/** Whether a command line can come to a signature. Only a guess: a signer that was not begun early is begun when it is needed. */
function signs(argv) {
  if (argv.some((word) => ['--help', '-h', '--dry-run', '--version', '-V'].includes(word))) return false
  const [command, sub] = words(argv)
  if (['deposit', 'withdraw', 'transfer'].includes(command)) return true
  if (command === 'swap') return sub === 'execute'
  return (
    command === 'action' &&
    ['submit', 'resume', 'replan', 'revoke', 'deliver', 'speed-up', 'cancel'].includes(sub)
  )
}

/** How the signer is begun: once, with nothing of our environment but where files are, and the key and where another signer is by its pipe. */
function signer({ privateKey, signerUrl }, path) {
  const passed =
    /^(HOME|PATH|TMPDIR|TEMP|TMP|USERPROFILE|APPDATA|LOCALAPPDATA|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|XDG_(CONFIG|DATA|CACHE)_HOME|SLUICE_(HOME|PROFILE|ANVIL|AVENIA_FILE))$/
  const named = /^SLUICE_(BASE_URL|RPC_\w+)$/
  const env = Object.fromEntries(
    variables().flatMap(([name, value]) =>
      passed.test(name) ? [[name, value]] : named.test(name) && value ? [[name, 'set']] : [],
    ),
  )
  let child
  return () => {
    if (child) return child
    child = builtin('node:child_process').spawn(process.execPath, [path], {
      stdio: ['pipe', 'pipe', 'inherit'],
      // What it runs comes from its own files, and from no cache that somebody else might have written.
      env: { ...env, NODE_DISABLE_COMPILE_CACHE: '1' },
    })
    // One that could not be begun says so to whoever asks it something.
    child.on('error', () => undefined)
    child.stdin.on('error', () => undefined)
    const argv = process.argv.slice(2)
    const quiet = argv.includes('--quiet') || argv.includes('--json')
    const redraws = process.env.TERM !== 'dumb'
    const first = JSON.stringify({ argv, privateKey: privateKey ?? null, signerUrl, quiet, redraws })
    // These end a line for who reads it, and stand in JSON as they are.
    child.stdin.write(`${first.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`)
    return child
  }
}

/** The Node that npm installed for this program: in the same node_modules, or in that of the package of ours that brings it. */
function broughtNode(createRequire) {
  const file = nodeFile(process.platform, process.arch)
  const require = createRequire(import.meta.url)
  try {
    return require.resolve(file)
  } catch {
    try {
      const bringer = `@sluice-cli/node-${process.platform}-${process.arch}/package.json`
      return createRequire(require.resolve(bringer)).resolve(file)
    } catch {
      return undefined
    }
  }
}

async function handOver() {
  const [{ spawn }, { existsSync }, { createRequire }, { fileURLToPath }] = await Promise.all(
    ['child_process', 'fs', 'module', 'url'].map((name) => import(`node:${name}`)),
  )
  const local = broughtNode(createRequire)
  if (!local) {
    const isClone = existsSync(new URL('../src/app/process-entry.ts', import.meta.url))
    const again = isClone
      ? 'run `npm ci` where sluice is'
      : 'install sluice again with this Node, and npm brings a newer one for it'
    process.stderr.write(
      `sluice needs Node 24.15 or newer, and this is ${process.version}.\nInstall Node 24 from https://nodejs.org, or ${again}.\n`,
    )
    process.exitCode = 12
    return
  }
  const begin = (more) => {
    const child = spawn(
      local,
      [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)],
      // Whoever ends us by force ends it, too: it watches for that.
      {
        stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
        env: { ...process.env, SLUICE_LAUNCHER: String(process.pid), ...more },
      },
    )
    let listens = false
    child.on('message', () => {
      listens = true
    })
    child.on('exit', (code, signal) => {
      if (signal === null) process.exit(code ?? 1)
      // Ended before it could listen, it has done nothing: another one tells what that means for what was signed before.
      if (signals.includes(signal) && !listens && !more) {
        now = begin({ SLUICE_STOPPED: String(process.pid) })
        return
      }
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
    })
    return child
  }
  // Before the program can listen. On Windows, the terminal tells every process of it, and `kill` would end the program at once.
  let now
  for (const signal of signals) process.on(signal, () => isWindows() || now.kill(signal))
  now = begin()
}
