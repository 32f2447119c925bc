import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  listFileCommand,
  shellOperand,
  shellPath,
  shellWord,
} from '../../../src/domain/text/shell-quoting.ts'
import { sanitizeText } from '../../../src/domain/text/terminal-sanitizing.ts'

const shells = ['/bin/bash', '/usr/bin/zsh', '/bin/ksh'].filter((path) => existsSync(path))

/** The words that a shell reads from a line; the line must create no file in the empty directory it runs in. */
function read(shell: string, line: string): string[] {
  const cwd = mkdtempSync(join(tmpdir(), 'sluice-shell-'))
  // A fixed locale, so that letters are the same on every machine.
  const env = { PATH: process.env.PATH, HOME: cwd, LC_ALL: 'C.UTF-8' }
  const said = execFileSync(shell, ['-c', `printf '%s\\0' ${line}`], { cwd, env, encoding: 'utf8' })
  expect(readdirSync(cwd)).toEqual([])
  return said.split('\0').slice(0, -1)
}

const hostile = [
  'a b',
  "it's",
  'x;touch ran',
  '$(touch ran)',
  '`touch ran`',
  '$HOME',
  '"',
  'a\nb',
  "a\n'!b\\",
  '\u001b[31m',
  '\u202e\u200b7',
  'back\\slash',
  '~',
  '*',
  '=ls',
  '{a,b}',
  '!!',
  '#',
  '',
  '> ran',
  'é€😀',
]

test('shellWord: every shell reads back hostile words unchanged and runs none of them', () => {
  expect(shells.length).toBeGreaterThan(0)
  for (const shell of shells) expect(read(shell, hostile.map(shellWord).join(' '))).toEqual(hostile)
})

test('shellWord: every shell reads back random words unchanged', () => {
  const words = fc.array(
    fc.string({ unit: 'grapheme' }).filter((word) => !word.includes('\0')),
    { minLength: 40, maxLength: 80 },
  )
  fc.assert(
    fc.property(words, (some) => {
      for (const shell of shells) expect(read(shell, some.map(shellWord).join(' '))).toEqual(some)
    }),
    { numRuns: 10 },
  )
})

test('shellWord: sanitizeText leaves quoted words unchanged', () => {
  for (const word of hostile) expect(sanitizeText(shellWord(word))).toBe(shellWord(word))
})

test('shellWord: words without special characters get no quotes', () => {
  for (const word of ['plan.json', '/a/b-c_d', 'https://a.example/x', 'USDC', '100.5', '0.5%'])
    expect(shellWord(word)).toBe(word)
})

test('shellPath, listFileCommand and shellOperand keep a leading dash from being read as a flag', () => {
  expect([shellPath('-rf'), shellPath('a b'), shellPath('-')]).toEqual(['./-rf', "'a b'", '-'])
  expect(['/a b/c', 'c', '/c', '-x/y'].map(listFileCommand)).toEqual([
    "ls -l '/a b'",
    'ls -l .',
    'ls -l /',
    'ls -l ./-x',
  ])
  expect([shellOperand('-x y'), shellOperand('x')]).toEqual(["-- '-x y'", 'x'])
})
