import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { filled, partNames } from '../bench/docs/generated.ts'
import { buildProgram } from '../src/app/main.ts'
import { filesOf } from '../src/app/profiles/catalog-of-configured-networks.ts'
import { topics } from '../src/commands/help-topics.ts'
import { publicNetworks } from '../src/domain/networks.ts'
import { useCommands } from './support/use-commands.ts'
import { useSandbox } from './support/use-sandbox.ts'

const root = join(import.meta.dirname, '..')
const pages = ['README.md', ...globSync('docs/*.md', { cwd: root }).sort()]
  .filter((path) => path !== 'docs/commands.md')
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
const readme = pages[0]!.text

/** The blocks of shell commands of a page, without comments. */
const blocksOf = (text: string): string[] =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!.replace(/ +# .*$/gm, ''))

/** Inline code of sentences and tables. */
const inlineOf = (text: string): string[] =>
  [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!)

/** The sluice commands of a page, each up to its end. */
const linesOf = (text: string): string[] => [
  ...blocksOf(text)
    .join('')
    .split(/\n| && | \|\|? | > /)
    .flatMap((line) => /(?:^|[ (])(sluice .*?)\)?$/.exec(line)?.[1] ?? []),
  ...inlineOf(text).filter((code) => code.startsWith('sluice ')),
]

describe.each(pages)('$path', ({ path, text }) => {
  test('has its generated parts as npm run docs writes them', () => {
    expect(text).toBe(filled(text))
  })

  test('has at most 150 lines, or 900 words for the README', () => {
    if (path === 'README.md') expect(text.split(/\s+/).length).toBeLessThanOrEqual(900)
    else expect(text.split('\n').length).toBeLessThanOrEqual(150)
  })

  test('is linked from the README', () => {
    if (path !== 'README.md') expect(readme).toContain(`](${path})`)
  })

  test('has no link to a missing page or heading', () => {
    const links = [...text.matchAll(/\]\((?!https:)([^)#]*)(?:#([^)]*))?\)/g)]
    for (const [link, file, heading] of links) {
      const target = file ? join(root, dirname(path), file) : join(root, path)
      expect({ link, exists: existsSync(target) }).toEqual({ link, exists: true })
      if (heading !== undefined) {
        const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
          title!
            .toLowerCase()
            .replace(/[^\w -]/g, '')
            .replace(/ /g, '-'),
        )
        expect(headings).toContain(heading)
      }
    }
  })

  test('names no source files, because they move', () => {
    expect(text).not.toMatch(/\b(src|test|bench)\//)
  })
})

test.each(partNames)('the generated part %s is on one page, between its markers', (name) => {
  const marked = new RegExp(`<!-- generated: ${name}; [^>]*-->\n[\\s\\S]+?<!-- end -->`)
  expect(pages.filter(({ text }) => marked.test(text))).toHaveLength(1)
})

describe('command lines in the documents', () => {
  let slugs: ReadonlySet<string>
  beforeAll(async () => {
    slugs = new Set(
      (await filesOf(publicNetworks)).flatMap(({ strategies }) => strategies.map(({ slug }) => slug)),
    )
  })

  test.each(pages.filter(({ text }) => linesOf(text).length > 0))(
    'the program accepts every command line of $path',
    async ({ text }) => {
      const lines = linesOf(text)
      for (const [at, words] of wordsOf(lines).entries())
        expect({ line: lines[at], fault: await faultOf(words) }).toEqual({ line: lines[at] })
    },
  )

  test('faultOf reports unknown commands, flags, strategies and topics, and wrong arguments', async () => {
    const lines = [
      'sluice deposit-now x',
      'sluice deposit aave-v3-usdc-base --amont 1',
      'sluice deposit aave-v3-none-base --amount 1',
      'sluice action show',
      'sluice action show ID more',
      'sluice serve --port',
      'sluice help exit-code',
    ]
    for (const [at, words] of wordsOf(lines).entries())
      expect({ line: lines[at], fault: await faultOf(words) }).toEqual({
        line: lines[at],
        fault: expect.any(String),
      })
  })

  /** Why the program would reject a line; undefined where its action would run. Nothing is run. */
  async function faultOf(words: readonly string[]): Promise<string | undefined> {
    if (words[0] === 'help') return Object.hasOwn(topics, words[1] ?? '') ? undefined : 'no such topic'
    const [command, slug] = words
    if (/^(deposit|withdraw)$/.test(command ?? '') && slug && !slug.includes('-sandbox-') && !slugs.has(slug))
      return `no strategy ${slug}`
    const tree = await buildProgram(words, {
      version: '0',
      io: { out: { write: () => undefined, paint: { level: 0 } } },
    } as never)
    const taken = new Error('taken')
    tree.hook('preAction', () => {
      throw taken
    })
    try {
      await tree.parseAsync(words, { from: 'user' })
    } catch (error) {
      if (error === taken || (error as { code?: string }).code === 'commander.helpDisplayed') return undefined
      return (error as Error).message
    }
    return 'nothing would run'
  }
})

test('every flag in a sentence belongs to some command', async () => {
  const known = new Set(['--help', '--version'])
  const walk = (command: Command): void => {
    for (const { long } of command.options) if (long) known.add(long)
    command.commands.forEach(walk)
  }
  walk(await buildProgram([], { version: '0', io: { out: { write: () => undefined } } } as never, true))
  for (const { path, text } of pages) {
    const named = inlineOf(text).flatMap((code) => code.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [])
    expect({ path, unknown: named.filter((flag) => !known.has(flag)) }).toEqual({ path, unknown: [] })
  }
})

describe('shell examples for the sandbox', () => {
  const sandbox = useSandbox()
  const { run, home } = useCommands(sandbox)
  const cwd = process.cwd()
  const program = createServer(async (socket) => {
    let sent = Buffer.alloc(0)
    for await (const part of socket) {
      sent = Buffer.concat([sent, part as Buffer])
      const [count, ...words] = sent.toString().split('\0')
      if (words.length <= Number(count)) continue
      const { exit, out, err } = await run(words.slice(0, -1))
      socket.end(`${exit} ${Buffer.byteLength(out)} ${Buffer.byteLength(err)}\n${out}${err}`)
    }
  })
  /** A `sluice` program that runs its arguments in this process and passes on output and exit code. */
  const sluice = (port: number) => `#!/bin/bash
exec 3<>/dev/tcp/127.0.0.1/${port}
printf '%s\\0' "$#" "$@" >&3
read -r exit out err <&3
head -c "$out" <&3
head -c "$err" <&3 >&2
exit "$exit"
`
  beforeAll(async () => {
    await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    await new Promise((resolve) => program.close(resolve))
  })
  beforeEach(async () => {
    process.chdir(home())
    mkdirSync('bin')
    writeFileSync(join('bin', 'sluice'), sluice((program.address() as AddressInfo).port), { mode: 0o755 })
    await shell(`sluice deposit aave-v3-usdc-sandbox-one --amount 1 --yes --idempotency-key ${action}`)
  })
  afterEach(() => process.chdir(cwd))

  /** The action that replaces ID in the examples. */
  const action = 'documents-1'
  const shell = async (script: string) => {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: home(),
      env: { PATH: `${join(home(), 'bin')}:${process.env.PATH}`, HOME: home() },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect({ script, status, stderr: status === 0 ? '' : stderr }).toEqual({ script, status: 0, stderr: '' })
  }
  /** Examples that need a registry, a real chain or a server, and the demo, which has its own tests. */
  const isElsewhere = /\bnpm |https?:|sluice demo|\$KEY/

  const told = pages.flatMap(({ path, text }) =>
    blocksOf(text)
      .filter((block) => !isElsewhere.test(block))
      .map((block, i) => [`${path} ${i + 1}`, block.replace(/\bID\b/g, action)] as const),
  )
  test.each(told)('%s runs with exit code 0', (_, block) => shell(block))

  test('shell fails with the exit code and the error of a failing command', async () => {
    const stderr = expect.stringContaining('There is no strategy "nothing"')
    const actual = await shell('sluice deposit nothing --amount 1 --yes').catch(({ actual }) => actual)
    expect(actual).toMatchObject({ status: 4, stderr })
  })

  test('the pages have more than 12 examples to run', () => {
    expect(told.length).toBeGreaterThan(12)
  })
})

/** The words behind `sluice` of each line, as bash splits them. */
function wordsOf(lines: readonly string[]): string[][] {
  const script = String.raw`sluice() { printf '%s\0' "$@"; }; for line; do (eval "$line"); printf '\n\0'; done`
  const out = execFileSync('bash', ['-c', script, 'bash', ...lines], { encoding: 'utf8' })
  return out
    .split('\n\0')
    .slice(0, -1)
    .map((words) => words.split('\0').slice(0, -1))
}

test('every file and function that CONTRIBUTING.md names exists', () => {
  const guide = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  const files = globSync(['{src,test,bench,bin,docs,.ci}/**/*', '*'], { cwd: root })
  const names = new Set(files.map((file) => file.split('/').at(-1)))
  const source = files
    .filter((file) => /^(src|test|bench|bin)\/.*\.[tj]s$/.test(file))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('')
  const code = inlineOf(guide)
  const paths = code.flatMap((text) => /^[\w./-]+\.(?:ts|js|json)$/.exec(text) ?? [])
  const missing = paths
    .filter((path) => !/NAME|NETWORK|PATH|^dist\//.test(path))
    .filter((path) => !(path.includes('/') ? files.some((file) => file.endsWith(path)) : names.has(path)))
  const words = code.flatMap((text) => text.match(/\b[a-z]+[A-Z]\w+\b/g) ?? [])
  const unknown = words.filter((word) => !new RegExp(`\\b${word}\\b`).test(source))
  expect({ missing, unknown }).toEqual({ missing: [], unknown: [] })
  // Proves that names were found.
  expect([paths.length > 60, words.length > 5]).toEqual([true, true])
})
