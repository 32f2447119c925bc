import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { spawn } from '@lydell/node-pty'
import headless from '@xterm/headless'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const kept = (name: string) => join(root, 'completions', name)

/** The shells with interactive completion: how each starts without user settings, and how it loads the script. */
const shells = [
  { name: 'bash', args: ['--norc', '--noprofile', '-i'], setup: `source ${kept('sluice.bash')}` },
  {
    name: 'zsh',
    args: ['-f', '-i'],
    setup: `autoload -Uz compinit; compinit -u -D; source ${kept('_sluice')}`,
  },
  // Without compinit.
  { name: 'zsh', args: ['-f', '-i'], setup: `source ${kept('_sluice')}` },
  { name: 'fish', args: ['--no-config', '-i'], setup: `source ${kept('sluice.fish')}` },
]
const isHere = (name: string) =>
  (process.env.PATH ?? '').split(delimiter).some((dir) => existsSync(join(dir, name)))

const hostile = ['$(touch pwned)', '`touch pwned`', ';touch pwned', "'touch pwned'", '\u001b[31m'].map(
  (word) => `evil${word}`,
)
/** A file name that runs a command in a shell which does not quote it. */
const odd = 'x$(touch pwned).json'
const about = '$(touch pwned)`touch pwned` %F{red}'

let home: string
let asked = 0
let service: Server
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'sluice-shells-'))
  // `__complete` runs the program itself; any other command only prints its arguments.
  const sluice = join(home, 'bin', 'sluice')
  mkdirSync(join(home, 'bin'))
  writeFileSync(
    sluice,
    `#!/bin/sh
if [ "$1" = __complete ]; then exec '${process.execPath}' '${join(root, 'bin', 'sluice.js')}' "$@"; fi
printf 'ran'; printf ' <%s>' "$@"; echo .
`,
  )
  chmodSync(sluice, 0o755)
  const names = ['aave-v3-usdc-base', 'aave-v3-weth-base', 'vault:usdc:one', 'vault@weth@one', ...hostile]
  const seen = { strategies: names.map((slug) => ({ slug, about, asset: 'USDC' })) }
  mkdirSync(join(home, 'cache', 'completion'), { recursive: true })
  writeFileSync(join(home, 'cache', 'completion', 'remote.json'), JSON.stringify(seen))
  for (const name of ['plan.json', 'my plan.json', odd]) writeFileSync(join(home, name), '{}')
  // It never answers: a completion that asked it would hang.
  service = createServer(() => asked++)
  await new Promise<void>((done) => service.listen(0, '127.0.0.1', done))
})
afterAll(() => {
  service.close()
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
})

const environment = () => {
  const address = service.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  return {
    PATH: [join(home, 'bin'), process.env.PATH].join(delimiter),
    HOME: home,
    SLUICE_HOME: home,
    TERM: 'xterm',
    LANG: 'C.UTF-8',
    SLUICE_BASE_URL: url,
    SLUICE_API_KEY: 'sk_of_a_test',
    SLUICE_RPC_BASE: url,
  }
}

/** A shell at a terminal. `given` returns the arguments that the program received from a typed and entered line. */
function opened({ name, args, setup }: (typeof shells)[number]) {
  const size = { cols: 200, rows: 50 }
  const model = new headless.Terminal({ ...size, scrollback: 1000, allowProposedApi: true })
  const child = spawn(name, args, { ...size, cwd: home, env: environment() })
  const looks = new Set<() => void>()
  child.onData((some) =>
    model.write(some, () => {
      for (const look of looks) look()
    }),
  )
  const screen = () => {
    const { active } = model.buffer
    return Array.from({ length: active.length }, (_, at) => active.getLine(at)!.translateToString(true)).join(
      '\n',
    )
  }
  const shows = (text: string | RegExp, from = 0) =>
    new Promise<string>((done) => {
      const look = () => {
        const now = screen().slice(from)
        if (typeof text === 'string' ? !now.includes(text) : !text.test(now)) return
        looks.delete(look)
        done(now)
      }
      looks.add(look)
      look()
    })
  let lines = 0
  const entered = async () => {
    child.write('\r')
    const ran = /^ran(.*)\.$/gm
    const all = await shows(new RegExp(`(^ran.*\\.$[\\s\\S]*){${++lines}}`, 'm'))
    return [...[...all.matchAll(ran)].at(-1)![1]!.matchAll(/<([^>]*)>/g)].map(([, word]) => word)
  }
  return {
    ready: async () => {
      child.write(`${setup}; sluice ready`)
      expect(await entered()).toEqual(['ready'])
    },
    type: (keys: string) => child.write(keys),
    shows,
    entered,
    given: (keys: string) => {
      child.write(keys)
      return entered()
    },
    end: () => child.kill(),
  }
}

describe.each(shells)('$name at a terminal', (shell) => {
  test.skipIf(!isHere(shell.name))(
    `completes commands, strategies, options and files in ${shell.name}`,
    async () => {
      const at = opened(shell)
      try {
        await at.ready()
        // Commands, strategies, networks.
        expect(await at.given('sluice stra\t')).toEqual(['strategies'])
        const show = ['strategies', 'show']
        expect(await at.given('sluice strategies show aave-v3-u\t')).toEqual([...show, 'aave-v3-usdc-base'])
        const list = ['strategies', 'list']
        expect(await at.given('sluice strategies list --network optimism-s\t')).toEqual([
          ...list,
          '--network',
          'optimism-sepolia',
        ])
        // Characters that a shell takes for the end of a word.
        expect(await at.given('sluice strategies show vault:us\t')).toEqual([...show, 'vault:usdc:one'])
        expect(await at.given('sluice strategies show vault@we\t')).toEqual([...show, 'vault@weth@one'])
        expect(await at.given('sluice strategies list --sort=t\t')).toEqual([
          'strategies',
          'list',
          '--sort=tvl',
        ])
        // Files with any name, only where the command takes a file.
        const submit = ['action', 'submit']
        expect(await at.given('sluice action submit ./pl\t')).toEqual([...submit, './plan.json'])
        expect(await at.given('sluice action submit ./my\t')).toEqual([...submit, './my plan.json'])
        expect(await at.given('sluice action submit ./x\t')).toEqual([...submit, `./${odd}`])
        expect(await at.given('sluice deposit x --policy=./pl\t')).toEqual([
          'deposit',
          'x',
          '--policy=./plan.json',
        ])
        expect(await at.given('sluice deposit pla\t')).toEqual(['deposit', 'pla'])
        expect(existsSync(join(home, 'pwned'))).toBe(false)
      } finally {
        at.end()
      }
    },
  )

  test.skipIf(!isHere(shell.name))(
    `lists strategies with descriptions in ${shell.name}, runs none of their text and sends no request`,
    async () => {
      const at = opened(shell)
      try {
        await at.ready()
        at.type('sluice strategies show \t\t')
        const list = await at.shows(/aave-v3-weth-base[\s\S]*touch pwned/)
        expect(list).toContain(about)
        expect(list).not.toContain('evil')
        at.type('aave-v3-u\t')
        expect((await at.entered()).slice(0, 2)).toEqual(['strategies', 'show'])
        expect(await at.given('sluice deposit evil\t')).toEqual(['deposit', 'evil'])
        expect(existsSync(join(home, 'pwned'))).toBe(false)
        expect(asked).toBe(0)
      } finally {
        at.end()
      }
    },
  )
})

test.skipIf(!isHere('pwsh'))('the PowerShell script completes commands and strategies', () => {
  const completed = (line: string) =>
    execFileSync(
      'pwsh',
      [
        '-NoProfile',
        '-NonInteractive',
        '-Command',
        `. '${kept('sluice.ps1')}'; (TabExpansion2 '${line}' ${line.length}).CompletionMatches.CompletionText`,
      ],
      { env: environment(), encoding: 'utf8' },
    ).trim()
  expect(completed('sluice stra')).toBe('strategies')
  expect(completed('sluice strategies show aave-v3-u')).toBe('aave-v3-usdc-base')
  expect(existsSync(join(home, 'pwned'))).toBe(false)
})
