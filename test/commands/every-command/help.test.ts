import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { exitCodes } from '../../../src/cli/schema/exit-codes.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const { run } = useCommands(useSandbox())

describe('help topics', () => {
  test.each(['exit-codes', 'environment', 'signing', 'formatting'])(
    '%s is printed as text and as one JSON document',
    async (topic) => {
      const text = await run(`help ${topic}`)
      expect({ exit: text.exit, err: text.err }).toEqual({ exit: 0, err: '' })
      const { json } = await run(`help ${topic} --json`)
      expect(json.topic).toBe(topic)
      for (const { name, meaning } of json.rows)
        for (const word of [name, meaning]) expect(text.out).toContain(word)
      expect((await run('--help')).out).toContain(topic)
    },
  )

  test('version and help of the program or a command are one document with --json', async () => {
    const commands = { items: expect.arrayContaining([expect.objectContaining({ command: 'swap quote' })]) }
    const asked: [line: string, json: unknown][] = [
      ['--version', { version: expect.stringMatching(/^\d+\.\d+\.\d+$/) }],
      ['', commands],
      ['help', commands],
      ['swap', commands],
      ['swap --help', commands],
      ['deposit --help', { command: 'deposit' }],
      ['help deposit', { command: 'deposit' }],
      ['wallet approvals list -h', { command: 'wallet approvals list' }],
    ]
    for (const [line, json] of asked) {
      const [text, data] = [await run(line), await run(`${line} --json`.trim())]
      expect([line, text.exit, data.exit, data.err]).toEqual([line, 0, 0, ''])
      expect(data.json).toMatchObject(json as object)
      expect(text.out).not.toMatch(/^\{/)
    }
  })

  test('schema help describes the JSON of every topic', async () => {
    const { exit, json } = await run('schema help exit-codes --json')
    expect([exit, json.command]).toEqual([0, 'help'])
    const holds = new Ajv2020({ strict: false }).compile(json.output.success)
    const [{ choices }] = json.arguments
    expect(choices).toContain('exit-codes')
    for (const topic of choices)
      expect({ topic, holds: holds((await run(`help ${topic} --json`)).json) }).toEqual({
        topic,
        holds: true,
      })
    expect(holds({ topic: 'x' })).toBe(false)
    expect((await run('schema help')).out).toContain('exit-codes')
    expect((await run('schema help moon --json')).exit).toBe(2)
  })

  test('exit-codes lists every exit code', async () => {
    const { json } = await run('help exit-codes --json')
    expect(json.rows).toEqual(Object.entries(exitCodes).map(([name, meaning]) => ({ name, meaning })))
  })

  test('environment lists every environment variable that the code reads', async () => {
    const root = join(import.meta.dirname, '../../..')
    const all = globSync(['src/**/*.ts', 'bin/**/*.js'], { cwd: root })
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n')
    // Set only between processes of the program, never by a user.
    const ours = ['SLUICE_LAUNCHER', 'SLUICE_RPC', 'SLUICE_STOPPED']
    const read = new Set(
      [...all.matchAll(/env\.(SLUICE_[A-Z_]+|NO_COLOR)|'(SLUICE_[A-Z_]+)'/g)].map(([, a, b]) => a ?? b!),
    )
    const { json } = await run('help environment --json')
    const told = json.rows.map(({ name }: { name: string }) => name).join(' ')
    expect(read.size).toBeGreaterThan(7)
    expect(
      [...read].filter((name) => !told.includes(name) && !ours.includes(name.replace(/_$/, ''))),
    ).toEqual([])
  })

  test('an unknown topic exits 2 with a suggestion or the list of topics', async () => {
    expect(await run('help exit-code')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('did you mean exit-codes?'),
    })
    expect(await run('help nothing')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('Topics: exit-codes'),
    })
    expect((await run('help deposit')).out).toContain('Usage: sluice deposit')
  })
})
