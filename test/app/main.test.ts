import { describe, expect, test } from 'vitest'
import { buildProgram } from '../../src/app/main.ts'
import { exitCodes } from '../../src/cli/schema/exit-codes.ts'
import { commands } from '../../src/commands/index.ts'
import { errorTable } from '../../src/domain/error-table.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const { run } = useCommands(useSandbox())

/** Every leaf command with the words that name it. */
async function everyCommand(): Promise<{ words: string[]; help: string }[]> {
  const found: { words: string[]; help: string }[] = []
  const walk = (command: Awaited<ReturnType<typeof buildProgram>>, words: string[]) => {
    for (const child of command.commands) {
      const here = [...words, child.name()]
      if (child.commands.length > 0) walk(child, here)
      else found.push({ words: here, help: '' })
    }
  }
  walk(await buildProgram([], { version: '0', io: { out: { write: () => undefined } } } as never, true), [])
  return found
}

describe('help', () => {
  test('lists every command with its summary, and the demo command', async () => {
    const { exit, out, err } = await run('--help')
    expect([exit, err]).toEqual([0, ''])
    for (const { name, summary } of commands) {
      expect(out).toContain(`  ${name}`)
      expect(out).toContain(summary)
    }
    expect(out).toContain('$ sluice demo')
  })

  test('is printed by every command, with an example', async () => {
    for (const { words } of await everyCommand()) {
      const { exit, out, err } = await run([...words, '--help'])
      expect({ words, exit, err }).toEqual({ words, exit: 0, err: '' })
      expect(out).toMatch(/Examples?:\n {2}\$ sluice /)
      expect(out).toContain(`sluice ${words.join(' ')}`)
    }
  })

  test('is the same text for `help COMMAND` and `COMMAND --help`', async () => {
    expect((await run('help deposit')).out).toBe((await run('deposit --help')).out)
    const watch = (await run('action watch --help')).out
    expect(watch).toContain('sluice action watch')
    for (const line of ['help action watch', '--timeout 5s help action watch'])
      expect(await run(line)).toMatchObject({ exit: 0, out: watch })
    expect((await run('help action watch --json')).json.command).toBe('action watch')
  })

  test('--version prints one line', async () => {
    expect(await run('--version')).toMatchObject({ exit: 0, out: '0.0.0\n', err: '' })
  })
})

describe('command lines that cannot be parsed', () => {
  test('an unknown command exits 2 and suggests the closest one', async () => {
    const { exit, out, err } = await run('depositt x')
    expect([exit, out]).toEqual([2, ''])
    expect(err).toContain("unknown command 'depositt'")
    expect(err).toContain('Did you mean\n      sluice deposit x\n')
  })

  test.each([
    ['nonesuch --help', 'sluice --help'],
    ['action wach --help', 'Did you mean watch? See: sluice action --help'],
    ['help action wach', 'Did you mean watch? See: sluice action --help'],
  ])('%s: help of an unknown command exits 2 and suggests one', async (line, hint) => {
    expect(await run(line)).toMatchObject({ exit: 2, out: '' })
    const { exit, json } = await run(`${line} --json`)
    expect([exit, json.error.hint]).toEqual([2, hint])
  })

  test('an unknown option with --json prints one error document with a suggestion', async () => {
    const { exit, json, err } = await run('strategies list --jsn --json')
    expect([exit, err]).toEqual([2, ''])
    expect(json).toEqual({
      error: {
        code: 'USAGE',
        message: "unknown option '--jsn'",
        details: {},
        hint: 'Did you mean --json? See: sluice strategies list --help',
        next: [
          { why: 'Did you mean', command: 'sluice strategies list --json --json' },
          { why: 'See', command: 'sluice strategies list --help' },
        ],
        retryable: false,
      },
    })
  })

  test('a command group alone prints its help, or its commands as one JSON document', async () => {
    for (const line of ['', 'swap', 'sandbox', 'wallet', 'action', 'strategies']) {
      const { exit, out, err } = await run(line)
      expect({ line, exit, err }).toEqual({ line, exit: 0, err: '' })
      expect(out).toMatch(/^Usage: sluice/)
      const { exit: asJson, json } = await run(`${line} --json`)
      expect({ line, exit: asJson }).toEqual({ line, exit: 0 })
      const under = json.items.filter(({ command }: { command: string }) => !command.startsWith(line))
      expect([json.items.length > 1, under]).toEqual([true, []])
    }
  })

  test.each([
    ['strategies list --sort abc', 'sluice strategies list --help'],
    ['strategies list --privte-key', 'sluice strategies list --help'],
    ['strategies list --limit 0', 'sluice strategies list --help'],
    ['strategies list --json --csv', 'sluice strategies list --help'],
    ['strategies show', 'sluice strategies show --help'],
    ['strategies --sort abc', 'sluice strategies --help'],
    ['--quiet strategies list --network', 'sluice strategies list --help'],
    ['action resume x --policy', 'sluice action resume --help'],
    [
      'wallet approvals revoke --spendr x',
      'Did you mean --spender? See: sluice wallet approvals revoke --help',
    ],
    ['wallet approvals lst', 'Did you mean list? See: sluice wallet approvals --help'],
    ['deposit one two --amount 1', 'sluice deposit --help'],
    ['deposit one USDC --amount 1', 'Did you mean --amount 1USDC? See: sluice deposit --help'],
    ['nothing-like-it', 'sluice --help'],
    ['--nothing-like-it', 'sluice --help'],
  ])('%s: the hint names the help of that command', async (line, hint) => {
    const { exit, json } = await run(line.includes('--json') ? line : `${line} --json`)
    expect([exit, json.error.hint]).toEqual([2, hint])
  })

  test('surplus arguments exit 2', async () => {
    expect((await run('deposit one two --amount 1')).exit).toBe(2)
  })
})

describe('the error table', () => {
  test('gives every row an exit code that the exit code table has', () => {
    for (const [code, row] of Object.entries(errorTable))
      expect(Object.hasOwn(exitCodes, row.exit), `${code} exits ${row.exit}`).toBe(true)
  })

  test('maps HTTP status 401 to exit 3, 429 to exit 5, and only 5xx to exit 6', () => {
    for (const [code, row] of Object.entries(errorTable)) {
      const status = 'status' in row ? row.status : undefined
      if (status === undefined) continue
      if (status >= 500) expect({ code, exit: row.exit }).toEqual({ code, exit: 6 })
      if (status === 401) expect(row.exit).toBe(3)
      if (status === 429) expect(row.exit).toBe(5)
      if (status < 500) expect(row.exit).not.toBe(6)
    }
  })
})
