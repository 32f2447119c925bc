import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { sandboxAddress, sandboxKey } from '../../src/sandbox/accounts.ts'
import { foundryFile } from '../../src/sandbox/anvil.ts'
import { startLedger } from '../support/keys/ledger-emulator.ts'
import { type ProgramHome, programHome, startSluice } from '../support/spawn-program.ts'
import { oneDocument } from '../support/use-commands.ts'

const root = join(import.meta.dirname, '..', '..')
const modules = join(root, 'node_modules')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const bringer = `node-${process.platform}-${process.arch}`

/** The PATH of a user: without the programs of this repository. */
const userPath = (process.env.PATH ?? '').split(delimiter).filter((dir) => !/node_modules/.test(dir))
const versionOf = (node: string) =>
  spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout?.trim()
const isTooOld = (node: string) => /^(1\d|2[013])\./.test(versionOf(node) ?? '')
const oldNode = userPath.map((dir) => join(dir, 'node')).find((node) => existsSync(node) && isTooOld(node))
/** The package that brings Node to an older one is in this clone only if an older one installed it. */
const canBringNode = existsSync(join(modules, '@sluice-cli', bringer))

/** Where the packages and the installations are made. */
let place: ProgramHome
let tarballs: string
beforeAll(() => {
  place = programHome()
  tarballs = join(place.home, 'tarballs')
  execFileSync(process.execPath, [join(root, 'bin', 'build', 'pack.js'), tarballs], { stdio: 'pipe' })
})
afterAll(() => place.end())

const packed = (name: string) => `file:${join(tarballs, `sluice-cli-${name}-${version}.tgz`)}`

/** A package of this clone as a file that npm installs without the registry; uncompressed, because that takes no time. */
function asFile(name: string): string {
  const folder = join(place.home, 'copies', name)
  const file = `${folder}.tgz`
  if (!existsSync(file)) {
    cpSync(join(modules, name), join(folder, 'package'), { recursive: true })
    execFileSync('tar', ['-cf', file, '-C', folder, 'package'])
  }
  return `file:${file}`
}
/** A large package without dependencies, as a link. */
const asLink = (name: string) => `file:${join(modules, name)}`
const nameIn = (file: string) =>
  file
    .split('/')
    .slice(0, file.startsWith('@') ? 2 : 1)
    .join('/')

/** What the registry would have: the packages of the manifests, taken from this clone. */
function registry(): Record<string, string> {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const names = ['@napi-rs/keyring', 'node-hid', 'usb']
  for (const name of names) {
    const { dependencies = {}, optionalDependencies = {} } = lock[`node_modules/${name}`]
    names.push(...Object.keys({ ...dependencies, ...optionalDependencies }))
  }
  const small = names.filter((name) => existsSync(join(modules, name))).map((name) => [name, asFile(name)])
  const node = Object.keys(lock[`src/packages/${bringer}`]?.dependencies ?? {})
  const large = [nameIn(foundryFile('anvil')), ...node].filter((name) => existsSync(join(modules, name)))
  return {
    ...Object.fromEntries([...small, ...large.map((name) => [name, asLink(name)])]),
    [`@sluice-cli/${bringer}`]: packed(bringer),
  }
}

/** A project with packages of ours, installed by the npm of this machine on a Node, without a network. */
type Installation = {
  folder: string
  node: string
  program: string
  names: () => string[]
  add: (...names: string[]) => void
}
function installation(node: string): Installation {
  const folder = join(place.home, `on-${versionOf(node)}`)
  mkdirSync(folder)
  const wanted: Record<string, string> = {}
  const env = {
    PATH: [dirname(node), ...userPath].join(delimiter),
    HOME: place.home,
    npm_config_update_notifier: 'false',
  }
  return {
    folder,
    node,
    program: join(folder, 'node_modules', '@sluice-cli', 'sluice'),
    names: () =>
      Object.keys(
        JSON.parse(readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8')).packages,
      )
        .filter((path) => path.startsWith('node_modules/'))
        .map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
    add: (...names) => {
      for (const name of names) wanted[`@sluice-cli/${name}`] = packed(name)
      writeFileSync(
        join(folder, 'package.json'),
        JSON.stringify({ dependencies: wanted, overrides: registry() }),
      )
      execFileSync('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], {
        cwd: folder,
        env,
        stdio: 'pipe',
      })
    },
  }
}

/** The MB on the disk of what is installed, links followed, as `du` counts. */
function megabytes(folder: string): number {
  const files = globSync('**/*', { cwd: folder, followSymlinks: true } as object).map((path) =>
    statSync(join(folder, path)),
  )
  return files.reduce((sum, file) => sum + file.blocks * 512, 0) / 2 ** 20
}

/** Runs the command that npm put beside the packages, as a shell would. */
function command(
  { folder, node }: Installation,
  home: ProgramHome,
  args: readonly string[],
  more: Record<string, string> = {},
) {
  const env = { PATH: [dirname(node), '/usr/bin', '/bin'].join(delimiter), HOME: home.home, ...more }
  const { status, stdout, stderr } = spawnSync(join(folder, 'node_modules', '.bin', 'sluice'), args, {
    cwd: home.home,
    env,
    encoding: 'utf8',
  })
  return { exit: status, out: stdout, err: stderr }
}

/** What must work with program and sandbox installed. */
function theProgramWorks(at: () => Installation, home: () => ProgramHome) {
  const start = (args: string[]) =>
    startSluice(home().home, args, { node: at().node, root: at().program, path: '/usr/bin:/bin' })

  test('runs --version, the demo and doctor', () => {
    expect(command(at(), home(), ['--version'])).toEqual({ exit: 0, out: `${version}\n`, err: '' })
    const demo = command(at(), home(), ['demo'])
    expect(demo).toMatchObject({ exit: 0, out: expect.stringContaining('every balance matches') })
    const { exit, out } = command(at(), home(), ['doctor', '--json'])
    expect({ exit, ok: out }).toEqual({ exit: 0, ok: expect.not.stringContaining('"ok":false') })
  })

  test('serves the page and its metrics', async () => {
    const served = start(['serve', '--port', '0', '--json'])
    const { url } = oneDocument(await served.line())
    const page = await fetch(url)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>sluice</title>')])
    const metrics = await fetch(`${url}/metrics`)
    expect([metrics.status, await metrics.text()]).toEqual([200, expect.stringContaining('# HELP')])
    served.child.kill('SIGTERM')
    expect((await served.ended).exit).toBe(0)
  })

  test('speaks MCP: initialize, and the list of tools', async () => {
    const { node, program } = at()
    const env = { PATH: '/usr/bin:/bin', HOME: home().home }
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(
      new StdioClientTransport({
        command: node,
        args: [join(program, 'bin', 'sluice.js'), 'mcp'],
        env,
        stderr: 'pipe',
      }),
    )
    const { tools } = await client.listTools()
    await client.close()
    expect(tools.length).toBeGreaterThan(5)
  })
}

const deposit = 'deposit aave-v3-usdc-sandbox-one --amount 5 --yes --json --ledger'.split(' ')

/** A signature on the emulated device, in the process that holds keys. */
function aLedgerSigns(at: () => Installation, home: () => ProgramHome) {
  test('signs on a Ledger', async () => {
    const ledger = await startLedger(sandboxKey(2))
    try {
      const { node, program } = at()
      const env = { SLUICE_LEDGER_SPECULOS: ledger.url }
      const { exit, out } = await startSluice(home().home, deposit, { node, root: program, env }).ended
      expect({ exit, shown: ledger.shown.length }).toEqual({ exit: 0, shown: 2 })
      expect(oneDocument(out)).toMatchObject({ originAddress: sandboxAddress(2), status: 'SUCCESS' })
    } finally {
      await ledger.stop()
    }
  })
}

describe('the packages, installed on the Node that runs the tests', () => {
  let at: Installation
  let home: ProgramHome
  beforeAll(() => {
    at = installation(process.execPath)
    // Without a cache: the chains are deployed from the contracts of the package.
    home = programHome()
    at.add('sluice')
  })
  afterAll(() => home.end())

  test('the program alone runs as a command and as a library, and brings no Node', () => {
    expect(command(at, home, ['--version'])).toEqual({ exit: 0, out: `${version}\n`, err: '' })
    expect(command(at, home, ['completion', 'fish'])).toMatchObject({
      exit: 0,
      out: expect.stringContaining('sluice'),
    })
    expect(command(at, home, ['strategies', 'list', '--help']).out).toContain('sluice strategies list')
    expect(at.names().filter((name) => /(^|\/)node-(?!hid)/.test(name))).toEqual([])
    const library = join(at.folder, 'library.mjs')
    writeFileSync(
      library,
      `import { AppError, createEngine } from '@sluice-cli/sluice'
const engine = await createEngine({ rpcs: { base: 'http://127.0.0.1:1' } })
const found = await engine.getStrategy({ id: 'nothing' }).catch((error) => error)
console.log(found instanceof AppError && found.code)
await engine.close()
`,
    )
    expect(execFileSync(at.node, [library], { encoding: 'utf8', env: {} })).toBe('STRATEGY_NOT_FOUND\n')
  })

  test('asks the proxy of the environment, whose code is in a file of the package', async () => {
    const asked: string[] = []
    const proxy = createServer().on('connect', ({ url }, socket) => {
      asked.push(url!)
      socket.destroy()
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const env = {
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      SLUICE_BASE_URL: 'https://service.example',
      SLUICE_API_KEY: 'a-key',
    }
    const args = ['strategies', 'list', '--timeout', '2s']
    const { err } = await startSluice(home.home, args, { node: at.node, root: at.program, env }).ended
    await new Promise((resolve) => proxy.close(resolve))
    expect({ asked: asked[0], err }).toEqual({
      asked: 'service.example:443',
      err: expect.stringContaining('service.example'),
    })
  })

  test('without the sandbox, the demo names the command that installs it here', () => {
    const hint = `npm install --prefix ${at.folder} @sluice-cli/sandbox@${version}`
    expect(command(at, home, ['demo'])).toMatchObject({ exit: 12, err: expect.stringContaining(hint) })
    // A sandbox of another version has another world.
    const other = join(at.folder, 'node_modules', '@sluice-cli', 'sandbox')
    mkdirSync(other)
    writeFileSync(join(other, 'package.json'), '{ "name": "@sluice-cli/sandbox", "version": "0.0.9" }')
    const { exit, err } = command(at, home, ['demo'])
    rmSync(other, { recursive: true })
    expect({ exit, err }).toEqual({
      exit: 12,
      err: expect.stringContaining(`is version 0.0.9, and sluice is version ${version}`),
    })
    expect(err).toContain(hint)
  })

  describe('with the sandbox', () => {
    beforeAll(() => at.add('sandbox'))

    test('takes at most 80 MB and 12 packages', () => {
      const names = at.names()
      expect(names).toContain(nameIn(foundryFile('anvil')))
      expect(names.length).toBeLessThanOrEqual(12)
      const size = megabytes(join(at.folder, 'node_modules'))
      expect([size > 55, size <= 80]).toEqual([true, true])
    })

    theProgramWorks(
      () => at,
      () => home,
    )

    test('without the USB packages, --ledger names the command that installs them here', () => {
      const { exit, out } = command(at, home, deposit)
      const { error } = oneDocument(out)
      expect({ exit, error }).toMatchObject({
        exit: 13,
        error: {
          code: 'KEY_SOURCE',
          hint: `npm install --prefix ${at.folder} @sluice-cli/ledger@${version}`,
        },
      })
    })

    describe('and the USB packages', () => {
      beforeAll(() => at.add('ledger'))

      test('takes at most 85 MB and 12 packages, and loads the addons', () => {
        expect(at.names().length).toBeLessThanOrEqual(12)
        const size = megabytes(join(at.folder, 'node_modules'))
        expect([size > 65, size <= 85]).toEqual([true, true])
        const { out } = command(at, home, deposit)
        expect(oneDocument(out).error.message).not.toContain('not installed')
      })

      aLedgerSigns(
        () => at,
        () => home,
      )
    })
  })
})

describe('the recipes, with the packages', () => {
  let home: ProgramHome
  let project: string
  beforeAll(() => {
    home = programHome()
    project = JSON.stringify({ private: true, overrides: registry() })
  })
  afterAll(() => home.end())

  const npm = { npm_config_offline: 'true', npm_config_update_notifier: 'false' }
  const path = [dirname(process.execPath), ...userPath].join(delimiter)

  test('the action installs them, puts the command on the path of the later steps, and gives an own home', () => {
    const { runs } = parse(readFileSync(join(root, '.github', 'actions', 'sluice', 'action.yml'), 'utf8'))
    const { run } = runs.steps.at(-1)
    const temp = join(home.home, 'runner')
    const folder = join(temp, `sluice-${version}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), project)
    const env = {
      ...npm,
      PATH: path,
      HOME: home.home,
      RUNNER_TEMP: temp,
      GITHUB_PATH: join(temp, 'path'),
      GITHUB_ENV: join(temp, 'env'),
      VERSION: version,
      SANDBOX: 'true',
      FROM: tarballs,
    }
    const { status, stdout, stderr } = spawnSync('bash', ['-eo', 'pipefail', '-c', run], {
      env,
      cwd: temp,
      encoding: 'utf8',
    })
    expect({ status, stdout, stderr }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`${version}\n`),
    })
    expect(existsSync(join(folder, 'node_modules', '@sluice-cli', 'sandbox'))).toBe(true)
    const added = readFileSync(env.GITHUB_PATH, 'utf8').trim()
    expect(existsSync(join(added, 'sluice'))).toBe(true)
    expect(readFileSync(env.GITHUB_ENV, 'utf8')).toBe(`SLUICE_HOME=${join(temp, 'sluice-home')}\n`)
  })

  /** The instructions of the Dockerfile by stage, with the lines that a backslash joins. */
  const stages = () => {
    const text = readFileSync(join(root, 'docs', 'deploy', 'Dockerfile'), 'utf8')
    const lines = text
      .replace(/^#.*\n/gm, '')
      .replaceAll('\\\n', '')
      .split('\n')
      .filter(Boolean)
    const found: [word: string, rest: string][][] = []
    for (const line of lines) {
      const [, word, rest] = /^([A-Z]+) (.*)$/.exec(line)!
      if (word === 'FROM') found.push([])
      found.at(-1)?.push([word!, rest!.trim()])
    }
    return found
  }

  test('the image: its install step runs here, and the program runs in its layout as another user on a read-only file system', () => {
    const [, install, final] = stages()
    const image = join(home.home, 'image')
    for (const name of ['opt/sluice', 'tmp']) mkdirSync(join(image, name), { recursive: true })
    cpSync(tarballs, join(image, 'packages'), { recursive: true })
    writeFileSync(join(image, 'opt', 'sluice', 'package.json'), project)
    const inImage = (text: string) => text.replaceAll(/(?<![\w.@/-])\/(packages|opt|data)\b/g, `${image}/$1`)
    for (const [word, line] of install!)
      if (word === 'RUN')
        execFileSync('sh', ['-ec', inImage(line)], {
          cwd: join(image, 'opt', 'sluice'),
          env: { ...npm, PATH: path, HOME: home.home, WITH: '' },
          stdio: 'pipe',
        })
    const said = Object.fromEntries(final!)
    expect(Object.keys(said)).toEqual([
      'FROM',
      'COPY',
      'ENV',
      'VOLUME',
      'USER',
      'EXPOSE',
      'ENTRYPOINT',
      'CMD',
    ])
    const [uid, gid] = said.USER!.split(':').map(Number)
    expect([uid! > 0, gid! > 0, said.VOLUME]).toEqual([true, true, '/data'])
    const [, ...entry] = (JSON.parse(said.ENTRYPOINT!) as string[]).map(inImage)
    const env = Object.fromEntries(said.ENV!.split(' ').map((one) => inImage(one).split('=')))
    const inside = (...args: string[]) => [process.execPath, ...entry, ...args]
    const elsewhere = { ...env, SLUICE_HOME: join(home.home, 'direct') }
    const direct = spawnSync(process.execPath, [...entry, '--version'], { env: elsewhere, encoding: 'utf8' })
    expect(direct).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' })
    // Only root can play another user and a read-only file system.
    if (process.getuid?.() !== 0 || spawnSync('unshare', ['-m', 'true']).status !== 0) return
    chownSync(join(image, 'data'), uid!, gid!)
    for (const path of [place.home, home.home, image]) chmodSync(path, 0o755)
    const run = (...args: string[]) => {
      const script = `
mount --make-rprivate / && mount --bind "$1" "$1" && mount -o bind,remount,ro / && mount -t tmpfs -o ro tmpfs /dev/shm
shift; exec setpriv --reuid ${uid} --regid ${gid} --clear-groups "$@"`
      const all = ['-m', 'sh', '-ec', script, 'sh', join(image, 'data'), ...inside(...args)]
      const { status, stdout, stderr } = spawnSync('unshare', all, {
        env: { PATH: '/usr/bin:/bin', ...env },
        encoding: 'utf8',
      })
      return { status, stdout, stderr }
    }
    expect(run('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
    const set = 'profile set far --kind remote --base-url https://a.example'.split(' ')
    expect(run(...set)).toMatchObject({ status: 0, stderr: '' })
    expect(existsSync(join(image, 'data', 'sluice', 'config', 'config.json'))).toBe(true)
    // Without the volume there is no place to write.
    env.SLUICE_HOME = `${image}/opt/sluice/home`
    expect(run(...set)).toMatchObject({
      status: 12,
      stderr: expect.stringContaining('the file system is read-only'),
    })
  })
})

describe.runIf(oldNode && canBringNode)('the packages, installed on an older Node', () => {
  let at: Installation
  let home: ProgramHome
  beforeAll(() => {
    at = installation(oldNode!)
    // The key of the package is that of this clone, so its chains are there.
    home = programHome(inject('sandboxCache'))
    at.add('sluice', 'sandbox', 'ledger')
  })
  afterAll(() => home.end())

  test('bring the Node that runs the program', () => {
    expect(at.names()).toContain(`@sluice-cli/${bringer}`)
    expect(at.names().length).toBeLessThanOrEqual(14)
  })

  theProgramWorks(
    () => at,
    () => home,
  )
  aLedgerSigns(
    () => at,
    () => home,
  )

  test('without that Node, the program says with exit 12 how to get one', () => {
    rmSync(join(at.folder, 'node_modules', '@sluice-cli', bringer), { recursive: true })
    for (const name of at.names().filter((name) => /^node-(?!hid|addon|gyp)/.test(name)))
      rmSync(join(at.folder, 'node_modules', name), { recursive: true, force: true })
    rmSync(join(at.folder, 'node_modules', '.bin', 'node'), { force: true })
    expect(command(at, home, ['--version'])).toEqual({
      exit: 12,
      out: '',
      err: expect.stringMatching(
        /needs Node 24\.15 or newer, and this is v\d.*\nInstall Node 24 .* or install sluice again with this Node/,
      ),
    })
  })
})

describe('the packed files', () => {
  const unpacked = (name: string) => {
    const folder = join(place.home, 'unpacked', name)
    if (!existsSync(folder)) {
      mkdirSync(folder, { recursive: true })
      execFileSync('tar', [
        '-xzf',
        packed(name).slice('file:'.length),
        '-C',
        folder,
        '--strip-components',
        '1',
      ])
    }
    return folder
  }

  test('have every data file of the sources in the program or in the sandbox, one build, and no source', () => {
    const inside = (name: string) => new Set(globSync('**/*.*', { cwd: unpacked(name) }))
    const [program, sandbox] = [inside('sluice'), inside('sandbox')]
    const data = globSync('src/**/*.*', { cwd: root }).filter(
      (path) => !/\.(ts|sol)$/.test(path) && !path.startsWith('src/packages/'),
    )
    expect(data.length).toBeGreaterThan(60)
    const left = data.filter((path) => !program.has(path) && !sandbox.has(path.replace('src/sandbox/', '')))
    expect(left).toEqual([])
    expect([...program, ...sandbox].filter((path) => /(?<!\.d)\.(ts|sol)$/.test(path))).toEqual([])
    expect(readdirSync(join(unpacked('sluice'), 'dist')).toSorted()).toEqual(['app', 'index.d.ts'])
    expect(program.has('docs/man/sluice.1')).toBe(true)
  })

  test('have the notices of what they contain', () => {
    const notices = readFileSync(join(unpacked('sluice'), 'THIRD_PARTY_NOTICES'), 'utf8')
    for (const name of [
      'viem',
      'fastify',
      'rxjs',
      '@ledgerhq/device-management-kit',
      '@modelcontextprotocol/server',
    ])
      expect(notices).toMatch(new RegExp(`^${name} \\d.*, (MIT|Apache-2.0)$`, 'm'))
    expect(notices).toContain('Permission is hereby granted')
    // Every package has its text, but those that publish none, and so has what is compiled into one.
    const [, list, ...parts] = notices.split(`\n\n${'-'.repeat(80)}\n\n`)
    const listed = list!.split('\n')
    expect(listed.length).toBeGreaterThan(50)
    for (const line of listed) {
      const text = parts.find((part) => part.split('\n\n')[0]!.split('\n').includes(line))
      expect([line, text?.slice(text.indexOf('\n\n')).trim() ?? '']).toEqual([
        line,
        expect.stringMatching(/\S[\s\S]{59}/),
      ])
    }
    const without = parts.filter((part) => part.includes('The package has no text of its licence.'))
    expect(without.map((part) => part.split(' ')[0])).toEqual(['abstract-logging', 'pg-types', 'pgpass'])
    for (const [line, holder] of [
      ['jq 1.8.2 (in jq-wasm), MIT', 'jq is copyright (C) 2012 Stephen Dolan'],
      ['Oniguruma (in jq), BSD-2-Clause', 'K.Kosako'],
    ] as const)
      expect([listed.includes(line), notices.includes(holder)]).toEqual([true, true])
    for (const name of ['sluice', 'sandbox', 'ledger', bringer])
      expect(existsSync(join(unpacked(name), 'LICENSE'))).toBe(true)
    for (const path of [
      'published/README.md',
      'published/licences/GPL-3.0.txt',
      'contracts/across-license.txt',
    ])
      expect(existsSync(join(unpacked('sandbox'), path))).toBe(true)
  })

  test('without its build, the program says with exit 12 to install it again', () => {
    const folder = unpacked('sluice')
    rmSync(join(folder, 'dist'), { recursive: true })
    const { status, stderr } = spawnSync(process.execPath, [join(folder, 'bin', 'sluice.js'), '--version'], {
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({
      status: 12,
      stderr: 'This installation of sluice is not complete. Install it again.\n',
    })
  })
})
