import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { beforeAll, describe, expect, test } from 'vitest'

import { errorTable } from '../../src/domain/error-table.ts'
import { type ErrorCode, errorRow } from '../../src/domain/errors.ts'
import { program } from '../../src/main.ts'

let root: Command
beforeAll(async () => {
  root = await program([], { version: '0', io: { out: { write: () => undefined } } } as never, true)
})

/** Everything in the source that tells somebody to type a command: each from `sluice` to the end of what is to be typed. */
const root_ = join(import.meta.dirname, '..', '..', 'src')
const told = [
  ...new Set(
    globSync('**/*.ts', { cwd: root_ }).flatMap((file) => {
      const text = readFileSync(join(root_, file), 'utf8')
        .replace(/\/\*[\s\S]*?\*\//g, '')
        .replace(/^\s*\/\/.*$/gm, '')
        // What is put in when it runs is one word.
        .replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'X')
      return [
        ...text.matchAll(/(?<![\w.:/@-])sluice (?!(?:is|was|wrote)\b)((?:[a-z_-]+)(?: [^'"`\n\\]*)?)/g),
      ].map(([, line]) => line!)
    }),
  ),
]

/** The words of it that are to be typed: up to the end of the sentence or to what is said beside it. */
function typed(line: string): string[] {
  const words: string[] = []
  for (const word of line.split(' ')) {
    if (/^[([]/.test(word) || word === '') break
    const bare = word.replace(/(?<!\.\.)[.,;:)]+$/, '')
    words.push(bare)
    if (bare !== word) break
  }
  return words
}

/** Why a line would not be understood; nothing where it would. */
function fault(words: readonly string[]): string | undefined {
  let command = root
  let at = 0
  for (; at < words.length; at++) {
    const next = command.commands.find((one) => one.name() === words[at])
    if (!next) break
    command = next
  }
  if (words[0] === 'help') return undefined
  if (command === root) return words[0]?.startsWith('-') ? undefined : `there is no command ${words[0]}`
  const rest = words.slice(at)
  if (command.commands.length > 0)
    return rest.length === 0 || /^(-|X$)/.test(rest[0]!)
      ? undefined
      : `${command.name()} has no command ${rest[0]}`
  const options = [command, ...(command.parent ? [root] : [])].flatMap((one) => one.options)
  const operands: string[] = []
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i]!
    if (!word.startsWith('-') || word === '-') {
      operands.push(word)
      continue
    }
    if (word === '--help' || word === '-h') return undefined
    const option = options.find((one) => one.long === word || one.short === word)
    if (!option) return `${command.name()} has no ${word}`
    if (option.required) i++
  }
  const { registeredArguments: wanted } = command
  // A sentence may go on behind a command: what is no placeholder and no word of its own is not looked at.
  const needed = wanted.filter(({ required }) => required).length
  return operands.length < needed ? `${command.name()} wants ${needed} arguments` : undefined
}

describe('every error says what to do', () => {
  test.each(Object.keys(errorTable) as ErrorCode[])('%s has a next step', (code) => {
    expect(errorRow(code).hint).toMatch(/\S/)
  })

  test('the commands that the source tells somebody to type are found', () => {
    expect(told.length).toBeGreaterThan(60)
    expect(told).toContain('action resume ID')
  })

  test('each of them is one that there is, with the flags and the arguments that it takes', () => {
    const wrong = told.flatMap((line) => {
      const why = fault(typed(line))
      return why === undefined ? [] : [`sluice ${line}: ${why}`]
    })
    expect(wrong).toEqual([])
  })

  test('a flag that a hint of the table names is one of some command', () => {
    const flags = new Set<string>()
    const walk = (command: Command): void => {
      for (const { long } of command.options) if (long) flags.add(long)
      command.commands.forEach(walk)
    }
    walk(root)
    const named = Object.values(errorTable).flatMap(({ hint }) => hint.match(/--[a-z-]+/g) ?? [])
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((flag) => !flags.has(flag) && flag !== '--help')).toEqual([])
  })

  test('what cannot be typed is seen', () => {
    for (const line of [
      'deposit-now X',
      'wallet make NAME',
      'deposit X --amont 1',
      'wallet new',
      'action show --json',
    ])
      expect(fault(typed(line))).toBeDefined()
  })
})
